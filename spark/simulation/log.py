"""A log in memory: records of an inspection by number, and records that were put in; compaction keeps the last of a key.

Entries of an inspected partition are read anew at each walk, in portions; what stays in memory is one number a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spark.dialects import LogRecord
from spark.stages._entries import entries_of
from spark.tables import RECORDS as RECORDS_TABLE
from spark.tables import Manifest
from spark.tables.key_hash import hash_keys
from spark.tables.replica import PartitionReplica, is_of
from spark.tables.store import ResultTables

Numbers = NDArray[np.int64]
Interpret = Callable[[pa.Table], pa.Table]
MAX_KEPT_BYTES = 128 << 20
COLUMNS = ("offset", "entry_type", "entry_action", "attributes")
HASH_FACTOR = np.int64(0x5851F42D4C957F2D)  # odd: makes one number of both halves of a key's hash


class InspectedLog:
    """The data records of one partition of an inspection, in offset order, each offset once."""

    def __init__(self, manifest: Manifest, replica: PartitionReplica, interpret: Interpret) -> None:
        self.manifest, self.replica, self.interpret = manifest, replica, interpret
        self._tables = ResultTables.open(manifest)
        self._read: dict[int, tuple[bytes, bytes | None]] = {}
        self._read_bytes = 0

    @cached_property
    def _lifelines(self) -> pa.Table:
        return self._tables.arrow(
            f"""
            SELECT "offset", any_value(key_hash_1) AS key_hash_1, any_value(key_hash_2) AS key_hash_2,
                bool_or(kind = 'tombstone' OR (kind = 'restart' AND entry_type IN ('Bootstrap', 'NOOP'))) AS is_null
            FROM lifelines WHERE {is_of(self.replica)} AND kind <> 'control' GROUP BY "offset" ORDER BY "offset"
            """
        )

    @cached_property
    def offsets(self) -> Numbers:
        """Offsets, ascending."""
        return np.asarray(self._lifelines.column("offset").to_numpy())

    @cached_property
    def keys(self) -> Numbers:
        """One number per record; records of the same key have the same, those without key 0."""
        first, second = (self._lifelines.column(name).to_numpy() for name in ("key_hash_1", "key_hash_2"))
        return key_numbers(first, second)

    @cached_property
    def is_null(self) -> NDArray[np.bool_]:
        return np.asarray(self._lifelines.column("is_null").to_numpy(zero_copy_only=False))

    def portions(self) -> Iterator[tuple[Numbers, pa.Table]]:
        """Entries in offset order with the numbers of their records; of an offset that is there twice the first."""
        last = -1
        for portion in entries_of(self.replica, self.manifest):
            offsets = portion.column("offset").to_numpy()
            is_new = np.diff(offsets, prepend=last) > 0
            last = int(offsets[-1])
            rows = portion.select(COLUMNS)
            if not is_new.all():
                rows, offsets = rows.filter(pa.array(is_new)), offsets[is_new]
            yield np.searchsorted(self.offsets, offsets), rows

    def bytes_at(self, offset: int) -> tuple[bytes, bytes | None]:
        """Key and value of a record. Starts ask for the same ones again, so they are kept, up to a bound."""
        if offset not in self._read:
            pair = self._bytes_at(offset)
            size_bytes = len(pair[0]) + len(pair[1] or b"")
            if self._read_bytes + size_bytes > MAX_KEPT_BYTES:
                return pair
            self._read[offset], self._read_bytes = pair, self._read_bytes + size_bytes
        return self._read[offset]

    def _bytes_at(self, offset: int) -> tuple[bytes, bytes | None]:
        (row, *_) = self._tables.rows(
            f"""SELECT key, value, value_is_null FROM records
            WHERE {is_of(self.replica)} AND control_type IS NULL AND "offset" = {int(offset)} LIMIT 1"""
        )
        return row["key"] or b"", None if row["value_is_null"] else row["value"] or b""


@dataclass(frozen=True)
class SimulatedLog:
    """A log: `rows` are numbers of inspected records, ascending, or, below 0, of `added` ones (-1: the first)."""

    inspected: InspectedLog
    rows: Numbers
    added: tuple[LogRecord, ...] = ()

    @classmethod
    def of(cls, inspected: InspectedLog) -> SimulatedLog:
        """The log as it stands."""
        return cls(inspected, np.arange(len(inspected.offsets)))

    def __len__(self) -> int:
        return len(self.rows)

    def appended(self, records: Iterable[LogRecord]) -> SimulatedLog:
        """With records at its end."""
        added = (*self.added, *records)
        more = -1 - np.arange(len(self.added), len(added))
        return SimulatedLog(self.inspected, np.concatenate([self.rows, more]), added)

    def edited(
        self,
        before: Mapping[int, Sequence[LogRecord]],
        after: Mapping[int, Sequence[LogRecord]],
        left_out: Iterable[int],
    ) -> SimulatedLog:
        """With records put in before and after inspected offsets, and offsets left out."""
        gone = set(left_out)
        added = list(self.added)
        rows: list[int] = []

        def put(records: Sequence[LogRecord]) -> None:
            for record in records:
                added.append(record)
                rows.append(-len(added))

        for number, offset in zip(self.rows.tolist(), self._offsets(), strict=True):
            put(before.get(offset, ()))
            if offset not in gone:
                rows.append(number)
            put(after.get(offset, ()))
        return SimulatedLog(self.inspected, np.array(rows, np.int64), tuple(added))

    def _offsets(self) -> list[int]:
        """The inspected offset of each row; -1 for an added one."""
        if not len(self.inspected.offsets):
            return [-1] * len(self.rows)
        return np.where(self.rows >= 0, self.inspected.offsets[np.maximum(self.rows, 0)], -1).tolist()

    def offset(self, position: int) -> int | None:
        """The offset of a record that the input holds."""
        row = int(self.rows[position])
        return int(self.inspected.offsets[row]) if row >= 0 else None

    @cached_property
    def _keys(self) -> Numbers:
        return self._either(self.inspected.keys, key_numbers(*hash_keys(self._added_keys())))

    @cached_property
    def _is_null(self) -> NDArray[np.bool_]:
        return self._either(
            self.inspected.is_null, np.array([record.value is None for record in self.added], bool)
        )

    def _added_keys(self) -> pa.Array:
        return pa.array([record.key for record in self.added], pa.binary())

    def _either(self, inspected: NDArray, added: NDArray) -> NDArray:  # type: ignore[type-arg]
        values = np.zeros(len(self.rows), inspected.dtype if len(inspected) else added.dtype)
        is_own = self.rows >= 0
        values[is_own] = inspected[self.rows[is_own]]
        values[~is_own] = added[-1 - self.rows[~is_own]]
        return values

    def compacted(self, end: int | None = None) -> SimulatedLog:
        """As the cleaner leaves it when it has done all it can: the last record of each key, no tombstone. `end`: the
        position that the cleaner came to; from there on nothing is removed."""
        end = len(self.rows) if end is None else end
        keys = self._keys[:end]
        _, from_behind = np.unique(keys[::-1], return_index=True)
        is_last = np.zeros(len(keys), bool)
        is_last[len(keys) - 1 - from_behind] = True
        retained = np.concatenate(
            [is_last & (keys != 0) & ~self._is_null[:end], np.ones(len(self.rows) - end, bool)]
        )
        return SimulatedLog(self.inspected, self.rows[retained], self.added)

    def entries(self) -> Iterator[pa.Table]:
        """Entries in log order, in portions; `offset` is the position."""
        own = np.flatnonzero(self.rows >= 0)
        start = taken = 0
        for numbers, portion in self.inspected.portions():
            if not len(numbers):
                continue
            upto = taken + int(np.searchsorted(self.rows[own[taken:]], numbers[-1], side="right"))
            owned = own[taken:upto]
            stop = int(own[upto]) if upto < len(own) else len(self.rows)
            yield from self._stretch(start, stop, owned, numbers, portion)
            start, taken = stop, upto
        yield from self._stretch(start, len(self.rows), own[taken:], np.zeros(0, np.int64), None)

    def _stretch(
        self, start: int, stop: int, own: Numbers, numbers: Numbers, portion: pa.Table | None
    ) -> Iterator[pa.Table]:
        """The entries of a range of positions, of which `own` hold inspected records of one portion."""
        parts = []
        if portion is not None and len(own):
            index = np.searchsorted(numbers, self.rows[own])
            is_there = (index < len(numbers)) & (
                numbers[np.minimum(index, len(numbers) - 1)] == self.rows[own]
            )
            parts.append(at_positions(portion.take(pa.array(index[is_there])), own[is_there]))
        positions = np.arange(start, stop)
        added = positions[self.rows[start:stop] < 0]
        if len(added):
            parts.append(at_positions(self._added_entries.take(pa.array(-1 - self.rows[added])), added))
        if parts:
            rows = pa.concat_tables(parts)
            yield rows.sort_by("offset") if len(parts) > 1 else rows

    @cached_property
    def _added_entries(self) -> pa.Table:
        return self.inspected.interpret(records_table(self.added)).select(COLUMNS)

    def key(self, position: int) -> bytes:
        return self._bytes(position)[0]

    def value(self, position: int) -> bytes | None:
        return self._bytes(position)[1]

    def _bytes(self, position: int) -> tuple[bytes, bytes | None]:
        row = int(self.rows[position])
        if row < 0:
            record = self.added[-1 - row]
            return record.key, record.value
        return self.inspected.bytes_at(int(self.inspected.offsets[row]))


def key_numbers(first: Numbers, second: Numbers) -> Numbers:
    """Both halves of each key's hash as one number; 0 for no key."""
    with np.errstate(over="ignore"):
        return np.asarray(first + second * HASH_FACTOR)


def at_positions(entries: pa.Table, positions: Numbers) -> pa.Table:
    """Entries with positions for offsets."""
    return entries.set_column(0, "offset", pa.array(positions))


def records_table(records: Sequence[LogRecord]) -> pa.Table:
    """Records as a dialect's `interpret` takes them: numbered from 0 on."""
    count = len(records)
    columns: dict[str, list[object]] = {
        "topic": [""] * count, "partition": [0] * count, "replica": [""] * count, "file": [0] * count,
        "offset": list(range(count)), "key": [record.key for record in records], "key_is_null": [False] * count,
        "value": [record.value for record in records], "value_is_null": [record.value is None for record in records],
    }  # fmt: skip
    fields = [pa.array(columns.get(field.name, [None] * count), field.type) for field in RECORDS_TABLE.schema]
    return pa.table(fields, schema=RECORDS_TABLE.schema)
