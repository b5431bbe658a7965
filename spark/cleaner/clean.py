"""One pass of the log cleaner.

Segments below the end of the offset map are read in groups that fit one segment; each batch is kept as it is, thinned
out, emptied (when it holds the last sequence of its producer) or dropped. Source: Kafka `Cleaner.doClean`,
`cleanSegments`, `MemoryRecords.filterTo`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from spark.cleaner.log import (
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
from spark.cleaner.offset_map import OffsetMap, build_offset_map, collected, mark_discardable
from spark.cleaner.transactions import Transactions

EMPTY_BATCH_BYTES = 61
MAX_OFFSETS = 2**31 - 1  # an index counts offsets from its segment's base in 32 bits


@dataclass(frozen=True)
class Behaviour:
    """How a broker cleans, by its version.

    has_delete_horizon     from 3.1 (KIP-534): tombstones and markers go by a time written into their batch; before, by
                           the age of their segment
    keeps_last_batch       from 4.0 (KAFKA-17076): the last batch of the cleaned part stays, emptied
    loses_aborted          KAFKA-13727: of the last segment only transactions that begin in the mapped part are taken
                           for aborted
    """

    has_delete_horizon: bool = True
    keeps_last_batch: bool = False
    loses_aborted: bool = False


@dataclass(frozen=True)
class Settings:
    """Settings of broker and topic; `usable_slots` is how many keys the offset map may hold."""

    behaviour: Behaviour = field(default_factory=Behaviour)
    delete_retention_ms: int = 86_400_000
    segment_bytes: int = 1 << 30
    index_bytes: int = 10 << 20
    usable_slots: int = 5_033_164  # 128 MiB of dedupe buffer, 24 bytes a slot, load factor 0.9


@dataclass(frozen=True)
class CleanedLog:
    """The log after a pass; `retained`: which of the records before it are still there."""

    log: Log
    first_dirty_offset: int
    retained: np.ndarray


def clean(log: Log, settings: Settings, now_ms: int, first_dirty: int, end: int) -> CleanedLog:
    """`end`: the first uncleanable offset."""
    offsets = build_offset_map(log, first_dirty, end, settings.usable_slots)
    dirty_after = max(first_dirty, offsets.latest_offset + 1)
    segments = np.flatnonzero(log.segments.base_offset < offsets.latest_offset + 1)
    groups = grouped(log.segments, segments, settings)
    is_read = log.batches.segment < len(segments)
    can_discard, index = discardable(log, groups, offsets, settings.behaviour)
    drops, retains_deletes = by_age(log, settings, can_discard, now_ms, first_dirty)
    retained = retained_records(log, offsets, is_read, drops, retains_deletes)
    remaining = np.bincount(log.records.batch[retained], minlength=len(log.batches))
    stays = ~is_read | (remaining > 0) | keeps_empty(log, settings.behaviour, end)
    horizon = horizons(log, settings.behaviour, retained, remaining, can_discard, is_read)
    batches = rewritten(log, is_read, remaining, horizon, now_ms + settings.delete_retention_ms)
    later = tuple(entry for entry in log.aborted if not is_below(entry, log.segments, len(segments)))
    after = rebuilt(log, batches, retained, stays, groups, (*index, *later))
    return CleanedLog(after, dirty_after, retained)


def is_below(entry: AbortedTxn, segments: Segments, read: int) -> bool:
    """Whether the entry is in the index of one of the first `read` segments."""
    return read == len(segments) or entry.last_offset < segments.base_offset[read]


def grouped(segments: Segments, rows: np.ndarray, settings: Settings) -> list[list[int]]:
    """Rows of the segments that become one, in order."""
    groups: list[list[int]] = []
    size = index = 0
    for row in rows.tolist():
        size += int(segments.size_bytes[row])
        index += int(segments.index_bytes[row])
        fits = groups and size <= settings.segment_bytes and index <= settings.index_bytes
        if fits and spans(segments, groups[-1][0], row) <= MAX_OFFSETS:
            groups[-1].append(row)
        else:
            groups.append([row])
            size, index = int(segments.size_bytes[row]), int(segments.index_bytes[row])
    return groups


def spans(segments: Segments, first: int, last: int) -> int:
    """Offsets between the base of one segment and the end of another."""
    after = last + 1 if last + 1 < len(segments) else last
    return int(segments.base_offset[after] - segments.base_offset[first])


def discardable(
    log: Log, groups: list[list[int]], offsets: OffsetMap, behaviour: Behaviour
) -> tuple[np.ndarray, list[AbortedTxn]]:
    """Batches of aborted data and markers that nothing needs, and the index entries that are written again."""
    can_discard = np.zeros(len(log.batches), bool)
    transactions = Transactions()
    edges = np.searchsorted(log.batches.segment, np.arange(len(log.segments) + 1))
    for group in groups:
        for segment in group:
            upper = upper_bound(log, segment, segment == group[-1], offsets, behaviour)
            transactions.add(collected(log, int(log.segments.base_offset[segment]), upper))
            mark_discardable(log, np.arange(edges[segment], edges[segment + 1]), transactions, can_discard)
    return can_discard, transactions.retained


def upper_bound(log: Log, segment: int, is_last: bool, offsets: OffsetMap, behaviour: Behaviour) -> int:
    """Up to where aborted transactions are asked for when a segment is copied."""
    if is_last and behaviour.loses_aborted:
        return offsets.latest_offset + 1
    is_newest = segment + 1 == len(log.segments)
    return log.end_offset if is_newest else int(log.segments.base_offset[segment + 1])


def by_age(
    log: Log, settings: Settings, can_discard: np.ndarray, now_ms: int, first_dirty: int
) -> tuple[np.ndarray, np.ndarray]:
    """Batches of which every record goes, and batches of which tombstones may still stay."""
    batches, segments = log.batches, log.segments
    cleaned = np.flatnonzero(segments.base_offset < first_dirty)
    limit_ms = int(segments.modified_ms[cleaned[-1]]) - settings.delete_retention_ms if len(cleaned) else 0
    is_young = segments.modified_ms[batches.segment] > limit_ms
    if not settings.behaviour.has_delete_horizon:
        return can_discard & ((batches.control == DATA) | ~is_young), is_young
    has_horizon = batches.horizon_ms != NO_HORIZON
    is_over = has_horizon & (batches.horizon_ms <= now_ms)
    return can_discard & ((batches.control == DATA) | is_over), np.where(
        batches.magic < 2, is_young, ~is_over
    )


def retained_records(
    log: Log, offsets: OffsetMap, is_read: np.ndarray, drops: np.ndarray, retains_deletes: np.ndarray
) -> np.ndarray:
    records = log.records
    batch = records.batch
    newest = np.r_[offsets.newest, np.int64(-1)][records.key]  # NO_KEY takes the last
    is_newest = (records.key != NO_KEY) & (records.offset >= newest)
    stays = is_newest & (~records.is_null | retains_deletes[batch])
    stays |= (records.offset > offsets.latest_offset) | (log.batches.control != DATA)[batch]
    return np.asarray(~is_read[batch] | (stays & ~drops[batch]))


def keeps_empty(log: Log, behaviour: Behaviour, end: int) -> np.ndarray:
    """Batches that stay even without records: the last of their producer, from 4.0 on the last of the cleaned part."""
    batches = log.batches
    is_last = last_of_producers(batches)
    return is_last | (batches.last_offset + 1 == end) if behaviour.keeps_last_batch else is_last


def last_of_producers(batches: Batches) -> np.ndarray:
    """The last data batch of each producer's current epoch; its markers where that epoch has no data."""
    is_last = np.zeros(len(batches), bool)
    rows = np.flatnonzero((batches.producer_id >= 0) & (batches.control != EMPTY_CONTROL))
    every = np.flatnonzero(batches.producer_id >= 0)
    if not len(every):
        return is_last
    _, number = np.unique(batches.producer_id, return_inverse=True)
    many = int(number.max()) + 1
    epoch = np.full(many, -1, np.int64)
    epoch[number[every]] = batches.producer_epoch[every]
    epoch[number[rows]] = batches.producer_epoch[rows]
    current = every[batches.producer_epoch[every] == epoch[number[every]]]
    data = current[batches.control[current] == DATA]
    last_data = np.full(many, -1, np.int64)
    last_data[number[data]] = batches.last_offset[data]
    is_last[data] = batches.last_offset[data] == last_data[number[data]]
    markers = current[batches.control[current] != DATA]
    is_last[markers] = last_data[number[markers]] < 0
    return is_last


