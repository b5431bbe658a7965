"""What else a mark tells: that its transaction has no COMMIT and no ABORT, so that it is open or its outcome is unknown; and its
key, which is read from its record: records of a window lie together, while keys are stored in no order of offsets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from webapp.reports.queries.timeline.window import Window
from webapp.reports.queries.transactions import UNKNOWN, outcomes_of
from webapp.reports.results import WHERE_REPLICA, PartitionResults
from webapp.reports.values.bytes_text import one_line

OPEN = "open"
UNSETTLED = (OPEN, UNKNOWN)
IN_WINDOW = f"""
SELECT coalesce(sum(records), 0)::BIGINT AS records, min(first_offset) AS first_offset, max(last_offset) AS last_offset
FROM transactions WHERE {WHERE_REPLICA} AND first_offset IS NOT NULL
AND (outcome = 'open' OR (outcome = 'marker_missing' AND coalesce(ended_as, 'unknown') = 'unknown'))
"""
CHARACTERS = 60
BYTES = CHARACTERS * 4 + 1  # of UTF-8, and one that tells that there are more
KEYS = f"""
SELECT "offset", any_value("key"[1:{BYTES}]) AS "key" FROM records
WHERE {WHERE_REPLICA} AND "offset" BETWEEN $first AND $last AND "offset" IN (SELECT unnest($offsets)) GROUP BY "offset"
"""


def with_outcomes(partition: PartitionResults, window: Window) -> Window:
    """The window with `outcome` of each mark: open, unknown outcome, or empty."""
    outcomes = _outcomes(partition, window) if partition.results.count("transactions") else {}
    column = np.array([outcomes.get(offset, "") for offset in window.marks["offset"].tolist()], dtype=object)
    return replace(window, marks=window.marks | {"outcome": column})


def _outcomes(partition: PartitionResults, window: Window) -> dict[int, str]:
    """By offset. Most partitions have no such transaction and are not asked for each record."""
    unsettled = partition.row(IN_WINDOW) or {}
    if not unsettled.get("records"):
        return {}
    first, last = unsettled["first_offset"], unsettled["last_offset"]
    offsets = [offset for offset in window.marks["offset"].tolist() if first <= offset <= last]
    outcomes = outcomes_of(partition, offsets) if offsets else {}
    return {offset: outcome for offset, outcome in outcomes.items() if outcome in UNSETTLED}


def with_keys(partition: PartitionResults, window: Window) -> Window:
    """The window with a short text of the key of each mark."""
    offsets = window.marks["offset"].tolist()
    bounds = {"offsets": offsets, "first": min(offsets), "last": max(offsets)} if offsets else {}
    rows = partition.rows(KEYS, bounds) if offsets else []
    texts = {row["offset"]: one_line(row["key"], CHARACTERS) for row in rows}
    column = np.array([texts.get(offset, "null") for offset in offsets], dtype=object)
    return replace(window, marks=window.marks | {"key": column})
