"""Every column that there is has been looked at: one that is new stops here before it can leak, or be missed."""

from __future__ import annotations

from spark.redaction.columns import COLUMNS
from spark.tables import TABLES


def test_every_column_of_every_table_is_classified() -> None:
    known = {name: {column.name for column in table.columns} for name, table in TABLES.items()}
    assert {name: set(columns) for name, columns in COLUMNS.items()} == known
