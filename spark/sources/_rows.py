"""Rows of the tables that every layout fills: where they come from, the columns of RECORDS, damage, properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import pyarrow as pa

from spark.sources import Split
from spark.tables import DAMAGE, PROPERTIES, RECORDS

ADDED_BY_DECODE = {
    "key_hash_1", "key_hash_2", "key_form", "value_form", "key_schema_id", "value_schema_id", "entry_type", "entry_action",
}  # fmt: skip
RECORD_COLUMNS = pa.schema(field for field in RECORDS.schema if field.name not in ADDED_BY_DECODE)
Reason = Literal[
    "truncated",
    "torn",
    "zeros_at_end",
    "zeros",
    "not_a_batch",
    "undecodable_records",
    "not_decompressed",
    "bad_line",
    "bad_companion",
]


@dataclass(frozen=True)
class RowOrigin:
    """What all rows of a split have in common."""

    topic: str
    partition: int
    replica: str
    file: int

    @classmethod
    def of(cls, split: Split) -> RowOrigin:
        """That of a split."""
        return cls(split.topic, split.partition, split.replica, split.file)

    def columns(self, rows: int) -> list[pa.Array]:
        """The four leading columns of every table."""
        return [
            column.slice(0, rows) for column in _repeated(self, 1 << (rows - 1).bit_length() if rows else 0)
        ]


@lru_cache(16)
def _repeated(origin: RowOrigin, rows: int) -> list[pa.Array]:
    """The origin of many rows; chunks are of few sizes, and slices cost nothing."""
    return [
        pa.repeat(origin.topic, rows),
        pa.repeat(pa.scalar(origin.partition, pa.int32()), rows),
        pa.repeat(origin.replica, rows),
        pa.repeat(pa.scalar(origin.file, pa.int32()), rows),
    ]


@dataclass(frozen=True)
class DamagedRange:
    """Bytes that could not be read: a row of DAMAGE without its origin. Travels from the plan to the task that reports it."""

    position: int
    size_bytes: int
    reason: Reason
    detail: str
    first_offset: int | None
    last_offset: int | None
    batches_after: bool

    @property
    def end(self) -> int:
        """First byte after it."""
        return self.position + self.size_bytes


def damage_table(origin: RowOrigin, damage: Iterable[DamagedRange]) -> pa.Table:
    """Rows of DAMAGE."""
    rows = [{**vars(origin), **vars(damaged)} for damaged in damage]
    return pa.Table.from_pylist(rows, schema=DAMAGE.schema)


def properties(origin: RowOrigin, values: Mapping[str, str]) -> pa.Table:
    """Rows of PROPERTIES, by name."""
    rows = [{**vars(origin), "name": name, "value": value} for name, value in values.items()]
    return pa.Table.from_pylist(rows, schema=PROPERTIES.schema)
