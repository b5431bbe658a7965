"""What a chart draws of a window of offsets or times: every record of sparse lanes, counts per bin of dense ones.

A lane keeps its marks while it holds no more than one record for each 8 pixels of the plot; above that its records are
counted per bin and kind. Counts of every lane come from one pass over the lifelines.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from webapp.reports.queries.keys import key_texts
from webapp.reports.queries.partitions import LANE, Facts, Survey
from webapp.reports.queries.timeline.bins import PLOT_PIXELS, bin_width
from webapp.reports.queries.timeline.lanes import (
    OTHER_KEYS,
    OTHER_RECORDS,
    LaneBy,
    Lanes,
    lanes_by_entity,
    lanes_by_key,
    lanes_by_type,
    lanes_by_victim,
)
from webapp.reports.queries.timeline.levels import coded, fine_width, summed
from webapp.reports.queries.timeline.pins import Pins
from webapp.reports.queries.timeline.service_kinds import BY_BYTES, BY_SERVICE, MAX_EXACT
from webapp.reports.results import WHERE_REPLICA, PartitionReplica, Results

__all__ = [
    "OTHER_KEYS",
    "OTHER_RECORDS",
    "AxisRange",
    "LaneBy",
    "Window",
    "lane_of_records",
    "read_window",
    "whole_span",
]

Axis = Literal["offset", "time"]

MAX_MARKS = 4_000  # of all lanes together
PIXELS_A_MARK = 8
KEY_CHARACTERS = 60
NO_MARKS: dict[str, Any] = {
    **{name: np.zeros(0, dtype=object) for name in ("lane", "kind")},
    **{
        name: np.zeros(0, dtype=np.int64)
        for name in ("offset", "timestamp_ms", "size_bytes", "key_hash_1", "key_hash_2")
    },
}
COLUMN = {"offset": '"offset"', "time": "timestamp_ms"}

COUNTS = """
SELECT lane, kind, floor({column} / $width)::BIGINT AS bucket, count(*) AS records,
       sum(key_size_bytes + value_size_bytes)::BIGINT AS size_bytes,
       min("offset") AS first_offset, max("offset") AS last_offset,
       min(timestamp_ms) AS first_timestamp_ms, max(timestamp_ms) AS last_timestamp_ms
FROM ({laned}) GROUP BY lane, kind, bucket ORDER BY bucket
"""
MARKS = """
SELECT lane, "offset", timestamp_ms, kind, key_size_bytes + value_size_bytes AS size_bytes, key_hash_1, key_hash_2
FROM ({laned}) WHERE list_contains($lanes, lane) ORDER BY "offset"
"""
SOME = f"""
SELECT "offset", timestamp_ms, {LANE} AS lane FROM lifelines
WHERE {WHERE_REPLICA} AND "offset" IN (SELECT unnest($offsets))
"""
REACH = f"""
SELECT count(*) AS records, min("offset") AS first_offset, max("offset") AS last_offset
FROM lifelines WHERE {WHERE_REPLICA} AND {{column}} BETWEEN $first AND $last
"""


@dataclass(frozen=True)
class AxisRange:
    """The part of an axis to draw, bounds inclusive."""

    axis: Axis
    first: int
    last: int

    @property
    def extent(self) -> int:
        """Offsets or milliseconds."""
        return self.last - self.first + 1


@dataclass(frozen=True)
class Window:
    """What there is to draw. `marks` and `buckets` are columns of equal length; `lanes` run from bottom to top."""

    span: AxisRange
    bin_width: int
    lanes: list[str]
    records_by_lane: dict[str, int]
    marks: dict[str, Any]
    buckets: dict[str, Any]
    binned: list[str] = field(default_factory=list)  # lanes that are drawn as counts per bin
    pinned: tuple[str, ...] = ()
    is_replayed: bool = True  # kinds are what the service does, not only what the bytes say
    key_texts: dict[tuple[int, int], str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Records in the window."""
        return sum(self.records_by_lane.values())

    @property
    def drawn(self) -> int:
        """Records drawn one by one."""
        return len(self.marks["offset"])

    @property
    def offsets(self) -> tuple[int, int] | None:
        """First and last offset in the window, on whichever axis it was cut."""
        if not len(self.buckets["first_offset"]):
            return None
        return int(self.buckets["first_offset"].min()), int(self.buckets["last_offset"].max())

    @property
    def records_by_kind(self) -> dict[str, int]:
        """Of all lanes."""
        return _sums(self.buckets, "kind", "records")


