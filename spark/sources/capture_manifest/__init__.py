"""Manifest of a capture (`journalscope-capture.json`): what the cluster reported about a topic during the capture.

    Manifest => {"journalscope_capture": 1, "brokers": [...], "topic": {...}, "partitions": [...], "transactions": [...], ...}

    members.py   members of a JSON document, checked       facts.py   the document -> rows

Unknown facts are null, with the reason in `not_asked`. An unreadable manifest is a row of `damage` (`bad_companion`); the
segments next to it are read nevertheless. Page: docs/sources/capture-manifest.md
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from spark.sources import Chunk, InputFile, Recognition, Source, Split
from spark.sources.capture_manifest.facts import facts, sentence
from spark.sources.capture_manifest.members import Form, InvalidManifest
from spark.sources.companion.names import file_name
from spark.sources.companion.rows import damage, table

# 64 MB: thousands of partitions with a thousand producers each
MANIFEST = Form("journalscope_capture", "the manifest", version=1, most_bytes=64 << 20)
NAME = re.compile(r"journalscope-capture.*\.json")
MARK = re.compile(rb'\s*\{\s*"journalscope_capture"\s*:')
LEFT_OUT = "Its data about the cluster is left out. The segments are still read."


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By its first member, or by its name."""
    if not MARK.match(head) and not NAME.fullmatch(file_name(file.name)):
        return Recognition(False, 'does not begin with the member "journalscope_capture"')
    return Recognition(True, "data of the cluster about the captured topic", 96)


def read(split: Split) -> Iterator[Chunk]:
    """The facts in one chunk, or the reason why there are none. `detail["replicas"]`: see `spark.stages.partition_folders.copies_beside`."""
    try:
        document = MANIFEST.read(split.path)
        replicas = cast("dict[str, str]", split.detail.get("replicas", {}))
        table_rows = facts(document, replicas, split.replica)
    except InvalidManifest as error:
        wrong = f"{error} {LEFT_OUT}"
        yield Chunk(damage=damage(split, wrong, split.end), note=wrong)
        return
    yield Chunk(others={rows.table: table(split, rows) for rows in table_rows}, note=sentence(document))


source = Source(
    id="capture-manifest",
    title="Manifest of a capture",
    kind="companion",
    recognise=recognise,
    read=read,
)
