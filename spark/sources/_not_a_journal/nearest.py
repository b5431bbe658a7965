"""Which layouts came nearest to a file that none recognised, judged by the form that they need and what was missing.

For text other than JSON, "not JSON" is true and useless. First come JSON layouts of which the file has some members, those
that miss the fewest before the others; then the most common layouts of the file's own form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from spark.sources import Recognition

NEAREST = 3
BEGINS_JSON = re.compile(rb"\{|\[\s*[\[{\"\]]")
BINARY = ("log-segment", "karapace-v3", "connect-offsets-file", "protobuf-descriptors", "companion")
LINES = ("console-consumer", "dump-log-text", "kcat-json", "dump-log-batches")
JSON = ("kcat-json", "akhq-json", "console-consumer")
CSV = ("kafbat-csv", "redpanda-console-csv", "console-consumer")
MISSING = re.compile(r"^no ((?:`[^`]+`(?:, | or )?)+) member")
NEEDED = {
    "akhq-json": 5,
    "confluent-json": 4,
    "kafbat-events": 2,
    "kafbat-json": 3,
    "kafdrop-json": 3,
    "kafkactl-json": 2,
    "kcat-json": 4,
    "plain-json": 1,
    "redpanda-console-json": 2,
    "rpk-json": 4,
}  # members that a layout of JSON cannot do without
COMPANIONS = ("capture-manifest", "registry-schemas", "avro-schema", "karapace-metadata")


def nearest(answers: Mapping[str, Recognition], head: bytes) -> list[str]:
    """Ids of all layouts that were asked, nearest first."""
    usual = usual_of(head)
    return sorted(answers, key=lambda name: (rank(name, answers[name].why, usual), name))


def rank(layout: str, why: str, usual: tuple[str, ...]) -> tuple[int, int]:
    """Sort key: lower is nearer."""
    missing = MISSING.match(why)
    if missing and missing[1].count("`") // 2 < NEEDED.get(layout, 0):
        return 0, missing[1].count("`") // 2
    if layout in usual:
        return 1, usual.index(layout)
    return (3 if layout in COMPANIONS else 2), 0


def usual_of(head: bytes) -> tuple[str, ...]:
    """The most common layouts for the form of the file."""
    if b"\0" in head[:1024]:
        return BINARY
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if BEGINS_JSON.match(text):
        return JSON
    line = text.partition(b"\n")[0]
    return CSV if line.count(b",") > 2 else LINES