def whole_span(facts: Facts, axis: Axis) -> AxisRange | None:
    """All of a partition; None when there is nothing to place on this axis."""
    bounds = {
        "offset": (facts.first_offset, facts.last_offset),
        "time": (facts.first_timestamp_ms, facts.last_timestamp_ms),
    }
    first, last = bounds[axis]
    return None if first is None or last is None else AxisRange(axis, first, last)


def read_window(
    results: Results,
    survey: Survey,
    replica: PartitionReplica,
    span: AxisRange,
    by: LaneBy = "type",
    pins: Pins | None = None,
    pixels: int = PLOT_PIXELS,
) -> Window:
    """The window's counts per bin, and the marks of the lanes that are sparse enough."""
    lanes = _lanes(results, survey, replica, span, by, pins or Pins())
    width = bin_width(span.axis, span.extent, pixels)
    if by != "key" and survey.facts[replica].marks > MAX_EXACT:
        whole = whole_span(survey.facts[replica], span.axis) or span
        fine_bin = fine_width(whole.axis, whole.extent, len(lanes.names))
        if width % fine_bin == 0:
            fine = _fine_counts(results, replica, whole, lanes, by, fine_bin)
            return _summed_window(fine, fine_bin, _widened(span, whole, fine_bin), lanes, width)
    kinds, bounds = _kinds(results, survey, replica, span)
    laned = lanes.sql.replace("{kinds}", kinds).replace("{column}", COLUMN[span.axis])
    parameters = lanes.values | {"first": span.first, "last": span.last} | bounds
    buckets = _counts(results, replica, span, laned, parameters | {"width": width})
    marked = sparse_lanes(_sums(buckets, "lane", "records"), pixels)
    marks = _marks(results, replica, laned, parameters, marked)
    texts = _texts_of(results, replica, marks)
    return _window(span, width, lanes, buckets, marks, marked, bool(bounds), texts)


def _window(
    span: AxisRange,
    width: int,
    lanes: Lanes,
    buckets: dict[str, Any],
    marks: dict[str, Any],
    marked: set[str],
    is_replayed: bool,
    texts: dict[tuple[int, int], str],
) -> Window:
    records = _sums(buckets, "lane", "records")
    names = [lane for lane in lanes.names if lane in records or lane in lanes.pinned]
    binned = [lane for lane in names if lane in records and lane not in marked]
    counts = {lane: records.get(lane, 0) for lane in names}
    return Window(span, width, names, counts, marks, buckets, binned, lanes.pinned, is_replayed, texts)


