"""What a chart draws of a window of offsets or times: every record of sparse lanes, counts per bin of dense ones.

A lane keeps its marks while it holds no more than one record for each 8 pixels of the plot; above that its records are
counted per bin and kind. Counts of every lane come from one pass over the lifelines.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from webapp.reports.queries.kinds import BY_BYTES, MAX_READ, KindSource, kind_source
from webapp.reports.queries.partitions import LANE, PartitionTables
from webapp.reports.queries.timeline.axis import COLUMN, PLOT_PIXELS, AxisRange, bin_width, whole_span
from webapp.reports.queries.timeline.by_hand import LanesByHand, arranged
from webapp.reports.queries.timeline.choose import REST, TYPES, lanes_of_window
from webapp.reports.queries.timeline.lanes import LaneBy, Lanes
from webapp.reports.queries.timeline.levels import coded, fine_width, summed
from webapp.reports.queries.timeline.mark_columns import with_keys, with_outcomes
from webapp.reports.queries.timeline.pins import Pins
from webapp.reports.queries.timeline.rows import counted, marks_among, read_rows
from webapp.reports.queries.timeline.whole import read_bars
from webapp.reports.queries.timeline.window import Window, sums_of
from webapp.reports.results import WHERE_REPLICA, PartitionResults

MAX_MARKS = 4_000  # of all lanes together
PIXELS_A_MARK = 8
OF_THE_WINDOW = ("key", "transaction")  # their lanes are other ones at each zoom
NO_MARKS: dict[str, Any] = {
    **{name: np.zeros(0, dtype=object) for name in ("lane", "kind")},
    **{name: np.zeros(0, dtype=np.int64) for name in ("offset", "timestamp_ms", "size_bytes")},
}

COUNTS = """
SELECT lane, kind, floor({column} / $width)::BIGINT AS bucket, count(*) AS records,
       sum(key_size_bytes + value_size_bytes)::BIGINT AS size_bytes,
       min("offset") AS first_offset, max("offset") AS last_offset,
       min(timestamp_ms) AS first_timestamp_ms, max(timestamp_ms) AS last_timestamp_ms
