"""What a table is: its columns, their types in Spark and in Arrow, what they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

HEADERS = "array<struct<key:binary,value:binary>>"


@dataclass(frozen=True)
class Column:
    """One column: its Spark SQL type and what it means."""

    name: str
    type: str
    text: str

    @property
    def ddl(self) -> str:
        quoted = self.text.replace("\\", r"\\").replace("'", r"\'")
        return f"`{self.name}` {self.type}" + (f" COMMENT '{quoted}'" if quoted else "")


@dataclass(frozen=True)
class Table:
    """One table: its name, what one row stands for, and its columns in order."""

    name: str
    grain: str
    columns: tuple[Column, ...]

    def ddl(self, names: Sequence[str]) -> str:
        """The schema of some columns as Spark reads it, with what they mean as comments."""
        columns = {column.name: column for column in self.columns}
        return ", ".join(columns[name].ddl for name in names)

    @cached_property
    def schema(self) -> pa.Schema:
        """The schema as pyarrow writes it."""
        import pyarrow as pa

        scalars = {
            "string": pa.string(),
            "binary": pa.binary(),
            "boolean": pa.bool_(),
            "tinyint": pa.int8(),
            "smallint": pa.int16(),
            "int": pa.int32(),
            "bigint": pa.int64(),
            "double": pa.float64(),
            "array<bigint>": pa.list_(pa.int64()),
            "array<string>": pa.list_(pa.string()),
            HEADERS: pa.list_(pa.struct([("key", pa.binary()), ("value", pa.binary())])),
        }
        return pa.schema([(column.name, scalars[column.type]) for column in self.columns])

    def filled(self, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
        """Rows computed from offsets and times: what 64 bits are too few for becomes the nearest number there is."""
        import pyarrow as pa

        wide = [column.name for column in self.columns if column.type == "bigint"]
        rows = [{**row, **{name: in_64_bits(row.get(name)) for name in wide}} for row in rows]
        return pa.Table.from_pylist(rows, schema=self.schema)


def in_64_bits(number: Decimal | int | None) -> int | None:
    """The nearest number of 64 bits."""
    return None if number is None else min(max(int(number), -(2**63)), 2**63 - 1)


TABLES: dict[str, Table] = {}  # every table defined below, by name


def table(name: str, grain: str, *columns: tuple[str, str, str]) -> Table:
    TABLES[name] = Table(name, grain, tuple(Column(*column) for column in columns))
    return TABLES[name]


OF_REPLICA = (
    ("topic", "string", "topic name; `?` where the file format does not say"),
    ("partition", "int", "partition number"),
    (
        "replica",
        "string",
        "which copy of the partition: the folder above it when there are several, else empty",
    ),
)
OF_FILE = (*OF_REPLICA, ("file", "int", "row of `files` the bytes came from"))
