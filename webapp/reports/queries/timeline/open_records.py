"""Marks whose transaction has no COMMIT and no ABORT: it is open, or its outcome is unknown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from webapp.reports.queries.timeline.window import Window
from webapp.reports.queries.transactions import UNKNOWN, outcomes_of
from webapp.reports.results import WHERE_REPLICA, PartitionResults

OPEN = "open"
UNSETTLED = (OPEN, UNKNOWN)
IN_WINDOW = f"""
SELECT coalesce(sum(records), 0)::BIGINT AS records, min(first_offset) AS first_offset, max(last_offset) AS last_offset
FROM transactions WHERE {WHERE_REPLICA} AND first_offset IS NOT NULL
AND (outcome = 'open' OR (outcome = 'marker_missing' AND coalesce(ended_as, 'unknown') = 'unknown'))
"""


def with_outcomes(partition: PartitionResults, window: Window) -> Window:
    """The window whose marks have an `outcome`: open, unknown outcome, or empty."""
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
