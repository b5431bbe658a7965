"""The strip above the slider: changes of state along the offsets, with the restarts and findings as ticks.

Drawn as SVG in units of its viewBox, so that no script and no inline style is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webapp.reports.queries.state import BUCKETS
from webapp.reports.results import WHERE_REPLICA, PartitionResults

if TYPE_CHECKING:
    from webapp.reports.report import Report

UNITS = 1000.0  # width of the viewBox
HEIGHT = 40.0
TICKS_DRAWN = 300
LINKS_SHOWN = 60
RESTARTS = f"""
SELECT "offset", timestamp_ms, count(*) OVER () AS restarts FROM lifelines
WHERE {WHERE_REPLICA} AND kind = 'restart' ORDER BY "offset" LIMIT {TICKS_DRAWN}
"""


@dataclass(frozen=True)
class Tick:
    """A place on the strip worth going to. `kind` is restart or the severity of a finding."""

    offset: int
    x: float
    kind: str
    text: str
    timestamp_ms: int | None = None


@dataclass(frozen=True)
class Bar:
    """Changes of state in one bucket of offsets."""

    x: float
    width: float
    y: float
    height: float
    changes: int


@dataclass(frozen=True)
class Strip:
    """All that is drawn, and what could not be."""

    first: int
    last: int
    bars: list[Bar]
    restarts: list[Tick]
    findings: list[Tick]
    restarts_in_all: int
    findings_in_all: int

    def x_of(self, offset: int) -> float:
        """Where an offset stands."""
        return x_of(offset, self.first, self.last)

    @property
    def ticks(self) -> list[Tick]:
        """Restarts and findings in the order of their offsets."""
        return sorted([*self.restarts, *self.findings], key=lambda tick: tick.offset)

    @property
    def links(self) -> list[Tick]:
        """The ticks that are listed as links."""
        return self.ticks[:LINKS_SHOWN]

    @property
    def ticks_in_all(self) -> int:
        """Drawn or not."""
        return self.restarts_in_all + self.findings_in_all


def draw(
    partition: PartitionResults,
    report: Report,
    bounds: tuple[int, int],
    changes: Iterable[tuple[int, int]],
) -> Strip:
    """The strip of a partition; `changes` by number of the bucket."""
    first, last = bounds
    restarts = partition.rows(RESTARTS)
    findings = [
        finding
        for finding in report.findings
        if finding.is_about(partition.replica)
        and finding.flag_offset is not None
        and first <= finding.flag_offset <= last
    ]
    findings.sort(key=lambda finding: (finding.rank, finding.flag_offset or 0))
    flags = [
        Tick(offset, x_of(offset, first, last), finding.severity, finding.title)
        for finding in findings[:TICKS_DRAWN]
        if (offset := finding.flag_offset) is not None
    ]
    starts = [
        Tick(row["offset"], x_of(row["offset"], first, last), "restart", "Start mark", row["timestamp_ms"])
        for row in restarts
    ]
    in_all = restarts[0]["restarts"] if restarts else 0
    return Strip(first, last, _bars(list(changes)), starts, flags, in_all, len(findings))


def x_of(offset: int, first: int, last: int) -> float:
    """Where an offset stands, as a slider from first to last has it."""
    return round(UNITS * (offset - first) / max(1, last - first), 2)


def _bars(changes: list[tuple[int, int]]) -> list[Bar]:
    highest = max((count for _, count in changes), default=1)
    width = UNITS / BUCKETS
    heights = [(bucket, count, max(2.0, HEIGHT * count / highest)) for bucket, count in changes]
    return [
        Bar(round(bucket * width, 2), round(width, 2), round(HEIGHT - high, 2), round(high, 2), count)
        for bucket, count, high in heights
    ]
