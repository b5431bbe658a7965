"""What the model says that cleanings of a log remove when neither their clock nor their retention is known.

At the least: no delete and no marker is due but those whose horizon lies before the newest append below the cleaner's
point. At the most: all are due. With KAFKA-13727: what small offset maps do to aborted transactions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from spark.cleaner.clean import Behaviour, Settings, clean
from spark.cleaner.log import DATA, NO_KEY, Log
from spark.cleaner.offset_map import aborted_batches
from spark.compare.uncleaned import Uncleaned, split_at

FOREVER_MS = 2**60
EVERY_KEY = 2**31 - 1  # slots of the offset map
MAX_PASSES = 64
MAX_SUSPECTS = 5  # aborted transactions for which the defect is tried


@dataclass(frozen=True)
class CleaningLimits:
    """Offsets that cleanings remove: at the least, at the most up to the cleaner's point, at the most at all."""

    must: np.ndarray
    may: np.ndarray
    may_anywhere: np.ndarray


def limits_of(uncleaned: Uncleaned, clock_ms: int | None, dirty: int, point: int) -> CleaningLimits:
    """What cleaners remove, up to `point` and anywhere; `clock_ms`: delete horizons up to then are over."""
    low, high = borders(uncleaned.log, point)
    return CleaningLimits(
        removed_at_least(uncleaned.log, clock_ms, dirty, low),
        removed_at_most(uncleaned.with_aborted, high),
        removed_at_most(uncleaned.with_aborted, uncleaned.log.end_offset),
    )


def borders(log: Log, point: int) -> tuple[int, int]:
    """The point itself; where it is within a batch (the offset map was full there), the offsets around that batch."""
    inside = np.flatnonzero((log.batches.base_offset < point) & (log.batches.last_offset >= point))
    if not len(inside):
        return point, point
    return int(log.batches.base_offset[inside[0]]), int(log.batches.last_offset[inside[-1]]) + 1


def removed_at_least(log: Log, clock_ms: int | None, dirty: int, end: int) -> np.ndarray:
    """By one cleaning before which no segment is old enough; without a clock there are no horizons either."""
    if end <= dirty:
        return log.records.offset[:0]
    behaviour = Behaviour(has_delete_horizon=clock_ms is not None)
    settings = Settings(behaviour, delete_retention_ms=FOREVER_MS, usable_slots=EVERY_KEY)
    cleaned = clean(changed_at(split_at(log, end), 1), settings, clock_ms or 0, dirty, end)
    return log.records.offset[~cleaned.retained]


def removed_at_most(log: Log, end: int) -> np.ndarray:
    """By cleanings one after the other when everything is due: the same in all versions."""
    settings = Settings(Behaviour(has_delete_horizon=False), delete_retention_ms=0, usable_slots=EVERY_KEY)
    now, dirty, is_done = split_at(changed_at(log, 0), end), 0, False
    while not is_done:
        cleaned = clean(now, settings, 0, dirty, end)
        is_done = bool(cleaned.retained.all()) and dirty > 0
        now, dirty = split_at(changed_at(cleaned.log, 0), end), end
    return np.setdiff1d(log.records.offset, now.records.offset, assume_unique=True)


def changed_at(log: Log, modified_ms: int) -> Log:
    """The log with all its files changed at one time: ages tell nothing."""
    times = np.full_like(log.segments.modified_ms, modified_ms)
    return replace(log, segments=replace(log.segments, modified_ms=times))


def of_small_maps(log: Log, behaviour: Behaviour, dirty: int, point: int) -> Iterator[np.ndarray]:
    """What cleanings remove whose offset map is full just before an aborted transaction begins."""
    is_aborted = aborted_batches(log, np.arange(len(log.batches)), dirty, point)
    mapped = ((log.batches.control == DATA) & ~is_aborted)[log.records.batch]
    mapped &= (log.records.key != NO_KEY) & (log.records.offset >= dirty)
    for entry in [txn for txn in log.aborted if dirty < txn.first_offset < point][:MAX_SUSPECTS]:
        keys = len(np.unique(log.records.key[mapped & (log.records.offset < entry.first_offset)]))
        if keys > 1:
            yield removed_by_passes(log, behaviour, dirty, point, keys - 1)


def removed_by_passes(log: Log, behaviour: Behaviour, dirty: int, point: int, slots: int) -> np.ndarray:
    """By cleanings up to `point`, when no delete and no marker is due."""
    settings = Settings(behaviour, delete_retention_ms=FOREVER_MS, usable_slots=slots)
    now = split_at(changed_at(log, 1), point)
    for _ in range(MAX_PASSES):
        cleaned = clean(now, settings, 0, dirty, point)
        now, dirty = changed_at(cleaned.log, 1), cleaned.first_dirty_offset
        if dirty >= point:
            break
    return np.setdiff1d(log.records.offset, now.records.offset, assume_unique=True)
