"""The tables of two inspections in one DuckDB: `left_<table>` and `right_<table>`."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass

from spark.tables import Manifest
from spark.tables.connections import COMPARE
from spark.tables.store import ResultTables

HERE, THERE = "left", "right"
OTHER = {HERE: THERE, THERE: HERE}
ABORTED = """
    SELECT "offset" FROM (FROM {side}_records WHERE {where}) JOIN (
        FROM {side}_transactions WHERE {where} AND ({fate})
    ) USING (producer_id, producer_epoch) WHERE "offset" BETWEEN first_offset AND last_offset
"""


@dataclass(frozen=True)
class ComparedTables:
    """Two result folders; small enough to travel into a Spark task."""

    left: Manifest
    right: Manifest

    def open(self) -> ResultTables:
        """A connection of one's own."""
        return ResultTables.open(
            self.left,
            self.right,
            profile=COMPARE,
            prefixes=(f"{HERE}_", f"{THERE}_"),
            spill=tempfile.gettempdir(),
        )


def of_copy(side: str) -> str:
    """Condition for one copy's rows."""
    return f'topic = ${side}_topic AND "partition" = ${side}_partition AND replica = ${side}_replica'


def aborted(side: str, fate: str) -> str:
    """SQL: offsets of a copy's records whose transactions had that fate."""
    return ABORTED.format(side=side, where=of_copy(side), fate=fate)
