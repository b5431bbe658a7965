"""Which part of a log is dirty, where the next cleaning ends, and whether it is due.

Source: Kafka `LogCleanerManager.cleanableOffsets`, `LogToClean`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spark.cleaner.log import Log


@dataclass(frozen=True)
class Bounds:
    """The dirty part: from the first dirty offset to the base of a segment, and its bytes."""

    first_dirty_offset: int
    first_uncleanable_offset: int
    clean_bytes: int
    cleanable_bytes: int
    earliest_dirty_ms: int

    @property
    def dirty_ratio(self) -> float:
        """Share of dirty bytes in what could be cleaned."""
        total = self.clean_bytes + self.cleanable_bytes
        return self.cleanable_bytes / total if total else 0.0

    def is_due(
        self, now_ms: int, min_dirty_ratio: float = 0.5, max_lag_ms: int = np.iinfo(np.int64).max
    ) -> bool:
        """Whether the cleaner would take this log: dirty enough, or waiting for too long."""
        is_late = self.cleanable_bytes > 0 and now_ms - self.earliest_dirty_ms > max_lag_ms
        return self.dirty_ratio > min_dirty_ratio or is_late


def bounds_of(
    log: Log,
    *,
    checkpoint: int | None = None,
    log_start_offset: int = 0,
    last_stable_offset: int | None = None,
    high_watermark: int | None = None,
    now_ms: int = 0,
    min_lag_ms: int = 0,
) -> Bounds:
    """The dirty part of a log, as its checkpoint and these offsets leave it."""
    dirty = log_start_offset if checkpoint is None else checkpoint
    if not log_start_offset <= dirty <= log.end_offset:
        dirty = log_start_offset
    bases = log.segments.base_offset
    active = int(bases[-1])
    limits = [active, *(offset for offset in (last_stable_offset, high_watermark) if offset is not None)]
    if min_lag_ms > 0:
        young = (log.segments.modified_ms > now_ms - min_lag_ms) & (bases < active)
        young &= np.arange(len(bases)) >= log.segments.holding(dirty)
        limits += [int(base) for base in bases[young][:1]]
    stop = max(dirty, min(limits))
    end = active if stop >= active else int(bases[log.segments.holding(stop)])
    sizes = log.segments.size_bytes
    inside = (bases >= min(bases[log.segments.holding(dirty)], end)) & (bases < end)
    first = log.segments.modified_ms[inside][:1]
    return Bounds(
        dirty,
        end,
        int(sizes[bases < dirty].sum()),
        int(sizes[inside].sum()),
        int(first[0]) if len(first) else 0,
    )
