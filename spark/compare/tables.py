"""The tables of two inspections in one DuckDB: `left_<table>` and `right_<table>`."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass

from spark.tables import Manifest
from spark.tables.connections import COMPARE
from spark.tables.store import ResultTables

HERE, THERE = "left", "right"


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


def of_copy(side: str, start: int | None = None) -> str:
    """Condition for one copy's rows; with `start`, for the offsets from $start to $end."""
    where = f'topic = ${side}_topic AND "partition" = ${side}_partition AND replica = ${side}_replica'
    return where if start is None else f'{where} AND "offset" BETWEEN $start AND $end'
