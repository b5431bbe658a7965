"""What a rule may name: an allow-list of the columns of three tables, members of attributes, keys and values, and headers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from spark.tables import ENTRIES, KEYS, RECORDS, Table
from spark.tables.members import HAS_VALUE, HEADERS, member_text

OVER: dict[str, Table] = {"records": RECORDS, "entries": ENTRIES, "keys": KEYS}
NOUNS = {"records": ("record", "records"), "entries": ("entry", "entries"), "keys": ("key", "keys")}
PLACED_BY = {"records": "offset", "entries": "offset", "keys": "last_offset"}  # the offset that proves a row
INNER = {"file", "batch_position", "key_hash_1", "key_hash_2", "headers"}
NUMBERS = {"tinyint", "smallint", "int", "bigint", "double"}
ATTRIBUTE = re.compile(r"attributes\.((?:[\w-]{1,100})(?:\.[\w-]{1,100}){0,7})", re.ASCII)
HEADER = re.compile(r"headers\.([^\s{}]{1,200})")
ANY_HEADER = re.compile(r"header\.([^\s{}]{1,200})")
STEP = r'\.(?:"((?:[^"\\]|\\.)*)"|([^\s:=<>!~()",.*{}]+))'
MEMBER = re.compile(rf"(key|value)((?:{STEP}){{1,20}})")
READ_BY_DIALECT = "r.attributes"  # of `spark.rules.query.WITH_DOCUMENTS`, as the next
DECODED = "r.decoded_{0}"
NEEDS: dict[
    str, tuple[str, ...]
] = {  # keys of `spark.sources.LACKS`: a layout that lacks it leaves the column empty
    "timestamp_ms": ("timestamps",),
    "timestamp_type": ("timestamps",),
    "producer_id": ("producers",),
    "producer_epoch": ("producers",),
    "sequence": ("producers",),
    "control_type": ("control",),
    "key": ("key",),
}

Bind = Callable[[object], str]  # a value -> the name of the parameter that holds it


@dataclass(frozen=True)
class ColumnReference:
    """How a column is read. `kinds`: text | number | truth | member, what it may be compared with.

    `header`: any header of this name counts, where `sql` is the first of them. `record_field`: the key or value whose member it is.
    """

    name: str
    kinds: frozenset[str]
    sql: Callable[[Bind], str]
    needs: tuple[str, ...] = ()
    header: str = ""
    record_field: str = ""


def readable(over: str) -> list[str]:
    """Names of the columns of a table that a rule may name, in the table's order."""
    return [column.name for column in OVER[over].columns if column.name not in INNER]


def meaning(over: str) -> list[tuple[str, str, str]]:
    """The same with kind and meaning: for the page that shows them."""
    return [
        (column.name, _kind(column.type), column.text)
        for column in OVER[over].columns
        if column.name not in INNER
    ]


def reading(over: str, name: str) -> ColumnReference | None:
    """How the column is read, or None when a rule may not name it."""
    if over == "entries" and (member := ATTRIBUTE.fullmatch(name)):
        path = "$." + ".".join(f'"{step}"' for step in member[1].split("."))
        return ColumnReference(
            name,
            frozenset({"text", "number"}),
            lambda bind: f"json_extract_string(attributes, {bind(path)})",
        )
    if over == "records" and (header := HEADER.fullmatch(name)):
        return ColumnReference(
            name, frozenset({"text"}), lambda bind: _header(bind(header[1])), ("headers", "header-values")
        )
    if over == "records" and (reference := _of_record(name)):
        return reference
    types = {column.name: column.type for column in OVER[over].columns if column.name not in INNER}
    if name not in types:
        return None
    quoted = f'"{name}"'
    sql = as_text(quoted) if types[name] == "binary" else quoted
    return ColumnReference(name, frozenset({_kind(types[name])}), lambda bind: sql, NEEDS.get(name, ()))


def _of_record(name: str) -> ColumnReference | None:
    """What the filter language of records names in the same way: docs/filters.md."""
    member_kind = frozenset({"member"})
    if header := ANY_HEADER.fullmatch(name):
        first = as_text(f"{HEADERS}[1].value")
        return ColumnReference(
            name,
            member_kind,
            lambda bind: first.format(bind(header[1]), HAS_VALUE),
            ("headers", "header-values"),
            header=header[1],
        )
    if not (member := MEMBER.fullmatch(name)):
        return None
    steps = [
        re.sub(r"\\(.)", r"\1", step[1]) if step[2] is None else step[2]
        for step in re.finditer(STEP, member[2])
    ]
    return ColumnReference(
        name,
        member_kind,
        lambda bind: member_text(member[1], steps, bind, (DECODED.format(member[1]), READ_BY_DIALECT)),
        NEEDS.get(member[1], ()),
        record_field=member[1],
    )


def as_text(blob: str) -> str:
    """Bytes as UTF-8 text; those that are none as DuckDB prints them (`\\xFF`)."""
    return f"coalesce(TRY(decode({blob})), CAST({blob} AS VARCHAR))"


def _header(name: str) -> str:
    """Value of the first header of this name; null when there is none."""
    return as_text(f"list_filter(headers, lambda header: header.key = encode({name}))[1].value")


def _kind(type_: str) -> str:
    if type_ in NUMBERS:
        return "number"
    return "truth" if type_ == "boolean" else "text"