def _widened(span: AxisRange, whole: AxisRange, fine_bin: int) -> AxisRange:
    """To whole fine bins, within the whole."""
    first = max(whole.first, span.first // fine_bin * fine_bin)
    last = min(whole.last, (span.last // fine_bin + 1) * fine_bin - 1)
    return AxisRange(span.axis, first, last)


def _summed_window(fine: dict[str, Any], fine_bin: int, span: AxisRange, lanes: Lanes, width: int) -> Window:
    """All lanes in bins: a window this wide has too many records for marks."""
    buckets = summed(fine, fine_bin, span.first, span.last, width)
    return _window(span, width, lanes, buckets, NO_MARKS, set(), False, {})


def _fine_counts(
    results: Results, replica: PartitionReplica, whole: AxisRange, lanes: Lanes, by: LaneBy, fine_bin: int
) -> dict[str, Any]:
    laned = lanes.sql.replace("{kinds}", BY_BYTES).replace("{column}", COLUMN[whole.axis])
    parameters = lanes.values | {"first": whole.first, "last": whole.last, "width": fine_bin}

    def read() -> dict[str, Any]:
        return coded(_counts(results, replica, whole, laned, parameters))

    counts: dict[str, Any] = results.remembered(("fine counts", replica, whole, by, fine_bin), read)
    return counts


def sparse_lanes(records_by_lane: dict[str, int], pixels: int = PLOT_PIXELS) -> set[str]:
    """Lanes whose marks would lie apart; the small ones first, as long as all marks stay within the budget."""
    sparse: set[str] = set()
    marks = 0
    for lane, records in sorted(records_by_lane.items(), key=lambda lane: lane[1]):
        if records * PIXELS_A_MARK > pixels or marks + records > MAX_MARKS:
            break
        sparse.add(lane)
        marks += records
    return sparse


def _lanes(
    results: Results, survey: Survey, replica: PartitionReplica, span: AxisRange, by: LaneBy, pins: Pins
) -> Lanes:
    if by == "key":
        is_whole = span == whole_span(survey.facts[replica], span.axis)
        bounds = None if is_whole else {"first": span.first, "last": span.last}
        return lanes_by_key(results, replica, bounds, COLUMN[span.axis])
    if by == "victims":
        return lanes_by_victim(pins)
    if by == "entity" and pins.pins:
        return lanes_by_entity(survey, replica, pins)
    return lanes_by_type(survey, replica)


def _kinds(
    results: Results, survey: Survey, replica: PartitionReplica, span: AxisRange
) -> tuple[str, dict[str, int]]:
    """SQL of records with their kind, and the bounds it takes; no bounds: by the bytes alone."""
    facts = survey.facts[replica]
    first, last = facts.bounds
    records = facts.marks
    if records > MAX_EXACT:
        parameters = {"first": span.first, "last": span.last}
        reach = results.row(REACH.replace("{column}", COLUMN[span.axis]), parameters, replica)
        records, first, last = reach.values() if reach else (0, 0, -1)
    if records > MAX_EXACT or first is None:
        return BY_BYTES, {}
    return BY_SERVICE, {"first_offset": first, "last_offset": last}


def _texts_of(
    results: Results, replica: PartitionReplica, marks: dict[str, Any]
) -> dict[tuple[int, int], str]:
    pairs = set(zip(marks["key_hash_1"].tolist(), marks["key_hash_2"].tolist(), strict=True))
    return key_texts(results, replica, sorted(pairs), KEY_CHARACTERS)


def lane_of_records(
    results: Results, replica: PartitionReplica, offsets: list[int]
) -> dict[int, dict[str, Any]]:
    """Lane by entry type and time of single records, by offset; absent ones are left out."""
    rows = results.rows(SOME, {"offsets": offsets}, replica) if offsets else []
    return {row["offset"]: row for row in rows}


def _counts(
    results: Results, replica: PartitionReplica, span: AxisRange, laned: str, parameters: dict[str, Any]
) -> dict[str, Any]:
    columns = results.columns(COUNTS.format(column=COLUMN[span.axis], laned=laned), parameters, replica)
    return _filled(columns)


def _marks(
    results: Results, replica: PartitionReplica, laned: str, parameters: dict[str, Any], lanes: set[str]
) -> dict[str, Any]:
    columns = results.columns(MARKS.format(laned=laned), parameters | {"lanes": sorted(lanes)}, replica)
    return _filled(columns)


def _filled(columns: dict[str, Any]) -> dict[str, Any]:
    return {
        name: np.ma.filled(values, "").astype(object)
        if name in ("lane", "kind")
        else np.ma.filled(values, -1)
        for name, values in columns.items()
    }


def _sums(buckets: dict[str, Any], by: str, column: str) -> dict[str, int]:
    totals: dict[str, int] = {}
    for name, count in zip(buckets[by], buckets[column], strict=True):
        totals[name] = totals.get(name, 0) + int(count)
    return totals
