"""Karapace schema backup, version 3, the metadata file `<topic>.metadata`: properties of the topic and of the backup.

    file => "/V3" LF size:uint32 Metadata, maybe LF      (`spark.sources._karapace`)

The topic's settings (`cleanup.policy`, `retention.ms`, ...) are in it and in no other upload.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from spark.codecs.avro import InvalidAvro
from spark.sources import Chunk, InputFile, Recognition, Source, Split
from spark.sources._karapace import MARK, Metadata, read_metadata
from spark.sources._rows import RowOrigin, properties
from spark.storage.files import read_bytes

MAX_BYTES = 16 * 1024 * 1024


def recognise(file: InputFile, head: bytes) -> Recognition:
    if not head.startswith(MARK):
        return Recognition(False, "does not begin with the line `/V3`")
    return Recognition(True, "V3, metadata of the backup and of its topic", 95)


def read(split: Split) -> Iterator[Chunk]:
    """The properties in one chunk, or the reason why there are none."""
    try:
        metadata = read_metadata(read_bytes(split.path, MAX_BYTES))
    except InvalidAvro:
        yield Chunk(note="The metadata of the backup is unreadable: it is truncated or changed.")
        return
    origin = replace(RowOrigin.of_split(split), topic=metadata.topic)
    yield Chunk(others={"properties": properties(origin, named(metadata))}, note=sentence(metadata))


def named(metadata: Metadata) -> dict[str, str]:
    """Settings of the topic under their own names, those of the backup with the prefix `karapace.`."""
    own = {
        "karapace.tool": f"{metadata.tool_name} {metadata.tool_version}",
        "karapace.started_at_ms": str(metadata.started_at_ms),
        "karapace.finished_at_ms": str(metadata.finished_at_ms),
        "karapace.record_count": str(metadata.record_count),
        "karapace.partition_count": str(metadata.partition_count),
        "karapace.checksum_algorithm": metadata.checksum_algorithm,
    }
    for file in metadata.data_files:
        own[f"karapace.checksum {file.name}"] = file.checksum.hex()
        own[f"karapace.offsets {file.name}"] = f"{file.start_offset} {file.end_offset}"
    if metadata.topic_id:
        own["topic_id"] = metadata.topic_id
    return metadata.configurations | own


def sentence(metadata: Metadata) -> str:
    policy = metadata.configurations.get("cleanup.policy", "not stated")
    lost = " Null keys and values were written as empty bytes." if metadata.nulls_are_lost else ""
    return (
        f"{metadata.record_count} records of {metadata.topic}, written by {metadata.tool_name} {metadata.tool_version}; "
        f"cleanup.policy {policy}.{lost}"
    )


source = Source(
    id="karapace-metadata",
    title="Karapace schema backup, version 3, metadata",
    kind="companion",
    recognise=recognise,
    read=read,
)
