"""Gaps for a chart: those that overlap a window of offsets, the widest of them when there are too many."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.reports.results import WHERE_PLACE, Place, Results, Rows

GAPS_DRAWN = 300
OVERLAPPING = f"""
SELECT first_offset, last_offset, cause, proof, last_offset - first_offset + 1 AS offsets,
       count(*) OVER () AS gaps, sum(last_offset - first_offset + 1) OVER ()::BIGINT AS all_offsets
FROM {{gaps}} WHERE {WHERE_PLACE} AND last_offset >= $first AND first_offset <= $last
ORDER BY offsets DESC, first_offset LIMIT {GAPS_DRAWN}
"""


@dataclass(frozen=True)
class GapsInWindow:
    """The gaps to draw, in order, and how many there are in truth."""

    drawn: Rows
    gaps: int
    offsets: int


def gaps_between(results: Results, place: Place, first: int, last: int) -> GapsInWindow:
    """Gaps that overlap the offsets first..last."""
    rows = results.rows(OVERLAPPING, {"first": first, "last": last}, place)
    total = rows[0] if rows else {"gaps": 0, "all_offsets": 0}
    return GapsInWindow(sorted(rows, key=lambda gap: gap["first_offset"]), total["gaps"], int(total["all_offsets"]))


def gap_at(results: Results, place: Place, offset: int) -> dict[str, object] | None:
    """The gap that an offset lies in."""
    return results.row(OVERLAPPING, {"first": offset, "last": offset}, place)
