"""What a chart draws of a window of offsets or times: every record while they are few, counts per bucket above that.

Lanes with few records keep their marks as long as all marks together stay within the budget; the others become
strips. Counts per bucket of every lane come from one pass over the lifelines.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from webapp.reports.queries.keys import key_texts
from webapp.reports.queries.partitions import LANE, Facts, Survey
from webapp.reports.results import WHERE_REPLICA, PartitionReplica, Results

Axis = Literal["offset", "time"]
LaneBy = Literal["type", "key"]

MAX_POINTS = 50_000  # what a page draws at most, marks and cells of strips together
BUCKETS = {"type": 2000, "key": 1000}  # about one per pixel of a wide screen; fewer where lanes are many
KEY_LANES = 30
NAMED_MARKS = 5_000  # above it the key would weigh more than everything else of a mark
KEY_CHARACTERS = 60
OTHER_KEYS = "all other keys"
COLUMN = {"offset": '"offset"', "time": "timestamp_ms"}

COUNTS = """
SELECT lane, ({column} - $first) // $width AS bucket, count(*) AS records, count_if(kind = 'tombstone') AS tombstones,
       min("offset") AS first_offset, max("offset") AS last_offset,
       min(timestamp_ms) AS first_timestamp_ms, max(timestamp_ms) AS last_timestamp_ms
FROM ({laned}) GROUP BY lane, bucket ORDER BY bucket
"""
MARKS = """
SELECT lane, "offset", timestamp_ms, kind, key_size_bytes + value_size_bytes AS size_bytes, key_hash_1, key_hash_2
FROM ({laned}) WHERE list_contains($lanes, lane) ORDER BY "offset"
"""
BY_TYPE = (
    f"SELECT *, {LANE} AS lane FROM lifelines WHERE {WHERE_REPLICA} AND {{column}} BETWEEN $first AND $last"
)
BY_KEY = f"""
SELECT marks.*, coalesce(top.lane, '{OTHER_KEYS}') AS lane
FROM (SELECT * FROM lifelines WHERE {WHERE_REPLICA} AND {{column}} BETWEEN $first AND $last) AS marks
LEFT JOIN (SELECT unnest($hashes_1) AS key_hash_1, unnest($hashes_2) AS key_hash_2, unnest($names) AS lane) AS top
USING (key_hash_1, key_hash_2)
"""
SOME = f"""
SELECT "offset", timestamp_ms, {LANE} AS lane FROM lifelines
WHERE {WHERE_REPLICA} AND "offset" IN (SELECT unnest($offsets))
"""
TOP_KEYS = f"""
SELECT key_hash_1, key_hash_2, count(*) AS records FROM lifelines
WHERE {WHERE_REPLICA} AND {{column}} BETWEEN $first AND $last AND kind <> 'control'
GROUP BY ALL ORDER BY records DESC, key_hash_1 LIMIT {KEY_LANES}
"""
TOP_KEYS_OF_ALL = f"""
SELECT key_hash_1, key_hash_2 FROM keys WHERE {WHERE_REPLICA} ORDER BY versions DESC, key_hash_1 LIMIT {KEY_LANES}
"""


@dataclass(frozen=True)
class AxisRange:
    """The stretch of an axis to draw, bounds inclusive."""

    axis: Axis
    first: int
    last: int

    def bucket_width(self, by: LaneBy) -> int:
        """How much of the axis a bucket covers."""
        return max(1, -(-(self.last - self.first + 1) // BUCKETS[by]))


@dataclass(frozen=True)
class Window:
    """What there is to draw. `marks` and `buckets` are columns of equal length; `lanes` run from bottom to top."""

    span: AxisRange
    bucket_width: int
    lanes: list[str]
    records_by_lane: dict[str, int]
    tombstones_by_lane: dict[str, int]
    marks: dict[str, Any]
    buckets: dict[str, Any]
    strips: list[str] = field(default_factory=list)
    key_texts: dict[tuple[int, int], str] = field(default_factory=dict)  # only while the marks are few

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
    by: LaneBy,
    max_points: int = MAX_POINTS,
) -> Window:
    """The window's counts, and the marks of those lanes that fit."""
    laned, parameters, lanes = _lanes(results, survey, replica, span, by)
    parameters["width"] = span.bucket_width(by)
    buckets = _counts(results, replica, span, laned, parameters)
    records = _sum_by_lane(buckets, "records")
    lanes = [lane for lane in lanes if lane in records]
    marked = lanes_that_fit(records, max_points)
    if len(marked) < len(lanes):  # the cells of the strips count too
        cells = int((~np.isin(buckets["lane"], list(marked))).sum())
        marked = lanes_that_fit(records, max_points - cells) & marked
    strips = [lane for lane in lanes if lane not in marked]
    marks = _marks(results, replica, laned, parameters, marked)
    tombstones = _sum_by_lane(buckets, "tombstones")
    texts = _texts_of(results, replica, marks)
    return Window(span, span.bucket_width(by), lanes, records, tombstones, marks, buckets, strips, texts)


