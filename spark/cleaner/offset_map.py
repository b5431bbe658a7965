"""The offset map: the newest offset of each key in the dirty part, as far as the map has room.

Source: Kafka `Cleaner.buildOffsetMap`, `SkimpyOffsetMap`. A full map ends a cleaning anywhere, even within a batch:
when the next keyed record comes and no slot is free, also when that very key is in the map.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spark.cleaner.log import DATA, NO_KEY, Log
from spark.cleaner.transactions import Transactions


@dataclass(frozen=True)
class OffsetMap:
    """The newest offset by key number (-1: the map does not hold it), and how far the log was read."""

    newest: np.ndarray
    latest_offset: int


def build_offset_map(log: Log, start: int, end: int, usable: int) -> OffsetMap:
    """Read the segments from the one that holds `start` to `end`."""
    batches, records = log.batches, log.records
    bases = log.segments.base_offset
    first_segment = log.segments.holding(start)
    in_reach = (batches.segment >= first_segment) & (bases[batches.segment] < end)
    is_aborted = aborted_batches(log, np.flatnonzero(in_reach), start, end)
    mapped = in_reach & (batches.control == DATA) & ~is_aborted
    chosen = np.flatnonzero(mapped[records.batch] & (records.key != NO_KEY) & (records.offset >= start))
    keys = records.key[chosen]
    stop = full_at(keys, usable, int(records.key.max(initial=-1)) + 1)
    newest = np.full(int(records.key.max(initial=-1)) + 1, -1, np.int64)
    newest[keys[:stop]] = records.offset[chosen[:stop]]
    if stop == len(chosen):
        return OffsetMap(newest, reached(log, end, len(batches)))
    batch = int(records.batch[chosen[stop]])
    latest = max(int(newest.max(initial=-1)), reached_before(log, batch, start, first_segment))
    return OffsetMap(newest, latest)


def full_at(keys: np.ndarray, usable: int, distinct: int) -> int:
    """How many of these records go into the map before it is full."""
    first = np.full(distinct, -1, np.int64)
    first[keys[::-1]] = np.arange(len(keys))[
        ::-1
    ]  # of equal keys the last assignment stands: the first record
    new_keys = np.sort(first[first >= 0])
    return len(keys) if len(new_keys) < usable else int(new_keys[usable - 1]) + 1 if usable else 0


def aborted_batches(log: Log, rows: np.ndarray, start: int, end: int) -> np.ndarray:
    """Which of these batches hold data of aborted transactions, going by the index of the part to be mapped."""
    transactions = Transactions()
    transactions.add(collected(log, start, end))
    can_discard = np.zeros(len(log.batches), bool)
    mark_discardable(log, rows, transactions, can_discard)
    return can_discard & (log.batches.control == DATA)


def mark_discardable(log: Log, rows: np.ndarray, transactions: Transactions, can_discard: np.ndarray) -> None:
    """Read these batches in order and mark the aborted data, and the markers that nothing needs, among them."""
    batches = log.batches
    chosen = rows[batches.is_transactional[rows] | (batches.control[rows] != DATA)]
    columns = (batches.control, batches.producer_id, batches.last_offset)
    for row, *batch in zip(chosen.tolist(), *(column[chosen].tolist() for column in columns), strict=True):
        can_discard[row] = transactions.read(*batch)


def collected(log: Log, start: int, upper: int) -> list:  # type: ignore[type-arg]
    """Index entries from the segment that holds `start` on, of transactions that begin below `upper`."""
    base = int(log.segments.base_offset[log.segments.holding(start)])
    return [entry for entry in log.aborted if entry.last_offset >= base and entry.first_offset < upper]


def reached(log: Log, end: int, before: int) -> int:
    """The last offset of what was read when everything below `end` was: up to the next segment, gaps included."""
    last = log.batches.last_offset[:before][log.segments.base_offset[log.batches.segment[:before]] < end]
    later = log.segments.base_offset[log.segments.base_offset >= end]
    return max(int(last[-1]) if len(last) else -1, int(later[0]) - 1 if len(later) else -1)


def reached_before(log: Log, batch: int, start: int, first_segment: int) -> int:
    """The last offset of the batches and whole segments read before this batch."""
    segment = int(log.batches.segment[batch])
    jumped = int(log.segments.base_offset[segment]) - 1 if segment > first_segment else -1
    last = int(log.batches.last_offset[batch - 1]) if batch else -1
    same = batch > 0 and log.batches.segment[batch - 1] >= first_segment
    return max(jumped, last if same and last >= start else -1)
