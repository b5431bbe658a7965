"""The offset map: the newest offset of each key in the dirty part, as far as the map has room.

Source: Kafka `Cleaner.buildOffsetMap`, `SkimpyOffsetMap`. A full map ends a cleaning anywhere, even within a batch:
when the next keyed record comes and no slot is free, also when that very key is in the map.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spark.cleaner.log import DATA, NO_KEY, AbortedTxn, Log
from spark.cleaner.transactions import Transactions


@dataclass(frozen=True)
class OffsetMap:
    """The newest offset by key number (-1: the map does not hold it), and how far the log was read."""

    newest: np.ndarray
    latest_offset: int


def build_offset_map(log: Log, start: int, end: int, usable: int) -> OffsetMap:
    """Read the segments from the one that holds `start` to `end`. `usable`: keys that fit into the map."""
    batches, records = log.batches, log.records
    bases = log.segments.base_offset
    first_segment = log.segments.holding(start)
    in_reach = (batches.segment >= first_segment) & (bases[batches.segment] < end)
    is_aborted = aborted_batches(log, np.flatnonzero(in_reach), start, end)
    mapped = in_reach & (batches.control == DATA) & ~is_aborted
    keyed = np.flatnonzero(mapped[records.batch] & (records.key != NO_KEY) & (records.offset >= start))
    keys = records.key[keyed]
    newest = np.full(int(records.key.max(initial=-1)) + 1, -1, np.int64)
    count = records_until_full(keys, usable, len(newest))
    newest[keys[:count]] = records.offset[keyed[:count]]
    if count == len(keyed):
        return OffsetMap(newest, last_read(log, end))
    batch = int(records.batch[keyed[count]])
    latest = max(int(newest.max(initial=-1)), last_read_before(log, batch, start, first_segment))
    return OffsetMap(newest, latest)


def records_until_full(keys: np.ndarray, usable: int, distinct: int) -> int:
    """How many records with these keys, numbers below `distinct`, go into the map before it is full."""
    if not usable:
        return 0
    first_record = np.full(distinct, len(keys), np.int64)
    np.minimum.at(first_record, keys, np.arange(len(keys)))
    new_keys = np.sort(first_record[first_record < len(keys)])
    if len(new_keys) < usable:
        return len(keys)
    return int(new_keys[usable - 1]) + 1


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


def collected(log: Log, start: int, upper: int) -> list[AbortedTxn]:
    """Index entries from the segment that holds `start` on, of transactions that begin below `upper`."""
    base = int(log.segments.base_offset[log.segments.holding(start)])
    return [entry for entry in log.aborted if entry.last_offset >= base and entry.first_offset < upper]


def last_read(log: Log, end: int) -> int:
    """The last offset that was read when everything below `end` was: up to the next segment, gaps included."""
    bases = log.segments.base_offset
    batch_ends = log.batches.last_offset[bases[log.batches.segment] < end]
    later_bases = bases[bases >= end]
    last_offset = int(batch_ends[-1]) if len(batch_ends) else -1
    segment_end = int(later_bases[0]) - 1 if len(later_bases) else -1
    return max(last_offset, segment_end)


def last_read_before(log: Log, batch: int, start: int, first_segment: int) -> int:
    """The last offset of the batches and whole segments read before this batch; `first_segment`: the first that was read."""
    segment = int(log.batches.segment[batch])
    segment_end = int(log.segments.base_offset[segment]) - 1 if segment > first_segment else -1
    if not batch or log.batches.segment[batch - 1] < first_segment:
        return segment_end
    last_offset = int(log.batches.last_offset[batch - 1])
    return max(segment_end, last_offset) if last_offset >= start else segment_end
