"""Records and damage of a backup in chunks: backups are small, so that their records may pass one by one."""

from __future__ import annotations

from dataclasses import dataclass, field

from spark.sources import Chunk, Split
from spark.sources._lines.records import TextRecord, records_table
from spark.sources._rows import DamagedRange, RowOrigin, damage_table

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
