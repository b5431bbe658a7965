"""From result tables to what a timeline shows: the window's marks, and the gaps, restarts and findings in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from webapp.reports.charts.background import RESTARTS_DRAWN, Band, Flag
from webapp.reports.charts.marks import MARKS_IN_LINE, jitter
from webapp.reports.charts.timeline import TimelineData
from webapp.reports.queries.gaps import GapsInWindow, gaps_between
from webapp.reports.queries.marks import (
    COLUMN,
    MAX_POINTS,
    OTHER_KEYS,
    AxisRange,
    LaneBy,
    Window,
    lane_of_records,
    read_window,
    whole_span,
)
from webapp.reports.queries.partitions import Survey
from webapp.reports.report import Finding, Report, incident_titles
from webapp.reports.results import WHERE_REPLICA, PartitionReplica, Results

FINDINGS_DRAWN = 200
RESTARTS = f"""
SELECT {{column}} AS x, count(*) OVER () AS restarts FROM lifelines
WHERE {WHERE_REPLICA} AND kind = 'restart' AND {{column}} BETWEEN $first AND $last ORDER BY x LIMIT {RESTARTS_DRAWN}
"""


@dataclass(frozen=True)
class TimelineAnswer:
    """A picture, and what it leaves out, in sentences."""

    picture: TimelineData
    notes: list[str]


@dataclass(frozen=True)
class TimelineRequest:
    """What somebody asks to see."""

    span: AxisRange
    by: LaneBy = "type"
    hidden: frozenset[str] = frozenset()
    compact: bool = False


def draw(
    results: Results, survey: Survey, report: Report, replica: PartitionReplica, wanted: TimelineRequest
) -> TimelineAnswer:
    """Everything in the window."""
    window = _window(results, survey, replica, wanted)
    gaps = gaps_between(results, replica, *_offsets(window))
    restarts = results.rows(
        RESTARTS.replace("{column}", COLUMN[wanted.span.axis]),
        {"first": wanted.span.first, "last": wanted.span.last},
        replica,
    )
    findings = [f for f in report.findings if f.flag_offset is not None and f.is_about(replica)]
    findings.sort(key=lambda finding: (finding.consequence_of is not None, finding.rank))
    flags = _flags(results, replica, window, findings, wanted, incident_titles(report.document))
    picture = TimelineData(
        window, _bands(window, gaps), [row["x"] for row in restarts], flags, wanted.hidden, wanted.compact
    )
    return TimelineAnswer(picture, _notes(picture, gaps, restarts, survey, replica))


def _window(results: Results, survey: Survey, replica: PartitionReplica, wanted: TimelineRequest) -> Window:
    """The whole of a large partition is what everybody sees first, and few bytes once it is counted."""

    def read() -> Window:
        return read_window(results, survey, replica, wanted.span, wanted.by)

    is_whole = wanted.span == whole_span(survey.facts[replica], wanted.span.axis)
    if not is_whole or survey.facts[replica].marks <= MAX_POINTS:
        return read()
    window: Window = results.remembered(("window", replica, wanted.span, wanted.by), read)
    return window


def _offsets(window: Window) -> tuple[int, int]:
    if window.span.axis == "offset":
        return window.span.first, window.span.last
    return window.offsets or (0, -1)


def _bands(window: Window, gaps: GapsInWindow) -> list[Band]:
    replicas = _Places(window)
    bands = []
    for gap in gaps.drawn:
        if window.span.axis == "offset":
            x0, x1 = gap["first_offset"] - 0.5, gap["last_offset"] + 0.5
            x0, x1 = max(x0, window.span.first - 0.5), min(x1, window.span.last + 0.5)
        else:
            x0, x1 = replicas.before(gap["first_offset"]), replicas.after(gap["last_offset"])
        if x0 is not None and x1 is not None:
            bands.append(Band(x0, max(x0, x1), gap["cause"], gap["offsets"], gap["proof"] or ""))
    return bands


class _Places:
    """Times around offsets, from the marks where all are drawn, else from the buckets."""

    def __init__(self, window: Window) -> None:
        exact = window.drawn and window.drawn == window.total
        offsets = window.marks["offset"] if exact else window.buckets["first_offset"]
        times = window.marks["timestamp_ms"] if exact else window.buckets["first_timestamp_ms"]
        order = np.argsort(offsets, kind="stable")
        self.offsets, self.times = offsets[order], times[order]

    def before(self, offset: int) -> float | None:
        """Time of the last record before the offset."""
        at = int(np.searchsorted(self.offsets, offset, side="left")) - 1
        return self._time(at)

    def after(self, offset: int) -> float | None:
        """Time of the first record after the offset."""
        return self._time(int(np.searchsorted(self.offsets, offset, side="right")))

    def _time(self, at: int) -> float | None:
        return float(self.times[at]) if 0 <= at < len(self.times) and self.times[at] >= 0 else None


def _flags(
    results: Results,
    replica: PartitionReplica,
    window: Window,
    findings: list[Finding],
    wanted: TimelineRequest,
    incidents: dict[str, str],
) -> list[Flag]:
    chosen = findings[:FINDINGS_DRAWN]
    known = lane_of_records(results, replica, [f.flag_offset for f in chosen if f.flag_offset is not None])
    by_key = _key_lanes(window) if wanted.by == "key" else {}
    replicas = _Places(window)
    flags = []
    for finding in chosen:
        record = known.get(finding.flag_offset or 0)
        offset = _middle(finding) if record is None else int(record["offset"])
        x = float(offset) if window.span.axis == "offset" else _time_of(record, replicas, offset)
        if x is None or not window.span.first <= x <= window.span.last:
            continue
        lane = by_key.get(offset, OTHER_KEYS) if wanted.by == "key" else (record or {}).get("lane")
        y = _height(window, lane, offset, exists=record is not None)
        title = incidents.get(finding.incident or "")
        incident = finding.incident if title else None
        flags.append(Flag(x, y, offset, finding.severity, title or finding.title, finding.id, incident))
    return flags


def _middle(finding: Finding) -> int:
    """Where to flag a finding whose records are not there: the middle of its offsets."""
    first = finding.first_offset if finding.first_offset is not None else finding.flag_offset or 0
    return (first + (finding.last_offset if finding.last_offset is not None else first)) // 2


def _time_of(record: dict[str, Any] | None, replicas: _Places, offset: int) -> float | None:
    if record is None:
        return replicas.before(offset)
    return float(record["timestamp_ms"]) if (record["timestamp_ms"] or -1) >= 0 else None


def _key_lanes(window: Window) -> dict[int, str]:
    return dict(zip(window.marks["offset"].tolist(), window.marks["lane"], strict=True))


def _height(window: Window, lane: str | None, offset: int, exists: bool) -> float:
    if lane not in window.lanes:
        return max(len(window.lanes), 1) - 1.0
    is_mark = exists and window.drawn > MARKS_IN_LINE and lane not in window.strips
    return window.lanes.index(lane) + (float(jitter(np.array([offset]))[0]) if is_mark else 0.0)


def _notes(
    picture: TimelineData,
    gaps: GapsInWindow,
    restarts: list[dict[str, Any]],
    survey: Survey,
    replica: PartitionReplica,
) -> list[str]:
    window = picture.window
    notes = []
    if window.strips:
        cells = len({int(bucket) for bucket in window.buckets["bucket"]})
        thinned = sum(window.records_by_lane[lane] for lane in window.strips)
        notes.append(f"Thinned: {thinned:,} records in {cells:,} buckets; zoom in to see each.")
    if gaps.gaps > len(gaps.drawn):
        notes.append(
            f"Gaps wide enough to be drawn: {len(gaps.drawn):,} of {gaps.gaps:,} ({gaps.offsets:,} offsets in all)."
        )
    if restarts and restarts[0]["restarts"] > len(restarts):
        notes.append(f"The first {len(restarts):,} of {restarts[0]['restarts']:,} restarts are drawn.")
    if OTHER_KEYS in window.lanes and len(window.lanes) > 1:
        notes.append(f"The {len(window.lanes) - 1} keys with most records have lanes; all others share one.")
    timeless = survey.facts[replica].without_time
    if window.span.axis == "time" and timeless:
        notes.append(
            f"{timeless:,} records have no time and are not on this axis; switch to offsets to see them."
        )
    return notes
