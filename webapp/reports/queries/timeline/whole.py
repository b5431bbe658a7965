"""The whole journal in few bars: what stays above every zoom."""

from __future__ import annotations

from typing import Any

from webapp.reports.queries.timeline.axis import COLUMN, AxisRange
from webapp.reports.queries.timeline.bins import bin_width
from webapp.reports.results import WHERE_REPLICA, PartitionReplica, Results

BARS_PIXELS = 900  # some 100 bars: few bytes, and enough to find a place
COUNTS = f"""
SELECT floor({{column}} / $width)::BIGINT AS bucket, count(*) AS records
FROM lifelines WHERE {WHERE_REPLICA} AND {{column}} BETWEEN $first AND $last GROUP BY bucket ORDER BY bucket
"""
RESTARTS = f"""
SELECT {{column}} AS x FROM lifelines
WHERE {WHERE_REPLICA} AND kind = 'restart' AND {{column}} BETWEEN $first AND $last ORDER BY x LIMIT 100
"""


def whole_bars(results: Results, replica: PartitionReplica, whole: AxisRange) -> dict[str, Any]:
    """`starts` and `records` of the bars, `width` of one, `restarts`."""

    def read() -> dict[str, Any]:
        width = bin_width(whole.axis, whole.extent, BARS_PIXELS)
        bounds = {"first": whole.first, "last": whole.last}
        column = COLUMN[whole.axis]
        bars = results.rows(COUNTS.replace("{column}", column), bounds | {"width": width}, replica)
        restarts = results.rows(RESTARTS.replace("{column}", column), bounds, replica)
        return {
            "width": width,
            "starts": [row["bucket"] * width for row in bars],
            "records": [row["records"] for row in bars],
            "restarts": [row["x"] for row in restarts],
        }

    bars: dict[str, Any] = results.remembered(("whole bars", replica, whole), read)
    return bars