FROM ({laned}) GROUP BY lane, kind, bucket ORDER BY bucket
"""
MARKS = """
SELECT lane, "offset", timestamp_ms, kind, key_size_bytes + value_size_bytes AS size_bytes
FROM ({laned}) WHERE list_contains($lanes, lane) ORDER BY "offset"
"""
SOME = f"""
SELECT "offset", timestamp_ms, {LANE} AS lane FROM lifelines
WHERE {WHERE_REPLICA} AND "offset" IN (SELECT unnest($offsets))
"""
REACH = f"""
SELECT count(*), coalesce(min("offset"), 0), coalesce(max("offset"), -1)
FROM {{table}} WHERE {WHERE_REPLICA} AND {{column}} BETWEEN $first AND $last
"""


def read_window(
    partition: PartitionTables,
    span: AxisRange,
    by: LaneBy = "type",
    pins: Pins | None = None,
    pixels: int = PLOT_PIXELS,
    by_hand: LanesByHand = LanesByHand(),  # noqa: B008 - it never changes
    drawn_extent: int | None = None,
) -> Window:
    """The window's counts per bin, and the marks of the lanes that are sparse enough. `drawn_extent`: of an axis with
    folds, what is drawn of it."""
    lanes = lanes_of_window(partition, span, by, pins or Pins(), by_hand)
    width = bin_width(span.axis, drawn_extent or span.extent, pixels)
    window = _read(partition, span, by, lanes, width, pixels)
    window = with_keys(partition, with_outcomes(partition, window, lanes))
    window = replace(window, ids=lanes.ids, rest_heading=REST.get(by, TYPES), inside=lanes.inside)
    return arranged(window, by_hand)


def _read(
    partition: PartitionTables,
    span: AxisRange,
    by: LaneBy,
    lanes: Lanes,
    width: int,
    pixels: int,
) -> Window:
    source = kind_source(partition)
    if by not in OF_THE_WINDOW and partition.facts.marks > MAX_READ:
        whole = whole_span(partition.facts, span.axis) or span
        fine_bin = fine_width(whole.axis, whole.extent, len(lanes.names))
        if width % fine_bin == 0:
            fine = _fine_counts(partition, whole, lanes, source, fine_bin)
            window = _summed_window(fine, fine_bin, _widened(span, whole, fine_bin), lanes, width)
            return replace(window, is_replayed=source.is_exact)
    bounds = bounds_of_few(partition, span, source)
    if bounds is not None:
        kinds, bounds = (source.for_few, bounds) if source.for_few else (source.sql, {})
        return _read_rows(partition, span, lanes, kinds, bounds, width, pixels)
    laned = lanes.sql.replace("{kinds}", source.sql).replace("{column}", COLUMN[span.axis])
    parameters = lanes.values | {"first": span.first, "last": span.last}
    buckets = _counts(partition, span, laned, parameters | {"width": width})
    marked = sparse_lanes(sums_of(buckets, "lane", "records"), room(span, pixels))
    marks = _marks(partition, laned, parameters, marked) if marked else NO_MARKS
    return _window(span, width, lanes, buckets, marks, marked, source.is_exact)


def _read_rows(
    partition: PartitionResults,
    span: AxisRange,
    lanes: Lanes,
    kinds: str,
    bounds: dict[str, int],
    width: int,
    pixels: int,
) -> Window:
    """For a window with few enough records to read each of them."""
    rows = read_rows(partition, span, lanes, kinds, bounds)
    buckets = counted(rows, span, width)
    marked = sparse_lanes(sums_of(buckets, "lane", "records"), room(span, pixels))
    marks = marks_among(rows, marked)
    return _window(span, width, lanes, buckets, marks, marked, True)


def _window(
    span: AxisRange,
    width: int,
    lanes: Lanes,
    buckets: dict[str, Any],
    marks: dict[str, Any],
    marked: set[str],
    is_replayed: bool,
) -> Window:
    records = sums_of(buckets, "lane", "records")
    names = [lane for lane in lanes.names if lane in records or lane in (*lanes.pinned, *lanes.always)]
    binned = [lane for lane in names if lane in records and lane not in marked]
    counts = {lane: records.get(lane, 0) for lane in names}
    return Window(span, width, names, counts, marks, buckets, binned, lanes.pinned, is_replayed)


def _widened(span: AxisRange, whole: AxisRange, fine_bin: int) -> AxisRange:
    """Widened to complete fine bins, within the partition."""
    first = max(whole.first, span.first // fine_bin * fine_bin)
    last = min(whole.last, (span.last // fine_bin + 1) * fine_bin - 1)
    return AxisRange(span.axis, first, last)


def _summed_window(fine: dict[str, Any], fine_bin: int, span: AxisRange, lanes: Lanes, width: int) -> Window:
    """All lanes as bins: the window has too many records for marks."""
    buckets = summed(fine, fine_bin, span.first, span.last, width)
    return _window(span, width, lanes, buckets, NO_MARKS, set(), False)


def _fine_counts(
    partition: PartitionResults,
    whole: AxisRange,
    lanes: Lanes,
    source: KindSource,
    fine_bin: int,
) -> dict[str, Any]:
    laned = lanes.sql.replace("{kinds}", source.sql).replace("{column}", COLUMN[whole.axis])
    parameters = lanes.values | {"first": whole.first, "last": whole.last, "width": fine_bin}

    def read() -> dict[str, Any]:
        return coded(_counts(partition, whole, laned, parameters))

    return partition.remembered(("fine counts", whole, lanes.sql, tuple(lanes.names), fine_bin), read)


def room(span: AxisRange, pixels: int) -> int:
    """For marks. Those of times without room for each are one pile with a number, so that a narrow plot shows what a wide one does."""
    return max(pixels, PLOT_PIXELS) if span.axis == "time" else pixels


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


def lanes_of_offsets(
    partition: PartitionTables,
    span: AxisRange,
    by: LaneBy,
    by_hand: LanesByHand,
    offsets: list[int],
) -> dict[int, str]:
    """Lanes of single records, also of those that are only drawn in bins."""
    lanes = lanes_of_window(partition, span, by, Pins(), by_hand)
    laned = lanes.sql.replace("{kinds}", BY_BYTES).replace("{column}", COLUMN["offset"])
    sql = f'SELECT "offset", any_value(lane) AS lane FROM ({laned}) WHERE list_contains($offsets, "offset") GROUP BY ALL'
    bounds = {"first": min(offsets), "last": max(offsets), "offsets": offsets} if offsets else {}
    rows = partition.rows(sql, lanes.values | bounds) if offsets else []
    return {row["offset"]: row["lane"] for row in rows}


def bounds_of_few(partition: PartitionTables, span: AxisRange, source: KindSource) -> dict[str, int] | None:
    """First and last offset of a window; None where it has too many records to read each of them."""
    facts = partition.facts
    first, last = facts.bounds
    if facts.marks > MAX_READ:
        if span.axis == "offset" and span.extent <= MAX_READ:
            return {"first_offset": span.first, "last_offset": span.last}
        bars = read_bars(partition, whole_span(facts, span.axis) or span)
        records, first, last = bars.reach(span) or (0, 0, -1)
        if records > MAX_READ:
            records, first, last = _exact_reach(partition, span, source)
        if records > MAX_READ:
            return None
    return None if first is None else {"first_offset": first, "last_offset": last}


def _exact_reach(partition: PartitionResults, span: AxisRange, source: KindSource) -> tuple[int, int, int]:
    sql = REACH.replace("{table}", source.table).replace("{column}", COLUMN[span.axis])
    row = partition.row(sql, {"first": span.first, "last": span.last}) or {}
    records, first, last = row.values()
    return records, first, last


def lane_of_records(partition: PartitionResults, offsets: list[int]) -> dict[int, dict[str, Any]]:
    """Lane by entry type and time of single records, by offset; absent ones are left out."""
    rows = partition.rows(SOME, {"offsets": offsets}) if offsets else []
    return {row["offset"]: row for row in rows}


def _counts(
    partition: PartitionResults, span: AxisRange, laned: str, parameters: dict[str, Any]
) -> dict[str, Any]:
    columns = partition.columns(COUNTS.format(column=COLUMN[span.axis], laned=laned), parameters)
    return _filled(columns)


def _marks(
    partition: PartitionResults, laned: str, parameters: dict[str, Any], lanes: set[str]
) -> dict[str, Any]:
    columns = partition.columns(MARKS.format(laned=laned), parameters | {"lanes": sorted(lanes)})
    return _filled(columns)


def _filled(columns: dict[str, Any]) -> dict[str, Any]:
    return {
        name: np.ma.filled(values, "").astype(object)
        if name in ("lane", "kind")
        else np.ma.filled(values, -1)
        for name, values in columns.items()
    }
