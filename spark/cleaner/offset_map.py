"""The offset map: the newest offset of each key in the dirty part, as far as the map has room.

Source: Kafka `Cleaner.buildOffsetMap`, `SkimpyOffsetMap`. A full map ends a cleaning anywhere, even within a batch:
when the next keyed record comes and no slot is free, also when that very key is in the map.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spark.cleaner.log import DATA, NO_KEY, Log
from spark.cleaner.transactions import Transactions

BYTES_PER_SLOT = 24  # 16 of the MD5 of the key, 8 of its offset


@dataclass(frozen=True)
class OffsetMap:
    """The newest offset by key number (-1: the map does not hold it), and how far the log was read."""

    newest: np.ndarray
    latest_offset: int
    is_full: bool


def usable_slots(dedupe_buffer_bytes: int, threads: int = 1, load_factor: float = 0.9) -> int:
    """Keys that the map of one cleaner thread may hold."""
    slots = min(dedupe_buffer_bytes // threads, 2**31 - 1) // BYTES_PER_SLOT
    return int(slots * load_factor)


def build_offset_map(log: Log, start: int, end: int, usable: int) -> OffsetMap:
    """Read the segments from the one that holds `start` to `end`."""
    batches, records = log.batches, log.records
    bases = log.segments.base_offset
    first_segment = log.segments.holding(start)
    in_reach = (batches.segment >= first_segment) & (bases[batches.segment] < end)
    mapped = (
        in_reach & (batches.control == DATA) & ~aborted_batches(log, np.flatnonzero(in_reach), start, end)
    )
    chosen = np.flatnonzero(mapped[records.batch] & (records.key != NO_KEY) & (records.offset >= start))
    keys = records.key[chosen]
    stop = full_at(keys, usable, int(records.key.max(initial=-1)) + 1)
    newest = np.full(int(records.key.max(initial=-1)) + 1, -1, np.int64)
    newest[keys[:stop]] = records.offset[chosen[:stop]]
    is_full = stop < len(chosen)
    if not is_full:
        return OffsetMap(newest, reached(log, end, len(batches)), False)
    batch = int(records.batch[chosen[stop]])
    latest = max(int(newest.max(initial=-1)), reached_before(log, batch, start, first_segment))
    return OffsetMap(newest, latest, True)


def full_at(keys: np.ndarray, usable: int, distinct: int) -> int:
    """How many of these records go into the map before it is full."""
    first = np.full(distinct, -1, np.int64)
    first[keys[::-1]] = np.arange(len(keys))[
        ::-1
    ]  # of equal keys the last assignment stands: the first record
    new_keys = np.sort(first[first >= 0])
    return len(keys) if len(new_keys) < usable else int(new_keys[usable - 1]) + 1 if usable else 0


def aborted_batches(log: Log, rows: np.ndarray, start: int, end: int) -> np.ndarray:
    """Which batches hold data of aborted transactions, going by the index of the part to be mapped."""
    found = np.zeros(len(log.batches), bool)
    transactions = Transactions()
    transactions.add(collected(log, start, end))
    for row, control, producer_id, last_offset in transactional(log, rows):
        if control == DATA:
            found[row] = transactions.on_data(producer_id, last_offset)
        else:
            transactions.on_control(control, producer_id, last_offset)
    return found


def transactional(log: Log, rows: np.ndarray) -> zip[tuple[int, int, int, int]]:
    """Row, control, producer and last offset of the transactional and control batches among these rows."""
    batches = log.batches
    chosen = rows[batches.is_transactional[rows] | (batches.control[rows] != DATA)]
    columns = (batches.control, batches.producer_id, batches.last_offset)
    return zip(chosen.tolist(), *(column[chosen].tolist() for column in columns), strict=True)


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
