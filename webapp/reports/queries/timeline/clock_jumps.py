"""Where the clock of a partition's records goes back: a record has an earlier time than the record before it.

The steps between neighbours are read once for a partition. Producers with clocks of their own make many small ones, so the
longest are kept, and the number of all. Control markers have the time of the broker that wrote them: they take no part, but
those earlier than a record of their transaction are counted, and records earlier than the marker before them.
"""

from __future__ import annotations

from dataclasses import dataclass

from webapp.reports.queries.timeline.axis import AxisRange
from webapp.reports.results import WHERE_REPLICA, PartitionResults, remembered

REMEMBERED = 500
DRAWN = 20
MIN_PIXELS = 2  # a shorter step cannot be seen
STEPS = f"""
SELECT "offset", before_ms, timestamp_ms AS after_ms, count(*) OVER () AS steps FROM (
    SELECT "offset", timestamp_ms, lag(timestamp_ms) OVER (ORDER BY "offset") AS before_ms
    FROM lifelines WHERE {WHERE_REPLICA} AND timestamp_ms >= 0 AND kind <> 'control'
) WHERE timestamp_ms < before_ms ORDER BY before_ms - timestamp_ms DESC, "offset" LIMIT {REMEMBERED}
"""
# Spans of one producer never overlap: the last that begins at or before a record is the one it may lie in.
EARLY_MARKERS = f"""
SELECT count(DISTINCT t.marker_offset) AS markers FROM (
    SELECT producer_id, "offset", timestamp_ms FROM records
    WHERE {WHERE_REPLICA} AND control_type IS NULL AND producer_id >= 0 AND timestamp_type = 'create'
) AS r ASOF JOIN (
    SELECT producer_id, first_offset, last_offset, marker_offset, marker_timestamp_ms FROM transactions
    WHERE {WHERE_REPLICA} AND first_offset IS NOT NULL
) AS t ON r.producer_id = t.producer_id AND r."offset" >= t.first_offset
WHERE r."offset" <= t.last_offset AND t.marker_timestamp_ms >= 0 AND r.timestamp_ms > t.marker_timestamp_ms
"""
HAS_MARKERS = f"SELECT 1 AS marker FROM lifelines WHERE {WHERE_REPLICA} AND kind = 'control' LIMIT 1"
BEHIND_MARKERS = f"""
SELECT count(*) AS records FROM (
    SELECT kind, timestamp_ms, lag(kind) OVER neighbours AS kind_before, lag(timestamp_ms) OVER neighbours AS before_ms
    FROM lifelines WHERE {WHERE_REPLICA} AND timestamp_ms >= 0 WINDOW neighbours AS (ORDER BY "offset")
) WHERE kind <> 'control' AND kind_before = 'control' AND timestamp_ms < before_ms
"""


@dataclass(frozen=True)
class ClockJump:
    """The record at `offset` has the time `after_ms`, the record before it has the later time `before_ms`."""

    offset: int
    before_ms: int
    after_ms: int
    lane: str = ""  # of the partition, where a timeline shows several

    @property
    def back_ms(self) -> int:
        return self.before_ms - self.after_ms


@dataclass(frozen=True)
class ClockJumps:
    """The longest jumps, and the number of all. `early_markers`: earlier than a record of their transaction. `behind_markers`:
    records with an earlier time than the marker before them."""

    longest: tuple[ClockJump, ...] = ()
    steps: int = 0
    early_markers: int = 0
    behind_markers: int = 0

    def in_window(self, span: AxisRange, pixels: int) -> list[ClockJump]:
        """Jumps that are visible in a window of times, the longest first."""
        shortest_ms = span.extent / max(pixels, 1) * MIN_PIXELS
        return [
            jump
            for jump in self.longest
            if jump.back_ms >= shortest_ms and jump.after_ms <= span.last and jump.before_ms >= span.first
        ][:DRAWN]


@remembered
def clock_jumps(partition: PartitionResults) -> ClockJumps:
    rows = partition.rows(STEPS)
    longest = tuple(ClockJump(row["offset"], row["before_ms"], row["after_ms"]) for row in rows)
    (early,) = partition.rows(EARLY_MARKERS)
    steps = rows[0]["steps"] if rows else 0
    behind = partition.rows(BEHIND_MARKERS) if partition.rows(HAS_MARKERS) else []
    return ClockJumps(longest, steps, early["markers"], behind[0]["records"] if behind else 0)
