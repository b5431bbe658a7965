"""The records of a window, read once: its counts per bin and its marks are both made of them.

Lanes and kinds come as numbers of their names, which are few bytes and quick to compare.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from webapp.reports.queries.kinds import KINDS
from webapp.reports.queries.timeline.axis import COLUMN, AxisRange
from webapp.reports.queries.timeline.lanes import Lanes
from webapp.reports.queries.timeline.levels import Counts, summed
from webapp.reports.results import PartitionResults

ROWS = """
SELECT "offset", coalesce(timestamp_ms, -1) AS timestamp_ms, key_size_bytes + value_size_bytes AS size_bytes,
       coalesce(list_position($kind_names, kind), 0)::SMALLINT AS kind,
       coalesce(list_position($lane_names, lane), 0)::SMALLINT AS lane
FROM ({laned})
"""
OF_MARKS = ("offset", "timestamp_ms", "size_bytes")
AXIS = {"offset": "offset", "time": "timestamp_ms"}


def read_rows(
    partition: PartitionResults,
    span: AxisRange,
    lanes: Lanes,
    kinds: str,
    bounds: dict[str, int],
) -> Counts:
    """One row per record. Lane or kind 0: unknown."""
    laned = lanes.sql.replace("{kinds}", kinds).replace("{column}", COLUMN[span.axis])
    names = {"kind_names": list(KINDS), "lane_names": lanes.names}
    parameters = lanes.values | {"first": span.first, "last": span.last} | bounds | names
    columns = partition.columns(ROWS.format(laned=laned), parameters)
    rows = {name: np.ma.filled(values, 0) for name, values in columns.items()}
    return rows | {"lanes": _named(lanes.names), "kinds": _named(KINDS)}


def counted(rows: Counts, span: AxisRange, width: int) -> Counts:
    """Counts by lane, kind and bin."""
    offsets, times = rows["offset"], rows["timestamp_ms"]
    each = {
        "bucket": rows[AXIS[span.axis]], "lane": rows["lane"], "kind": rows["kind"], "lanes": rows["lanes"],
        "kinds": rows["kinds"], "records": np.ones(len(offsets), dtype=np.int64), "size_bytes": rows["size_bytes"],
        "first_offset": offsets, "last_offset": offsets, "first_timestamp_ms": times, "last_timestamp_ms": times,
    }  # fmt: skip
    return summed(each, 1, span.first, span.last, width)


def marks_among(rows: Counts, lanes: set[str]) -> dict[str, Any]:
    """Records of these lanes, in order of offsets."""
    codes = [number for number, lane in enumerate(rows["lanes"]) if lane in lanes]
    chosen = np.flatnonzero(np.isin(rows["lane"], codes))
    chosen = chosen[np.argsort(rows["offset"][chosen], kind="stable")]
    names = {"lane": rows["lanes"][rows["lane"][chosen]], "kind": rows["kinds"][rows["kind"][chosen]]}
    return names | {name: rows[name][chosen] for name in OF_MARKS}


def _named(names: Any) -> Any:
    return np.array(["", *names], dtype=object)
