"""The whole journal in few bars: what stays above every zoom."""

from __future__ import annotations

from typing import Any

from webapp.reports.queries.timeline.axis import COLUMN, AxisRange
from webapp.reports.queries.timeline.bins import bin_width
from webapp.reports.queries.timeline.restarts import restarts_between
from webapp.reports.queries.timeline.service_kinds import kind_source
from webapp.reports.results import WHERE_REPLICA, PartitionReplica, Results

BARS_PIXELS = 900  # some 100 bars: few bytes, and enough to find a place
COUNTS = f"""
SELECT floor({{column}} / $width)::BIGINT AS bucket, count(*) AS records
FROM {{table}} WHERE {WHERE_REPLICA} AND {{column}} BETWEEN $first AND $last GROUP BY bucket ORDER BY bucket
"""
RESTARTS_DRAWN = 100


def whole_bars(results: Results, replica: PartitionReplica, whole: AxisRange) -> dict[str, Any]:
    """`starts` and `records` of the bars, `width` of one, `restarts`."""

    def read() -> dict[str, Any]:
        width = bin_width(whole.axis, whole.extent, BARS_PIXELS)
        bounds = {"first": whole.first, "last": whole.last}
        table = kind_source(results, replica).table
        sql = COUNTS.replace("{column}", COLUMN[whole.axis]).replace("{table}", table)
        bars = results.rows(sql, bounds | {"width": width}, replica)
        return {
            "width": width,
            "starts": [row["bucket"] * width for row in bars],
            "records": [row["records"] for row in bars],
            "restarts": restarts_between(results, replica, whole)[:RESTARTS_DRAWN],
        }

    bars: dict[str, Any] = results.remembered(("whole bars", replica, whole), read)
    return bars
