"""What a user chose: options of `spark.read.format("kafka-journal")`, checked, in types of their own.

    table                    the table to read: records unless chosen
    columns                  some of its columns, separated by commas
    dialect                  journal type of every topic, or TOPIC=TYPE pairs separated by commas
    topic, partition         some topics, some partitions, separated by commas
    first_offset, last_offset    a range of offsets, both included
    pushdown                 whether Spark's WHERE goes to the reader (see journal.py)

Spark adds `path` for one path and `paths` for several, as a JSON array (`DataFrameReader.load`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from spark.datasource.selection import MAX_OFFSET, MIN_OFFSET, OFFSET_COLUMNS, ReadSelection
from spark.datasource.tables import LOADED, READ
from spark.dialects import dialects
from spark.tables import TABLES
from spark.terms.errors import UnreadableInput
from spark.terms.wording import listed

OPTIONS = (
    "table", "columns", "dialect", "topic", "partition", "first_offset", "last_offset", "pushdown", "path", "paths",
)  # fmt: skip
FLAGS = {"true": True, "false": False}


@dataclass(frozen=True)
class Request:
    """A checked choice. `read_as`: topic ("": every one) -> dialect id."""

    table: str
    columns: tuple[str, ...]
    paths: tuple[str, ...]
    read_as: Mapping[str, str]
    selection: ReadSelection
    pushdown: bool


def request_of(options: Mapping[str, str]) -> Request:
    """The options, checked. Raises UnreadableInput with what is wrong and what to do."""
    chosen = {name.lower(): value for name, value in options.items()}
    _require_known(chosen)
    table = _table(chosen.get("table", READ[0]))
    return Request(
        table=table,
        columns=_columns(table, chosen.get("columns", "")),
        paths=_paths(chosen),
        read_as=_read_as(chosen.get("dialect", "")),
        selection=_selection(table, chosen),
        pushdown=_flag("pushdown", chosen.get("pushdown", "false")),
    )


def _require_known(chosen: Mapping[str, str]) -> None:
    if unknown := sorted(chosen.keys() - set(OPTIONS)):
        raise UnreadableInput(f"There is no option {unknown[0]!r}. Options: {listed(OPTIONS)}.")


def _table(name: str) -> str:
    if name in LOADED:
        return name
    reason = "is kept by `inspect PATH --out FOLDER` only" if name in TABLES else "does not exist"
    raise UnreadableInput(
        f"The table {name!r} {reason}. Set the option table to one of {listed(list(LOADED))}."
    )


def _columns(table: str, text: str) -> tuple[str, ...]:
    names = LOADED[table].schema.names
    chosen = _parts(text) or tuple(names)
    if unknown := [name for name in chosen if name not in names]:
        raise UnreadableInput(f"The table {table} has no column {unknown[0]!r}. Columns: {listed(names)}.")
    return tuple(dict.fromkeys(chosen))


def _paths(chosen: Mapping[str, str]) -> tuple[str, ...]:
    paths = (chosen["path"],) if "path" in chosen else ()
    paths += tuple(json.loads(chosen.get("paths", "[]")))
    if not paths:
        raise UnreadableInput("There is no path. Load a dump, a log segment or a folder: `.load(PATH)`.")
    return paths


def _read_as(text: str) -> dict[str, str]:
    pairs = (pair.rpartition("=") for pair in _parts(text))
    read_as = {topic: name for topic, _, name in pairs}
    for name in read_as.values():
        if name not in dialects():
            raise UnreadableInput(
                f"There is no journal type {name!r}. Set the option dialect to one of {listed(sorted(dialects()))}."
            )
    return read_as


def _selection(table: str, chosen: Mapping[str, str]) -> ReadSelection:
    bounds = (("first_offset", MIN_OFFSET), ("last_offset", MAX_OFFSET))
    first, last = (_number(name, chosen[name]) if name in chosen else bound for name, bound in bounds)
    selection = ReadSelection(first_offset=first, last_offset=last)
    if selection.has_range and table not in OFFSET_COLUMNS:
        raise UnreadableInput(
            f"The table {table} has no range of offsets. Leave out first_offset and last_offset, or read one of "
            f"{listed(list(OFFSET_COLUMNS))}."
        )
    if "topic" in chosen:
        selection = selection.of_topics(frozenset(_some("topic", chosen)))
    if "partition" in chosen:
        numbers = frozenset(_number("partition", text) for text in _some("partition", chosen))
        selection = selection.of_partitions(numbers)
    return selection


def _some(option: str, chosen: Mapping[str, str]) -> tuple[str, ...]:
    if not (parts := _parts(chosen[option])):
        raise UnreadableInput(f"The option {option} is empty. Set it, or leave it out to read all.")
    return parts


def _parts(text: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.split(",") if item.strip())


def _number(option: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) > MAX_OFFSET:
        raise UnreadableInput(f"The option {option} is {text!r}. Set it to a number such as 42.")
    return int(text)


def _flag(option: str, text: str) -> bool:
    if text.lower() not in FLAGS:
        raise UnreadableInput(f"The option {option} is {text!r}. Set it to true or false.")
    return FLAGS[text.lower()]
