"""Rows of a companion's table, and the damage row of an invalid companion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from spark.sources import Chunk, Split
from spark.sources._fitting import fitting
from spark.sources._rows import DamagedRange, RowOrigin, damage_table
from spark.tables import TABLES


@dataclass(frozen=True)
class Read:
    """The columns of one table by name, and what is wrong with the file, if anything."""

    table: str = ""
    columns: Mapping[str, object] = field(default_factory=dict)  # arrays or lists, all of one length
    wrong: str | None = None


def chunk(split: Split, read: Read, size_bytes: int) -> Chunk:
    others = {read.table: table(split, read)} if read.columns else {}
    return Chunk(others=others, damage=damage(split, read.wrong, size_bytes) if read.wrong else None)


def table(split: Split, read: Read) -> pa.Table:
    """A table's rows: missing origins come from the split, missing columns are null."""
    schema = TABLES[read.table].schema
    count = len(next(iter(read.columns.values())))  # type: ignore[arg-type]
    origin = vars(RowOrigin.of_split(split))
    columns = []
    for column in schema:
        if column.name in read.columns:
            columns.append(fitting(read.columns[column.name], column.type))
        elif column.name in origin:
            columns.append(pa.repeat(pa.scalar(origin[column.name], column.type), count))
        else:
            columns.append(pa.nulls(count, column.type))
    return pa.table(columns, schema=schema)


def damage(split: Split, wrong: str, size_bytes: int) -> pa.Table:
    """One row of DAMAGE over the whole file: its positions say nothing about the log."""
    whole = DamagedRange(0, size_bytes, "bad_companion", wrong, None, None, batches_after=False)
    return damage_table(RowOrigin.of_split(split), [whole])


def columns_of(names: Sequence[str], rows: Sequence[Sequence[object]]) -> dict[str, list[object]]:
    return {name: [row[number] for row in rows] for number, name in enumerate(names)}
