"""Spark's filters -> a selection. What a selection cannot say exactly stays with Spark.

Source: PySpark `pyspark/sql/datasource.py`, classes of filters, from 4.1. Columns are paths; ours have one step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from spark.datasource.selection import MAX_OFFSET, MIN_OFFSET, OFFSET_COLUMNS, ReadSelection

if TYPE_CHECKING:
    from pyspark.sql.datasource import Filter

# Name of a filter's class -> the first and last offset that it lets through. A class that a version lacks never comes.
RANGES: dict[str, Callable[[int], tuple[int, int]]] = {
    "EqualTo": lambda value: (value, value),
    "GreaterThan": lambda value: (value + 1, MAX_OFFSET),
    "GreaterThanOrEqual": lambda value: (value, MAX_OFFSET),
    "LessThan": lambda value: (MIN_OFFSET, value - 1),
    "LessThanOrEqual": lambda value: (MIN_OFFSET, value),
}


def narrowed(
    selection: ReadSelection, table: str, filters: Iterable[Filter]
) -> tuple[ReadSelection, list[Filter]]:
    """The selection with what the filters say, and those that Spark must apply to its rows."""
    remaining = []
    for condition in filters:
        smaller = _with(selection, table, condition)
        if smaller is None:
            remaining.append(condition)
        else:
            selection = smaller
    return selection, remaining


def _with(selection: ReadSelection, table: str, condition: Filter) -> ReadSelection | None:
    """The selection with one filter; None where it cannot say it."""
    name, column = type(condition).__name__, getattr(condition, "attribute", None)
    value = getattr(condition, "value", None)
    if column == ("topic",) and (names := _values(name, value, str)):
        return selection.of_topics(names)
    if column == ("partition",) and (numbers := _values(name, value, int)):
        return selection.of_partitions(numbers)
    if column == _offset_column(table) and name in RANGES and isinstance(value, int) and _is_offset(value):
        return selection.within(*RANGES[name](value))
    return None


def _offset_column(table: str) -> tuple[str] | None:
    """The column that says the offset of a row, of tables whose rows have one offset."""
    first, last = OFFSET_COLUMNS.get(table, ("", " "))
    return (first,) if first == last else None


def _values(name: str, value: Any, kind: type) -> frozenset[Any] | None:
    """The values that a column may equal; None for another kind of filter, or a value of another type."""
    if name not in ("In", "EqualTo"):
        return None
    values = value if name == "In" else (value,)
    return frozenset(values) if values and all(_is(item, kind) for item in values) else None


def _is_offset(value: int) -> bool:
    """Whether a number and its neighbours are ones of 64 bits."""
    return _is(value, int) and MIN_OFFSET < value < MAX_OFFSET


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
