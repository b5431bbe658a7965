"""Gaps for a chart: those that overlap a window of offsets and are wide enough to be seen.

Gaps that compaction left may be as many as records; a gap with another cause is drawn however narrow it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from webapp.reports.results import WHERE_REPLICA, PartitionResults, Rows, remembered

GAPS_DRAWN = 300
FEW_GAPS = 10  # of a log with more, those that compaction left stand at no record
PIXELS = (
    1500  # a gap narrower than the window's share of one pixel shows as nothing, many such as one big gap
)
OF_COMPACTION = ("compaction", "likely compaction")
OVERLAPPING = f"""
SELECT first_offset, last_offset, cause, proof, last_offset - first_offset + 1 AS offsets
FROM gaps WHERE {WHERE_REPLICA} AND last_offset >= $first AND first_offset <= $last
AND (last_offset - first_offset + 1 >= ($last - $first) / {PIXELS} OR cause NOT IN {OF_COMPACTION})
ORDER BY offsets DESC, first_offset LIMIT {GAPS_DRAWN}
"""
EVERY = f"SELECT cause, first_offset, last_offset FROM gaps WHERE {WHERE_REPLICA} ORDER BY first_offset"


@dataclass(frozen=True)
class GapsInWindow:
    """Gaps to draw, in order, and the number of all."""

    drawn: Rows
    gaps: int
    offsets: int


def gaps_between(partition: PartitionResults, first: int, last: int) -> GapsInWindow:
    causes, firsts, lasts = _overlapping(partition, first, last)
    offsets = lasts - firsts + 1
    if not ((offsets >= (last - first) / PIXELS) | (~np.isin(causes, OF_COMPACTION))).any():
        return GapsInWindow([], len(offsets), int(offsets.sum()))
    rows = partition.rows(OVERLAPPING, {"first": first, "last": last})
    return GapsInWindow(sorted(rows, key=lambda gap: gap["first_offset"]), len(offsets), int(offsets.sum()))


def missing_between(partition: PartitionResults, first: int, last: int) -> dict[str, tuple[Any, Any]]:
    """By cause: first and last offsets of all gaps, clipped to the bounds."""
    causes, firsts, lasts = _overlapping(partition, first, last)
    firsts, lasts = np.maximum(firsts, first), np.minimum(lasts, last)
    return {cause: (firsts[causes == cause], lasts[causes == cause]) for cause in sorted(set(causes))}


def _overlapping(partition: PartitionResults, first: int, last: int) -> tuple[Any, Any, Any]:
    """Causes, first and last offsets of the gaps in a window: gaps of a partition never overlap each other."""
    causes, firsts, lasts = _every(partition)
    begin, end = np.searchsorted(lasts, first), np.searchsorted(firsts, last, side="right")
    return causes[begin:end], firsts[begin:end], lasts[begin:end]


@remembered
def _every(partition: PartitionResults) -> tuple[Any, Any, Any]:
    """All gaps of a partition, read once where they fit into the memory of answers."""
    columns = partition.columns(EVERY)
    firsts, lasts = (
        np.ma.filled(columns[name], -1).astype(np.int64) for name in ("first_offset", "last_offset")
    )
    return np.ma.filled(columns["cause"], "").astype(object), firsts, lasts


def gaps_before(partition: PartitionResults, offsets: Iterable[int]) -> dict[int, tuple[str, int, int]]:
    """By offset of a record: cause, first and last offset of the gap that ends before it."""
    causes, firsts, lasts = _every(partition)
    is_few = len(lasts) <= FEW_GAPS
    before = {}
    for offset in offsets:
        at = int(np.searchsorted(lasts, offset - 1))
        is_here = at < len(lasts) and lasts[at] == offset - 1
        if is_here and (is_few or causes[at] not in OF_COMPACTION):
            before[offset] = (str(causes[at]), int(firsts[at]), int(lasts[at]))
    return before


def gap_at(partition: PartitionResults, offset: int) -> dict[str, object] | None:
    return partition.row(OVERLAPPING, {"first": offset, "last": offset})
