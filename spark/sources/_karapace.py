"""What the backups of Karapace's schema journal share (`karapace_schema_backup`, up to Karapace 5): a V3 backup's metadata
file, and records and damage in chunks. Backups are small: records may pass one by one.

    file => "/V3" LF size:uint32 Metadata, maybe LF      Metadata and DataFile: Avro, in the order of the classes below

Source: Karapace `backup/backends/v3/schema.py`.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field

from spark.codecs.avro import AvroCursor, InvalidAvro
from spark.sources import Chunk, Split
from spark.sources._lines.records import TextRecord, records_table
from spark.sources._rows import DamagedRange, RowOrigin, damage_table

MARK = b"/V3\n"
FRAME_BYTES = 4
ALGORITHMS = ("unknown", "xxhash3_64_be")


@dataclass(frozen=True)
class DataFile:
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
        numbers = [
            int(digits) for digits in self.tool_version.split("-")[0].split(".")[:2] if digits.isdigit()
        ]
        return self.tool_name == "karapace" and numbers >= [5, 1]

    def file_named(self, name: str) -> DataFile | None:
        return next((file for file in self.data_files if file.name == name), None)


def read_metadata(content: bytes) -> Metadata:
    """Raises InvalidAvro if the content is not a metadata file."""
    start = len(MARK) + FRAME_BYTES
    size = int.from_bytes(content[len(MARK) : start], "big")
    if not content.startswith(MARK) or len(content) < start + size:
        raise InvalidAvro("it is not a metadata file")
    cursor = AvroCursor(content[start : start + size])
    metadata = _metadata(cursor)
    if cursor.position != size:
        raise InvalidAvro("bytes follow the metadata")
    return metadata


def _metadata(cursor: AvroCursor) -> Metadata:
    return Metadata(
        version=cursor.long(),
        tool_name=cursor.text(),
        tool_version=cursor.text(),
        started_at_ms=cursor.long(),
        finished_at_ms=cursor.long(),
        record_count=cursor.long(),
        topic=cursor.text(),
        topic_id=_uuid(cursor),
        partition_count=cursor.long(),
        replication_factor=cursor.long(),
        configurations=dict(cursor.array(lambda: (cursor.text(), cursor.text()))),
        data_files=cursor.array(lambda: _data_file(cursor)),
        checksum_algorithm=_algorithm(cursor),
    )


def _uuid(cursor: AvroCursor) -> str | None:
    text = cursor.optional(cursor.text)
    try:
        return str(uuid.UUID(text)) if text else None
    except ValueError as error:
        raise InvalidAvro("the topic's ID is not a UUID") from error


def _data_file(cursor: AvroCursor) -> DataFile:
    return DataFile(
        cursor.text(), cursor.long(), cursor.bytes_(), cursor.long(), cursor.long(), cursor.long()
    )


def _algorithm(cursor: AvroCursor) -> str:
    number = cursor.long()
    if not 0 <= number < len(ALGORITHMS):
        raise InvalidAvro("the checksum algorithm is unknown")
    return ALGORITHMS[number]


ROWS_PER_CHUNK = 20_000
BYTES_PER_CHUNK = 16 * 1024 * 1024


@dataclass
class BackupRows:
    split: Split
    records: list[TextRecord] = field(default_factory=list)
    damage: list[DamagedRange] = field(default_factory=list)
    size_bytes: int = 0

    @property
    def is_full(self) -> bool:
        """Whether a chunk should be made of them."""
        return len(self.records) >= ROWS_PER_CHUNK or self.size_bytes >= BYTES_PER_CHUNK

    def add(self, record: TextRecord) -> None:
        self.records.append(record)
        self.size_bytes += len(record.key or b"") + len(record.value or b"")

    def chunk(self, note: str | None = None) -> Chunk:
        damage = damage_table(RowOrigin.of_split(self.split), self.damage) if self.damage else None
        return Chunk(records_table(self.split, self.records), damage=damage, note=note)
