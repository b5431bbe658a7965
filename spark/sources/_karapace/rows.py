"""Rows of RECORDS from Python values: backups are small, so that their records may pass one by one."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from spark.sources import Split
from spark.sources._json.records import SCHEMA
from spark.tables import DAMAGE, PROPERTIES

ROWS_PER_CHUNK = 20_000
BYTES_PER_CHUNK = 16 * 1024 * 1024

Headers = list[dict[str, bytes | None]]


@dataclass(frozen=True)
class BackupRecord:
    """One record of a backup; headers None: the version carries none."""

    position: int
    offset: int
    key: bytes | None
    value: bytes | None
    timestamp_ms: int | None = None
    headers: Headers | None = None


@dataclass
class Rows:
    """Records, damage and properties of one chunk."""

    split: Split
    topic: str
    partition: int
    records: list[BackupRecord] = field(default_factory=list)
    damage: list[tuple[int, int, str, str, int | None, int | None, bool]] = field(default_factory=list)
    size_bytes: int = 0

    @property
    def place(self) -> tuple[str, int, str, int]:
        """Topic, partition, replica and file of every row."""
        return self.topic, self.partition, self.split.replica, self.split.file

    @property
    def is_full(self) -> bool:
        """Whether it is time to hand them on."""
        return len(self.records) >= ROWS_PER_CHUNK or self.size_bytes >= BYTES_PER_CHUNK

    def add(self, record: BackupRecord) -> None:
        """One more record."""
        self.records.append(record)
        self.size_bytes += len(record.key or b"") + len(record.value or b"")

    def add_damage(
        self,
        start: int,
        end: int,
        reason: str,
        detail: str,
        offsets: tuple[int | None, int | None] = (None, None),
        goes_on: bool = True,
    ) -> None:
        """One more stretch of bytes that is not right."""
        self.damage.append((start, end - start, reason, detail, *offsets, goes_on))

    def record_table(self) -> pa.Table:
        """The records as RECORDS, without the columns that decode adds."""
        return pa.Table.from_pylist([self._row(record) for record in self.records], schema=SCHEMA)

    def _row(self, record: BackupRecord) -> dict[str, object]:
        topic, partition, replica, file = self.place
        return {
            "topic": topic,
            "partition": partition,
            "replica": replica,
            "file": file,
            "offset": record.offset,
            "batch_position": record.position,
            "timestamp_ms": record.timestamp_ms,
            "key": record.key,
            "value": record.value,
            "key_is_null": record.key is None,
            "value_is_null": record.value is None,
            "key_size_bytes": len(record.key or b""),
            "value_size_bytes": len(record.value or b""),
            "headers": record.headers,
        }

    def damage_table(self) -> pa.Table | None:
        """The damage as DAMAGE, or None."""
        rows = [dict(zip(DAMAGE.schema.names, (*self.place, *row), strict=True)) for row in self.damage]
        return pa.Table.from_pylist(rows, schema=DAMAGE.schema) if rows else None


def properties(place: tuple[str, int, str, int], named: dict[str, str]) -> pa.Table:
    """Rows of PROPERTIES."""
    rows = [
        dict(zip(PROPERTIES.schema.names, (*place, name, value), strict=True))
        for name, value in named.items()
    ]
    return pa.Table.from_pylist(rows, schema=PROPERTIES.schema)
