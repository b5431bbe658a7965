"""Offsets of Connect in standalone mode (`offset.storage.file.filename`, such as connect.offsets), and of Debezium's engine.

    file = a serialised HashMap<byte[], byte[]>     key: ["CONNECTOR", {partition}]   value: {offset}, or null

Keys and values are those that a distributed worker writes to its offsets topic; the file has the newest of each key. Entries are
numbered in the order of the file, which is not the order of time.
Source: Kafka `FileOffsetBackingStore.java`, 0.9 to 4.1. The grammar: `spark.sources._java_map`.
"""

from __future__ import annotations

from collections.abc import Iterator

from spark.sources import EXPORT_LACKS, Chunk, InputFile, Recognition, Source, Split
from spark.sources._java_map import MAGIC, InvalidStream, MapStream
from spark.sources._lines.records import TextRecord, UnreadLine, chunks, record
from spark.storage.files import read_bytes

MAX_BYTES = 256 << 20
NOTE = "The newest offset of each source partition. Offsets are row numbers, in no order of time."


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By the serialised map and its first key."""
    if not head.startswith(MAGIC):
        return Recognition(False, "it is not a serialized Java object")
    if file.size_bytes > MAX_BYTES:
        return Recognition(False, f"a serialized Java object of more than {MAX_BYTES >> 20} MiB")
    try:
        first = next(MapStream(head).entries(), None)
    except InvalidStream as problem:
        return Recognition(False, f"a serialized Java object, but {problem}")
    if first is not None and (first.key is None or not first.key.lstrip().startswith(b"[")):
        return Recognition(False, "a serialized map whose first key is not that of a Connect offset")
    return Recognition(
        True, "a serialized HashMap with keys of Connect's offsets; offsets are row numbers", 95
    )


def read(split: Split) -> Iterator[Chunk]:
    yield from chunks(split, entries(MapStream(read_bytes(split.path))), lambda: NOTE)


def entries(stream: MapStream) -> Iterator[TextRecord | UnreadLine]:
    """A record for each pair; the rest of the file as damage if the stream is invalid."""
    end = 0
    try:
        for entry in stream.entries():
            end = entry.end
            yield record(entry.start, entry.end, entry.key, entry.value)
    except InvalidStream as problem:
        is_cut = stream.position >= len(stream.content) or "ends" in str(problem)
        yield UnreadLine(end, len(stream.content), str(problem), is_cut=is_cut)


source = Source(
    id="connect-offsets-file",
    title="Connect's offsets in standalone mode",
    kind="export",
    lacks=EXPORT_LACKS | {"topic", "partition", "offset", "timestamps", "headers"},
    recognise=recognise,
    read=read,
)
