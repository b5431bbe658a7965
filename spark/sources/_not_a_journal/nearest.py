"""Which layouts came nearest to a file that none recognised: by the form that they need, and by what was missing.

A reason that speaks of JSON is true of text that is none, but tells nobody anything: layouts of the file's own form go
first, and among those of JSON the ones that miss the fewest members.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from spark.sources import Recognition

NEAREST = 3
BINARY = ("log-segment", "karapace-v3", "protobuf-descriptors", "companion")
LINES = ("console-consumer", "dump-log-text", "kcat-json", "dump-log-batches")
JSON = ("kcat-json", "akhq-json", "console-consumer")
CSV = ("kafbat-csv", "redpanda-console-csv", "console-consumer")
MISSING = re.compile(r"^no ((?:`[^`]+`(?:, | or )?)+) member")
COMPANIONS = ("capture-manifest", "registry-schemas", "avro-schema", "karapace-metadata")


def nearest(answers: Mapping[str, Recognition], head: bytes) -> list[str]:
    """Ids of all layouts that were asked, the nearest first."""
    usual = usual_of(head)
    return sorted(answers, key=lambda name: (rank(name, answers[name].why, usual), name))


def rank(layout: str, why: str, usual: tuple[str, ...]) -> tuple[int, int]:
    """The lower the nearer."""
    if missing := MISSING.match(why):
        return 0, missing[1].count("`")
    if layout in usual:
        return 1, usual.index(layout)
    return (3 if layout in COMPANIONS else 2), 0


def usual_of(head: bytes) -> tuple[str, ...]:
    """The layouts that people use most, of the form that the file has."""
    if b"\0" in head[:1024]:
        return BINARY
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"{", b"["):
        return JSON
    line = text.partition(b"\n")[0]
    return CSV if line.count(b",") > 2 else LINES