def horizons(
    log: Log,
    behaviour: Behaviour,
    retained: np.ndarray,
    remaining: np.ndarray,
    can_discard: np.ndarray,
    is_read: np.ndarray,
) -> np.ndarray:
    """Batches that get a delete horizon in this pass: with tombstones left, or markers that nothing needs."""
    batches = log.batches
    if not behaviour.has_delete_horizon:
        return np.zeros(len(batches), bool)
    is_data = batches.control == DATA
    tombstones = log.records.batch[retained & log.records.is_null]
    holds = np.bincount(tombstones, minlength=len(batches)) > 0
    wants = (holds & is_data) | (~is_data & can_discard)
    is_bare = (batches.horizon_ms == NO_HORIZON) & (batches.magic >= 2)
    return np.asarray(is_read & wants & is_bare & (remaining > 0))


def rewritten(
    log: Log, is_read: np.ndarray, remaining: np.ndarray, horizon: np.ndarray, horizon_ms: int
) -> Batches:
    """The batches with their new horizons; sizes of thinned ones are an estimate."""
    batches = log.batches
    counts = np.bincount(log.records.batch, minlength=len(batches))
    is_empty = is_read & (remaining == 0)
    share = np.divide(remaining, counts, out=np.zeros(len(batches)), where=counts > 0)
    sizes = EMPTY_BATCH_BYTES + np.rint((batches.size_bytes - EMPTY_BATCH_BYTES) * share).astype(np.int64)
    times = np.where(horizon, horizon_ms, np.where(is_empty, NO_HORIZON, batches.horizon_ms))
    control = np.where(is_empty & (batches.control != DATA), EMPTY_CONTROL, batches.control)
    size_bytes = np.where(is_read & (remaining < counts), sizes, batches.size_bytes)
    return replace(batches, horizon_ms=times, control=control, size_bytes=size_bytes)


def rebuilt(
    log: Log,
    batches: Batches,
    retained: np.ndarray,
    stays: np.ndarray,
    groups: list[list[int]],
    aborted: tuple[AbortedTxn, ...],
) -> Log:
    """The log with its rows numbered anew and its segments merged by group."""
    read = sum(len(group) for group in groups)
    target = np.arange(len(log.segments)) - read + len(groups)
    for number, group in enumerate(groups):
        target[group] = number
    rest = np.arange(read, len(log.segments))
    segments = log.segments.take(np.r_[[group[0] for group in groups], rest].astype(np.int64))
    newest = np.r_[[group[-1] for group in groups], rest].astype(np.int64)
    batches = replace(batches, segment=target[batches.segment]).take(np.flatnonzero(stays))
    sizes = np.bincount(batches.segment, weights=batches.size_bytes, minlength=len(segments)).astype(np.int64)
    row_after = np.cumsum(stays) - 1
    records = log.records.take(np.flatnonzero(retained))
    return Log(
        batches,
        Records(records.offset, row_after[records.batch], records.key, records.is_null),
        replace(segments, size_bytes=sizes, modified_ms=log.segments.modified_ms[newest]),
        aborted,
    )
