"""A V3 backup's metadata file: what was backed up, when, by what, and the checksums of the data files.

    file => "/V3" LF size:uint32 Metadata, maybe LF      Metadata and DataFile: Avro, in the order of the classes below

Source: Karapace `backup/backends/v3/schema.py`.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from spark.sources._karapace.avro import Broken, Reader

MARK = b"/V3\n"
FRAME_BYTES = 4
ALGORITHMS = ("unknown", "xxhash3_64_be")


@dataclass(frozen=True)
class DataFile:
    """One data file as the metadata describes it."""

    name: str
    partition: int
    checksum: bytes
    record_count: int
    start_offset: int
    end_offset: int


@dataclass(frozen=True)
class Metadata:
    """The fields of a metadata file. Times in milliseconds."""

    version: int
    tool_name: str
    tool_version: str
    started_at_ms: int
    finished_at_ms: int
    record_count: int
    topic: str
    topic_id: str | None
    partition_count: int
    replication_factor: int
    configurations: dict[str, str]
    data_files: list[DataFile]
    checksum_algorithm: str

    @property
    def nulls_are_lost(self) -> bool:
        """Karapace 5.1 and later write a null key or value as empty bytes."""
        numbers = [int(part) for part in self.tool_version.split("-")[0].split(".")[:2] if part.isdigit()]
        return self.tool_name == "karapace" and numbers >= [5, 1]

    def file_named(self, name: str) -> DataFile | None:
        """The entry of a data file."""
        return next((file for file in self.data_files if file.name == name), None)


def read_metadata(content: bytes) -> Metadata:
    """Raises Broken where the content is no metadata file."""
    start = len(MARK) + FRAME_BYTES
    size = int.from_bytes(content[len(MARK) : start], "big")
    if not content.startswith(MARK) or len(content) < start + size:
        raise Broken
    reader = Reader(content[start : start + size])
    found = _metadata(reader)
    if reader.place != size:
        raise Broken
    return found


def _metadata(reader: Reader) -> Metadata:
    return Metadata(
        version=reader.long(),
        tool_name=reader.text(),
        tool_version=reader.text(),
        started_at_ms=reader.long(),
        finished_at_ms=reader.long(),
        record_count=reader.long(),
        topic=reader.text(),
        topic_id=_uuid(reader),
        partition_count=reader.long(),
        replication_factor=reader.long(),
        configurations=dict(reader.array(lambda: (reader.text(), reader.text()))),
        data_files=reader.array(lambda: _data_file(reader)),
        checksum_algorithm=_algorithm(reader),
    )


def _uuid(reader: Reader) -> str | None:
    text = reader.optional(reader.text)
    try:
        return str(uuid.UUID(text)) if text else None
    except ValueError as error:
        raise Broken from error


def _data_file(reader: Reader) -> DataFile:
    return DataFile(
        reader.text(), reader.long(), reader.bytes_(), reader.long(), reader.long(), reader.long()
    )


def _algorithm(reader: Reader) -> str:
    number = reader.long()
    if not 0 <= number < len(ALGORITHMS):
        raise Broken
    return ALGORITHMS[number]