def lanes_that_fit(records_by_lane: dict[str, int], max_points: int) -> set[str]:
    """The small lanes first, as long as their marks together stay within the budget."""
    fitting: set[str] = set()
    points = 0
    for lane, records in sorted(records_by_lane.items(), key=lambda lane: lane[1]):
        if points + records > max_points:
            break
        fitting.add(lane)
        points += records
    return fitting


def _lanes(
    results: Results, survey: Survey, replica: PartitionReplica, span: AxisRange, by: LaneBy
) -> tuple[str, dict[str, Any], list[str]]:
    parameters: dict[str, Any] = {"first": span.first, "last": span.last}
    if by == "type":
        return BY_TYPE.replace("{column}", COLUMN[span.axis]), parameters, survey.lanes_of(replica)[::-1]
    top = _top_keys(results, survey, replica, span)
    names = key_names(results, replica, [(row["key_hash_1"], row["key_hash_2"]) for row in top])
    parameters |= {
        "hashes_1": [row["key_hash_1"] for row in top],
        "hashes_2": [row["key_hash_2"] for row in top],
        "names": names,
    }
    return BY_KEY.replace("{column}", COLUMN[span.axis]), parameters, [OTHER_KEYS, *names[::-1]]


def _top_keys(
    results: Results, survey: Survey, replica: PartitionReplica, span: AxisRange
) -> list[dict[str, Any]]:
    if span == whole_span(survey.facts[replica], span.axis):
        return results.rows(TOP_KEYS_OF_ALL, replica=replica)
    bounds = {"first": span.first, "last": span.last}
    return results.rows(TOP_KEYS.replace("{column}", COLUMN[span.axis]), bounds, replica)


def key_names(
    results: Results, replica: PartitionReplica, hashes: list[tuple[int, int]], limit: int = 28
) -> list[str]:
    """Short texts of keys, each different from the others, in the order asked for."""
    texts = key_texts(results, replica, hashes, limit)
    names: list[str] = []
    for pair in hashes:
        name = texts.get(pair, "null" if pair == (0, 0) else "?")
        names.append(name if name not in names else f"{name} ({len(names) + 1})")
    return names


def _texts_of(
    results: Results, replica: PartitionReplica, marks: dict[str, Any]
) -> dict[tuple[int, int], str]:
    if len(marks["offset"]) > NAMED_MARKS:
        return {}
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
    sql = COUNTS.format(column=COLUMN[span.axis], laned=laned)
    columns = results.columns(sql, parameters, replica)
    return {
        name: np.ma.filled(values, -1) if name != "lane" else _strings(values)
        for name, values in columns.items()
    }


def _marks(
    results: Results, replica: PartitionReplica, laned: str, parameters: dict[str, Any], lanes: set[str]
) -> dict[str, Any]:
    used = {name: value for name, value in parameters.items() if name != "width"}
    columns = results.columns(MARKS.format(laned=laned), used | {"lanes": sorted(lanes)}, replica)
    texts = ("lane", "kind")
    return {
        name: _strings(values) if name in texts else np.ma.filled(values, -1)
        for name, values in columns.items()
    }


def _strings(values: Any) -> Any:
    return np.ma.filled(values, "").astype(object)


def _sum_by_lane(buckets: dict[str, Any], column: str) -> dict[str, int]:
    totals: dict[str, int] = {}
    for lane, count in zip(buckets["lane"], buckets[column], strict=True):
        totals[lane] = totals.get(lane, 0) + int(count)
    return totals
