"""The keys of marks, read from their records: those of a window lie together, while keys are stored in no order of offsets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from webapp.reports.queries.timeline.window import Window
from webapp.reports.results import WHERE_REPLICA, PartitionResults
from webapp.reports.values.bytes_text import one_line

CHARACTERS = 60
BYTES = CHARACTERS * 4 + 1  # of UTF-8, and one that tells that there are more
KEYS = f"""
SELECT "offset", any_value("key"[1:{BYTES}]) AS "key" FROM records
WHERE {WHERE_REPLICA} AND "offset" BETWEEN $first AND $last AND "offset" IN (SELECT unnest($offsets)) GROUP BY "offset"
"""


def with_keys(partition: PartitionResults, window: Window) -> Window:
    """The window whose marks have a short text of their `key`."""
    offsets = window.marks["offset"].tolist()
    bounds = {"offsets": offsets, "first": min(offsets), "last": max(offsets)} if offsets else {}
    rows = partition.rows(KEYS, bounds) if offsets else []
    texts = {row["offset"]: one_line(row["key"], CHARACTERS) for row in rows}
    column = np.array([texts.get(offset, "null") for offset in offsets], dtype=object)
    return replace(window, marks=window.marks | {"key": column})
