"""The tables and views that a query can name: what a row is, columns with types and meaning, as their declarations have them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spark.tables import TABLES
from spark.tables.store import sql_type
from spark.tables.views import NAMED_VIEWS

FIRST = ("records", "keys", "live_state", "entries", "transactions", "gaps", "batches")
VIEWS = {
    "state_history": "interval of an entity's state, in the log as it is, by the journal's own service",
    "live_state": "entity that exists at the end of the log, by the journal's own service",
    "live_refusals": "entry that the journal's own service rejects, in the log as it is",
}


@dataclass(frozen=True)
class SqlColumn:
    """`name`: as a query writes it."""

    name: str
    type: str
    text: str


@dataclass(frozen=True)
class SqlTable:
    """`rows`: None for a view, whose rows nobody has counted."""

    name: str
    grain: str
    columns: tuple[SqlColumn, ...]
    rows: int | None


def tables_of(row_count: Callable[[str], int]) -> list[SqlTable]:
    """Tables with rows, those that are asked most first; then tables without rows. `row_count`: of a table by its name."""
    tables = [
        SqlTable(name, table.grain, columns_of(name), row_count(name)) for name, table in TABLES.items()
    ]
    views = [
        SqlTable(name, VIEWS[name], columns_of(view.table), None if row_count(view.table) else 0)
        for name, view in NAMED_VIEWS.items()
    ]
    rank = {name: position for position, name in enumerate(FIRST)}
    return sorted(
        [*tables, *views], key=lambda table: (table.rows == 0, rank.get(table.name, len(rank)), table.name)
    )


def columns_of(table: str) -> tuple[SqlColumn, ...]:
    return tuple(
        SqlColumn(written(column.name), sql_type(column.type).upper(), column.text)
        for column in TABLES[table].columns
    )


def written(name: str) -> str:
    """A column's name in a query: `offset` is a word of SQL."""
    return '"offset"' if name == "offset" else name
