"""Findings as flags of a timeline: where each one's proof is drawn."""

from __future__ import annotations

from typing import Any

from webapp.reports.charts.background import Flag
from webapp.reports.charts.timeline import SelectedRecord
from webapp.reports.picture.gaps import TimesAround
from webapp.reports.picture.request import TimelineRequest
from webapp.reports.queries.marks import lane_of_records, lanes_of_offsets
from webapp.reports.queries.partitions import PartitionTables
from webapp.reports.queries.timeline.lanes import ALL_RECORDS, OTHER_RECORDS
from webapp.reports.queries.timeline.pins import Pins
from webapp.reports.queries.timeline.window import Window
from webapp.reports.report import Report, ReportFinding, incident_titles

FINDINGS_DRAWN = 200
PROOFS_DRAWN = 20  # of one finding
OF_RECORDS = ("key", "producer", "transaction")  # lanes that the record alone does not say


def flags_of(
    partition: PartitionTables,
    window: Window,
    report: Report,
    request: TimelineRequest,
    pins: Pins,
) -> list[Flag]:
    """Causes before consequences, the worst first; of each finding the record with its flag first."""
    findings = [f for f in report.findings if f.flag_offset is not None and f.is_about(partition.replica)]
    findings.sort(key=lambda finding: (finding.consequence_of is not None, finding.rank))
    proofs = [(finding, offset) for finding in findings[:FINDINGS_DRAWN] for offset in _proofs(finding)]
    offsets = sorted({offset for _, offset in proofs})
    records = lane_of_records(partition, offsets)
    in_log = lane_of_records(partition.restricted({}), offsets) if request.is_partial else records
    lanes = _lane_numbers(partition, window, request, pins, records)
    titles = incident_titles(report.document)
    times = TimesAround(window)
    is_end = request.span.last >= (partition.facts.last_timestamp_ms or 0)
    flags = []
    placed = {(finding.id, proof) for finding, proof in proofs if proof in in_log}
    for finding, proof in proofs:
        record = in_log.get(proof)
        offset = _begin(finding) if record is None else proof
        if record is None and (finding.id, offset) in placed:
            continue
        placed.add((finding.id, offset))
        x = float(offset) if window.span.axis == "offset" else _time_of(record, times, offset, is_end)
        if x is not None and window.span.first <= x <= window.span.last:
            title = titles.get(finding.incident or "", finding.title)
            incident = finding.incident or finding.id
            lane, own = lanes.get(offset, -1), finding.title
            flag = Flag(x, lane, offset, finding.severity, title, finding.id, incident, own)
            flags.append(flag)
    return flags


def selected_record(
    partition: PartitionTables, window: Window, request: TimelineRequest, pins: Pins
) -> SelectedRecord | None:
    """The record that the address selects; None where it is not in the window."""
    records = lane_of_records(partition, [] if request.record is None else [request.record])
    for offset, record in records.items():
        x = offset if window.span.axis == "offset" else record["timestamp_ms"] or -1
        lane = _lane_numbers(partition, window, request, pins, records).get(offset)
        if lane is not None and window.span.first <= x <= window.span.last:
            return SelectedRecord(offset, x, window.lanes[lane])
    return None


def _lane_numbers(
    partition: PartitionTables,
    window: Window,
    request: TimelineRequest,
    pins: Pins,
    records: dict[int, dict[str, Any]],
) -> dict[int, int]:
    """By offset: number of the lane of each record."""
    if request.by in OF_RECORDS:
        by_offset = lanes_of_offsets(partition, request.span, request.by, request.by_hand, sorted(records))
        return _numbers(window, by_offset)
    return _lanes_of_flags(window, request, pins, records)


def _proofs(finding: ReportFinding) -> list[int]:
    """Records of the proof; the one with the flag comes first."""
    flag = finding.flag_offset
    return [] if flag is None else list(dict.fromkeys([flag, *finding.evidence]))[:PROOFS_DRAWN]


def _lanes_of_flags(
    window: Window, request: TimelineRequest, pins: Pins, records: dict[int, dict[str, Any]]
) -> dict[int, int]:
    """By offset: number of the lane of each record that proves a finding."""
    lanes = {offset: row["lane"] for offset, row in records.items()}
    if request.by == "victims":
        lanes = dict.fromkeys(lanes, OTHER_RECORDS if OTHER_RECORDS in window.lanes else ALL_RECORDS)
    if request.by == "partition" and window.lanes:
        lanes = dict.fromkeys(lanes, window.lanes[0])
    lanes |= {offset: lane for offset, lane in zip(pins.offsets, pins.lanes, strict=True) if offset in lanes}
    return _numbers(window, lanes)


def _numbers(window: Window, lanes: dict[int, str]) -> dict[int, int]:
    """By offset: number of the lane that shows it."""
    numbers = {lane: number for number, lane in enumerate(window.lanes)}
    lane_by_offset = {offset: window.folded.get(lane, lane) for offset, lane in lanes.items()}
    return {offset: numbers[lane] for offset, lane in lane_by_offset.items() if lane in numbers}


def _begin(finding: ReportFinding) -> int:
    """Where to flag a finding whose records are not there: the first of its offsets."""
    return finding.first_offset if finding.first_offset is not None else finding.flag_offset or 0


def _time_of(record: dict[str, Any] | None, times: TimesAround, offset: int, is_end: bool) -> float | None:
    """Of an absent record the time of the one after it, where gaps are drawn too, if it lies between two of the window; at the
    end that of the one before it."""
    if record is None:
        before, after = times.before(offset), times.after(offset)
        return after if before is not None and after is not None else before if is_end else None
    return float(record["timestamp_ms"]) if (record["timestamp_ms"] or -1) >= 0 else None
