"""Companion files of a log: what a broker stores next to the segments, and leftovers that do not belong to the log.

    names.py      which file is what          indexes.py    offset and time index
    producers.py  aborted transactions, producer snapshots     texts.py  checkpoints and properties

No bytes make this raise: an unreadable file is a row of `damage` (`bad_companion`) and does not count as unreadable bytes
of the log. Page: docs/sources/companion.md
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from spark.sources import Chunk, InputFile, Recognition, Source, Split
from spark.sources.companion import indexes, producers, texts
from spark.sources.companion.names import WHAT, kind_of, number_of, why_not_read
from spark.sources.companion.rows import Read, chunk
from spark.storage.files import read_bytes

MAX_BYTES = 64 * 1024 * 1024  # a broker's default for an index is 10 MB; nothing else comes near
EMPTY_IS_WRONG = {"snapshot"}  # every other companion may have nothing to say


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By name alone."""
    kind = kind_of(file.name)
    why = f"by its name: {WHAT[kind]}" if kind else why_not_read(file.name)
    if why is None:
        return Recognition(False, "its name is not that of an index, a snapshot or a checkpoint of a log")
    return Recognition(True, why, 95)


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    """One split for a companion with content; other companions are only named."""
    kind = kind_of(file.name)
    if kind is None or not (file.size_bytes or kind in EMPTY_IS_WRONG):
        return []
    end = min(file.size_bytes, MAX_BYTES)
    return [Split(number, file.path, file.name, "companion", 0, end, topic, partition, replica)]


def read(split: Split) -> Iterator[Chunk]:
    content = read_bytes(split.path, split.end)
    try:
        read = understood(split, content)
    except texts.InvalidCompanion as error:
        read = Read(wrong=str(error))
    yield chunk(split, read, len(content))


def understood(split: Split, content: bytes) -> Read:
    """The rows of each kind of companion. Raises InvalidCompanion. `detail["replicas"]`: see `spark.stages.partition_folders.copies_beside`."""
    match kind := kind_of(split.name):
        case "index":
            return indexes.read_offsets(content, number_of(split.name))
        case "timeindex":
            return indexes.read_times(content, number_of(split.name))
        case "txnindex":
            return producers.read_aborted(content, number_of(split.name))
        case "snapshot":
            return producers.read_snapshot(content, number_of(split.name))
        case "leader-epoch-checkpoint":
            return texts.read_epochs(content)
        case "partition.metadata" | "meta.properties":
            return texts.read_properties(content)
        case "streams_store":
            return texts.read_store_offsets(content, split.replica)
        case None:
            return Read()
    replicas = cast("dict[str, str]", split.detail.get("replicas", {}))
    return texts.read_offsets(content, kind, replicas, split.replica)


source = Source(
    id="companion",
    title="Companion file of a log",
    kind="companion",
    recognise=recognise,
    read=read,
    cut=split,
)
