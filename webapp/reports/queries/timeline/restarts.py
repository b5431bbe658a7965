"""Where a partition's service started: read once for a partition, however often its windows change."""

from __future__ import annotations

from typing import Any

import numpy as np

from webapp.reports.queries.kinds import kind_source
from webapp.reports.queries.timeline.axis import Axis, AxisRange
from webapp.reports.results import WHERE_REPLICA, PartitionResults, remembered

RESTARTS = f"""
SELECT "offset", timestamp_ms AS time FROM {{table}} WHERE {WHERE_REPLICA} AND kind = 'restart'
"""


def restarts_between(partition: PartitionResults, span: AxisRange) -> list[int]:
    """Offsets or times of restarts in a window, in order."""
    every = _every(partition)[span.axis]
    begin, end = np.searchsorted(every, span.first), np.searchsorted(every, span.last, side="right")
    restarts: list[int] = every[begin:end].tolist()
    return restarts


@remembered
def _every(partition: PartitionResults) -> dict[Axis, Any]:
    sql = RESTARTS.format(table=kind_source(partition).table)
    columns = partition.columns(sql)
    return {axis: np.sort(np.ma.compressed(columns[axis]).astype(np.int64)) for axis in ("offset", "time")}
