"""From result tables to what a timeline shows: the window's marks, and the gaps, restarts and findings in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from webapp.reports.charts.background import RESTARTS_DRAWN, Flag
from webapp.reports.charts.bars import Height
from webapp.reports.charts.clock import Clock, clock_of
from webapp.reports.charts.missing import Band, Missing, missing_in_time, missing_per_bin
from webapp.reports.charts.timeline import TimelineData
from webapp.reports.queries.gaps import GapsInWindow, gaps_between, missing_between
from webapp.reports.queries.marks import (
    COLUMN,
    OTHER_KEYS,
    OTHER_RECORDS,
    AxisRange,
    LaneBy,
    Window,
    lane_of_records,
    read_window,
    whole_span,
)
from webapp.reports.queries.partitions import Survey
from webapp.reports.queries.timeline.bins import PLOT_PIXELS
from webapp.reports.queries.timeline.other_dumps import only_in_other_dumps
from webapp.reports.queries.timeline.pins import Pins, pins_of
from webapp.reports.report import Finding, Report, incident_titles
from webapp.reports.results import WHERE_REPLICA, PartitionReplica, Results

FINDINGS_DRAWN = 200
PROOFS_DRAWN = 20  # of one finding
REMEMBERED_FROM = 50_000  # records: a smaller window is read anew
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
    """What a page asks for. `pixels`: width of the plot."""

    span: AxisRange
    by: LaneBy = "type"
    hidden: frozenset[str] = frozenset()
    compact: bool = False
    height: Height = "bytes"
    pixels: int = PLOT_PIXELS
    zone: str = ""  # IANA name; empty: UTC


def draw(
    results: Results, survey: Survey, report: Report, replica: PartitionReplica, request: TimelineRequest
) -> TimelineAnswer:
    """Everything in the window."""
    pins = pins_of(results, report, replica) if request.by in ("entity", "victims") else Pins()
    window = _window(results, survey, replica, request, pins)
    first, last = _offsets(window)
    gaps = gaps_between(results, replica, first, last)
    restarts = _restarts(results, survey, replica, request.span)
    bands = _bands(window, gaps)
    picture = TimelineData(
        window,
        bands,
        [row["x"] for row in restarts],
        _flags(results, survey, replica, window, report, request, pins),
        request.hidden,
        request.compact,
        _missing(results, replica, window, bands),
        only_in_other_dumps(results, replica, pins, first, last) if request.span.axis == "offset" else [],
        request.height,
        request.pixels,
        clock_of(request.zone, _end_ms(survey, replica, request)) if request.zone else Clock(),
    )
    return TimelineAnswer(picture, _notes(picture, gaps, restarts, survey, replica))


def _restarts(
    results: Results, survey: Survey, replica: PartitionReplica, span: AxisRange
) -> list[dict[str, Any]]:
    """A journal without any is not searched again for each window."""
    if not survey.facts[replica].restarts:
        return []
    sql = RESTARTS.replace("{column}", COLUMN[span.axis])
    return results.rows(sql, {"first": span.first, "last": span.last}, replica)


def _end_ms(survey: Survey, replica: PartitionReplica, request: TimelineRequest) -> int:
    """When the window ends, or the journal."""
    return request.span.last if request.span.axis == "time" else survey.facts[replica].last_timestamp_ms or 0


def _window(
    results: Results, survey: Survey, replica: PartitionReplica, request: TimelineRequest, pins: Pins
) -> Window:
    """The whole of a large partition is what everybody sees first, and few bytes once it is counted."""

    def read() -> Window:
        return read_window(results, survey, replica, request.span, request.by, pins, request.pixels)

    is_whole = request.span == whole_span(survey.facts[replica], request.span.axis)
    if not is_whole or survey.facts[replica].marks <= REMEMBERED_FROM:
        return read()
    window: Window = results.remembered(("window", replica, request.span, request.by, request.pixels), read)
    return window


def _offsets(window: Window) -> tuple[int, int]:
    if window.span.axis == "offset":
        return window.span.first, window.span.last
    return window.offsets or (0, -1)


def _missing(results: Results, replica: PartitionReplica, window: Window, bands: list[Band]) -> Missing:
    if window.span.axis == "time":
        return missing_in_time(bands, window.bin_width)
    first, last = window.span.first, window.span.last
    return missing_per_bin(missing_between(results, replica, first, last), first, last, window.bin_width)


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
    survey: Survey,
    replica: PartitionReplica,
    window: Window,
    report: Report,
    request: TimelineRequest,
    pins: Pins,
) -> list[Flag]:
    """Causes before consequences, the worst first; of each finding the record that completes its proof first."""
    findings = [f for f in report.findings if f.flag_offset is not None and f.is_about(replica)]
    findings.sort(key=lambda finding: (finding.consequence_of is not None, finding.rank))
    proofs = [(finding, offset) for finding in findings[:FINDINGS_DRAWN] for offset in _proofs(finding)]
    records = lane_of_records(results, replica, sorted({offset for _, offset in proofs}))
    lanes = _lanes_of_flags(window, request, pins, records)
    titles = incident_titles(report.document)
    replicas = _Places(window)
    is_end = request.span.last >= (survey.facts[replica].last_timestamp_ms or 0)
    flags = []
    for finding, proof in proofs:
        record = records.get(proof)
        offset = _middle(finding) if record is None else proof
        x = float(offset) if window.span.axis == "offset" else _time_of(record, replicas, offset, is_end)
        if x is not None and window.span.first <= x <= window.span.last:
            title = titles.get(finding.incident or "", finding.title)
            incident = finding.incident or finding.id
            flag = Flag(x, lanes.get(offset, -1), offset, finding.severity, title, finding.id, incident)
            flags.append(flag)
    return flags


def _proofs(finding: Finding) -> list[int]:
    """The record that completes the proof, then the others."""
    last = finding.flag_offset
    return [] if last is None else list(dict.fromkeys([last, *finding.evidence]))[:PROOFS_DRAWN]


def _lanes_of_flags(
    window: Window, request: TimelineRequest, pins: Pins, records: dict[int, dict[str, Any]]
) -> dict[int, int]:
    """Number of the lane of each record that proves something."""
    numbers = {lane: number for number, lane in enumerate(window.lanes)}
    lanes = {offset: row["lane"] for offset, row in records.items()}
    if request.by == "key":
        by_mark = dict(zip(window.marks["offset"].tolist(), window.marks["lane"], strict=True))
        lanes = {offset: by_mark.get(offset, OTHER_KEYS) for offset in lanes}
    if request.by == "victims":
        lanes = dict.fromkeys(lanes, OTHER_RECORDS)
    lanes |= {offset: lane for offset, lane in zip(pins.offsets, pins.lanes, strict=True) if offset in lanes}
    return {offset: numbers[lane] for offset, lane in lanes.items() if lane in numbers}


def _middle(finding: Finding) -> int:
    """Where to flag a finding whose records are not there: the middle of its offsets."""
    first = finding.first_offset if finding.first_offset is not None else finding.flag_offset or 0
    return (first + (finding.last_offset if finding.last_offset is not None else first)) // 2


def _time_of(record: dict[str, Any] | None, replicas: _Places, offset: int, is_end: bool) -> float | None:
    """Of an absent record the time of the one before it, where it lies between two of the window or at the end."""
    if record is None:
        return replicas.before(offset) if is_end or replicas.after(offset) is not None else None
    return float(record["timestamp_ms"]) if (record["timestamp_ms"] or -1) >= 0 else None


def _notes(
    picture: TimelineData,
    gaps: GapsInWindow,
    restarts: list[dict[str, Any]],
    survey: Survey,
    replica: PartitionReplica,
) -> list[str]:
    window = picture.window
    notes = []
    if not window.is_replayed:
        notes.append(
            "This window has too many records to ask the replay about each: create, update and tombstone come from "
            "keys and null values. Zoom in to see what the service does."
        )
    if window.span.axis == "time" and gaps.gaps > len(gaps.drawn):
        notes.append(
            f"The time axis shows {len(gaps.drawn):,} of {gaps.gaps:,} gaps ({gaps.offsets:,} offsets in all). "
            "Set the x axis to offset to see every missing offset."
        )
    if restarts and restarts[0]["restarts"] > len(restarts):
        notes.append(f"The first {len(restarts):,} of {restarts[0]['restarts']:,} restarts are drawn.")
    if OTHER_KEYS in window.lanes and len(window.lanes) > 1:
        notes.append(f"The {len(window.lanes) - 1} keys with most records have lanes; all others share one.")
    timeless = survey.facts[replica].without_time
    if window.span.axis == "time" and timeless:
        notes.append(
            f"{timeless:,} records have no time and are not on this axis; set the x axis to offset to see them."
        )
    return notes
