"""The tables of two inspections in one DuckDB: `left_<table>` and `right_<table>`; of one copy of a partition, `<role>_<table>`."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spark.tables import Manifest
from spark.tables.connections import COMPARE
from spark.tables.store import RestrictedTable, ResultTables

HERE, THERE = "left", "right"
OTHER = {HERE: THERE, THERE: HERE}
ABORTED = "outcome = 'aborted' OR ended_as = 'aborted'"
COPY_TABLES = (
    "aborted_txns", "batches", "checkpoints", "cleanings", "epoch_entries", "files", "gaps", "lifelines", "records", "state",
    "transactions",
)  # fmt: skip


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


def copy_views(role: str, side: str, values: Mapping[str, Any]) -> dict[str, RestrictedTable]:
    """The tables of one copy: `before_records` are the records of the copy whose role is `before`.

    `<role>_log_checkpoints` are those of its folder and of its broker, whose files name no replica. `values`: of both sides.
    """
    tables = {name: f"SELECT * FROM {side}_{name} WHERE {of_copy(side)}" for name in COPY_TABLES}
    tables["log_checkpoints"] = f"""
        SELECT * FROM {side}_checkpoints
        WHERE topic = ${side}_topic AND "partition" = ${side}_partition AND replica IN (${side}_replica, '')
    """
    return {f"{role}_{name}": RestrictedTable(sql, values) for name, sql in tables.items()}


def aborted(role: str, fate: str = ABORTED) -> str:
    """SQL: offsets of a copy's records whose transactions had that fate."""
    return f"""
        SELECT "offset" FROM {role}_records JOIN (FROM {role}_transactions WHERE {fate}) USING (producer_id, producer_epoch)
        WHERE "offset" BETWEEN first_offset AND last_offset
    """
