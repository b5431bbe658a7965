"""Gaps for a chart: those that overlap a window of offsets and are wide enough to be seen.

Gaps that compaction left may be as many as records; a gap with another cause is drawn however narrow it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from webapp.reports.results import WHERE_REPLICA, PartitionReplica, Results, Rows

GAPS_DRAWN = 300
PIXELS = (
    1500  # a gap narrower than the window's share of one pixel shows as nothing, many such as one big gap
)
OVERLAPPING = f"""
SELECT first_offset, last_offset, cause, proof, last_offset - first_offset + 1 AS offsets
FROM gaps WHERE {WHERE_REPLICA} AND last_offset >= $first AND first_offset <= $last
AND (last_offset - first_offset + 1 >= ($last - $first) / {PIXELS} OR cause <> 'compaction')
ORDER BY offsets DESC, first_offset LIMIT {GAPS_DRAWN}
"""
ALL = f"""
SELECT count(*) AS gaps, coalesce(sum(last_offset - first_offset + 1), 0)::BIGINT AS all_offsets
FROM gaps WHERE {WHERE_REPLICA} AND last_offset >= $first AND first_offset <= $last
"""
EVERY = f"""
SELECT cause, greatest(first_offset, $first) AS first_offset, least(last_offset, $last) AS last_offset
FROM gaps WHERE {WHERE_REPLICA} AND last_offset >= $first AND first_offset <= $last
"""


@dataclass(frozen=True)
class GapsInWindow:
    """The gaps to draw, in order, and how many there are in truth."""

    drawn: Rows
    gaps: int
    offsets: int


def gaps_between(results: Results, replica: PartitionReplica, first: int, last: int) -> GapsInWindow:
    """Gaps that overlap the offsets first..last."""
    rows = results.rows(OVERLAPPING, {"first": first, "last": last}, replica)
    total = results.row(ALL, {"first": first, "last": last}, replica) or {"gaps": 0, "all_offsets": 0}
    return GapsInWindow(
        sorted(rows, key=lambda gap: gap["first_offset"]), total["gaps"], int(total["all_offsets"])
    )


def missing_between(
    results: Results, replica: PartitionReplica, first: int, last: int
) -> dict[str, tuple[Any, Any]]:
    """By cause, first and last offsets of every gap, cut to the bounds."""
    columns = results.columns(EVERY, {"first": first, "last": last}, replica)
    causes = np.ma.filled(columns["cause"], "").astype(object)
    bounds = [np.ma.filled(columns[name], -1).astype(np.int64) for name in ("first_offset", "last_offset")]
    return {cause: (bounds[0][causes == cause], bounds[1][causes == cause]) for cause in sorted(set(causes))}


def gap_at(results: Results, replica: PartitionReplica, offset: int) -> dict[str, object] | None:
    """The gap that an offset lies in."""
    return results.row(OVERLAPPING, {"first": offset, "last": offset}, replica)
