"""Logs told batch by batch, for the cleaner's model: `Log` and the index of aborted transactions follow from it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from spark.cleaner.clean import Behaviour
from spark.cleaner.log import (
    ABORT,
    COMMIT,
    DATA,
    EMPTY_CONTROL,
    NO_HORIZON,
    NO_KEY,
    AbortedTxn,
    Batches,
    Log,
    Records,
    Segments,
)

Value = str | int
# KAFKA-13727: fixed in these, and in every release after the last of them.
FIXED_13727 = ((2, 8, 2), (3, 0, 2), (3, 1, 1), (3, 2, 0))


@dataclass
class Story:
    """A log that grows. Keys are any small values; `None` is no key."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    records: list[tuple[int, int, int, bool]] = field(default_factory=list)
    bases: list[int] = field(default_factory=lambda: [0])
    modified_ms: list[int] = field(default_factory=lambda: [0])
    aborted: list[AbortedTxn] = field(default_factory=list)
    names: dict[Value, int] = field(default_factory=dict)
    open: dict[int, int] = field(default_factory=dict)
    next: int = 0

    def data(
        self, *keys: Value | None, pid: int = -1, epoch: int = 0, null: bool = False, **batch: Any
    ) -> Story:
        """A batch of records, tombstones if `null`, in a transaction if `pid` has one open."""
        number = len(self.rows)
        for delta, key in enumerate(keys):
            known = NO_KEY if key is None else self.names.setdefault(key, len(self.names))
            self.records.append((self.next + delta, number, known, null))
        is_open = pid in self.open
        return self._add(len(keys), pid, epoch, DATA, is_open, **batch)

    def txn(self, pid: int, *keys: Value, epoch: int = 0) -> Story:
        """A batch of a transaction, which it opens if it must."""
        self.open.setdefault(pid, self.next)
        return self.data(*keys, pid=pid, epoch=epoch)

    def commit(self, pid: int, epoch: int = 0) -> Story:
        """The COMMIT marker."""
        self.open.pop(pid, None)
        return self._marker(pid, epoch, COMMIT)

    def abort(self, pid: int, epoch: int = 0) -> Story:
        """The ABORT marker, with its entry in the index."""
        first = self.open.pop(pid, None)
        if first is not None:
            others = min(self.open.values(), default=self.next + 1)
            self.aborted.append(AbortedTxn(pid, first, self.next, others))
        return self._marker(pid, epoch, ABORT)

    def roll(self, modified_ms: int = 0) -> Story:
        """A new segment."""
        self.bases.append(self.next)
        self.modified_ms.append(modified_ms)
        return self

    def log(self) -> Log:
        """As it is now."""
        columns = {name: np.array([row[name] for row in self.rows]) for name in self.rows[0]}
        record = np.array(self.records, np.int64).reshape(-1, 4)
        sizes = np.bincount(columns["segment"], weights=columns["size_bytes"], minlength=len(self.bases))
        bases = np.array(self.bases, np.int64)
        return Log(
            Batches(**columns),
            Records(record[:, 0], record[:, 1], record[:, 2], record[:, 3].astype(bool)),
            Segments(
                bases, sizes.astype(np.int64), np.zeros_like(bases), np.array(self.modified_ms, np.int64)
            ),
            tuple(self.aborted),
        )

    def after(self, log: Log) -> Story:
        """The story goes on behind a log that was cleaned."""
        rows = [
            {name: column[n].item() for name, column in vars(log.batches).items()}
            for n in range(len(log.batches))
        ]
        columns = (log.records.offset, log.records.batch, log.records.key, log.records.is_null)
        self.rows, self.records = rows, list(zip(*(column.tolist() for column in columns), strict=True))
        self.bases, self.modified_ms = log.segments.base_offset.tolist(), log.segments.modified_ms.tolist()
        self.aborted = list(log.aborted)
        return self

    def _marker(self, pid: int, epoch: int, control: int) -> Story:
        self.records.append((self.next, len(self.rows), NO_KEY, False))
        return self._add(1, pid, epoch, control, True)

    def _add(self, many: int, pid: int, epoch: int, control: int, transactional: bool, **batch: Any) -> Story:
        self.rows.append(
            {
                "base_offset": self.next,
                "last_offset": self.next + many - 1,
                "magic": 2,
                "producer_id": pid,
                "producer_epoch": epoch if pid >= 0 else -1,
                "is_transactional": transactional,
                "control": control,
                "horizon_ms": NO_HORIZON,
                "size_bytes": 61 + 10 * many,
                "segment": len(self.bases) - 1,
                **batch,
            }
        )
        self.next += many
        return self


def behaviour_of(version: str) -> Behaviour:
    """The behaviour of a broker of this version, such as `2.8.1`."""
    number = tuple(int(part) for part in version.split("."))
    same_line = [fixed for fixed in FIXED_13727 if fixed[:2] == number[:2]]
    is_fixed = number >= (same_line or FIXED_13727[-1:])[0]
    return Behaviour(number >= (3, 1), number >= (4, 0), number >= (0, 11) and not is_fixed)


def modified(log: Log, modified_ms: dict[int, int]) -> Log:
    """The same log with the segments' files changed at these times, by base offset."""
    times = [
        modified_ms.get(int(base), known)
        for base, known in zip(log.segments.base_offset, log.segments.modified_ms, strict=True)
    ]
    return replace(log, segments=replace(log.segments, modified_ms=np.array(times, np.int64)))


def offsets(log: Log) -> list[int]:
    """Offsets of the records."""
    return log.records.offset.tolist()


def bases(log: Log) -> list[int]:
    """Base offsets of the batches."""
    return log.batches.base_offset.tolist()


def ends(log: Log) -> list[int]:
    """Last offsets of the batches."""
    return log.batches.last_offset.tolist()


def emptied_markers(log: Log) -> list[int]:
    """Last offsets of control batches without records."""
    return log.batches.last_offset[log.batches.control == EMPTY_CONTROL].tolist()
