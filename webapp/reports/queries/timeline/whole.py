"""The whole journal in few bars: what stays above every zoom, and tells how much a window holds before it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from webapp.reports.queries.kinds import kind_source
from webapp.reports.queries.timeline.axis import COLUMN, AxisRange, bin_width
from webapp.reports.queries.timeline.restarts import restarts_between
from webapp.reports.results import WHERE_REPLICA, PartitionResults, remembered

BARS_PIXELS = 900  # some 100 bars: few bytes, and enough to find a place
COUNTS = f"""
SELECT floor({{column}} / $width)::BIGINT AS bucket, count(*) AS records,
       min("offset") AS first_offset, max("offset") AS last_offset
FROM {{table}} WHERE {WHERE_REPLICA} AND {{column}} BETWEEN $first AND $last GROUP BY bucket ORDER BY bucket
"""
RESTARTS_DRAWN = 100


@dataclass(frozen=True)
class WholeBars:
    """Bars of `width` offsets or milliseconds that hold a record, in order; the columns are of equal length."""

    width: int
    starts: Any
    records: Any
    first_offsets: Any
    last_offsets: Any

    def reach(self, span: AxisRange) -> tuple[int, int, int] | None:
        """Most records that a window can have, and the offsets between which all of them lie; None without a record."""
        chosen = (self.starts <= span.last) & (self.starts + self.width > span.first)
        if not chosen.any():
            return None
        first, last = self.first_offsets[chosen].min(), self.last_offsets[chosen].max()
        return int(self.records[chosen].sum()), int(first), int(last)


@remembered
def read_bars(partition: PartitionResults, whole: AxisRange, drawn: int | None = None) -> WholeBars:
    """Read once for a partition. `drawn`: offsets or milliseconds that have room; without it all of the whole."""
    width = bin_width(whole.axis, drawn or whole.extent, BARS_PIXELS)
    bounds = {"first": whole.first, "last": whole.last}
    table = kind_source(partition).table
    sql = COUNTS.replace("{column}", COLUMN[whole.axis]).replace("{table}", table)
    bars = partition.columns(sql, bounds | {"width": width})
    bucket, *rest = (np.ma.getdata(values) for values in bars.values())
    return WholeBars(width, bucket * width, *rest)


def whole_bars(
    partition: PartitionResults, whole: AxisRange, breaks: Sequence[tuple[float, float]] = ()
) -> dict[str, Any]:
    """`starts` and `records` of the bars, their `width`, and `restarts`. `breaks`: what the axis leaves out."""
    left_out = sum(high - low for low, high in breaks)
    bars = read_bars(partition, whole, max(1, int(whole.extent - left_out)) if breaks else None)
    return {
        "width": bars.width,
        "starts": bars.starts.tolist(),
        "records": bars.records.tolist(),
        "restarts": restarts_between(partition, whole)[:RESTARTS_DRAWN],
        "breaks": list(breaks),
    }
