"""How a user says what the columns of a table, or the members of JSON objects, contain.

    key=KEY,value=payload,timestamp=meta.ts       part of a record = column, member of an object, or path of members
    value="a, b",key="a ""b"" c"                   quoted where the name contains a comma or a quote, or begins with # or a space
    key=#2,value=#3                               by number, where a table has no line with names

Page: docs/sources/other-csv.md
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from spark.terms.wording import listed

ROLES = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")
EXAMPLE = "key=KEY,value=payload,offset=off"
PAIR = re.compile(
    r'\s*(?P<role>[^=,]*?)\s*=\s*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>(?!")[^,]*?))\s*(?:,|\Z)'
)
NUMBER = re.compile(r"#([1-9]\d{0,3})")
KCAT_FIELD = re.compile(r"%[sk]")
PLAIN = re.compile(r'[^\s",#](?:[^",]*[^\s",])?')


class NotAMapping(ValueError):
    """The sentence says why, and what to write."""


class ColumnName(NamedTuple):
    """A column by its name, or by its number from 1 where `name` is empty."""

    name: str
    number: int = 0

    def __str__(self) -> str:
        return f"#{self.number}" if self.number else self.name


def is_mapping(text: str) -> bool:
    """Whether a text is meant as a mapping, not as a format of kcat, which has %s or %k."""
    return "=" in text and not KCAT_FIELD.search(text)


def parsed_columns(text: str) -> dict[str, ColumnName]:
    """Part of a record -> column. Raises NotAMapping."""
    columns: dict[str, ColumnName] = {}
    position = 0
    while position < len(text):
        pair = PAIR.match(text, position)
        if pair is None or pair.end() == position:
            raise NotAMapping(
                f"“{text[position : position + 40].strip()}” does not name a column. Write part=column, separated by commas: {EXAMPLE}."
            )
        role = pair["role"].lower()
        if role not in ROLES:
            raise NotAMapping(f"“{role}” is not a part of a record. The parts are {listed(list(ROLES))}.")
        if role in columns:
            raise NotAMapping(f"“{role}” is named twice. Name each part once.")
        columns[role] = column_of(pair)
        if not any(columns[role]):
            raise NotAMapping(f"“{role}” has no column. Write {role}=COLUMN, or leave {role} out.")
        position = pair.end()
    if not {"key", "value"}.intersection(columns):
        raise NotAMapping(f"A record needs a key or a value. Name the column of one: {EXAMPLE}.")
    return columns


def column_of(pair: re.Match[str]) -> ColumnName:
    if pair["quoted"] is not None:
        return ColumnName(pair["quoted"].replace('""', '"'))
    number = NUMBER.fullmatch(pair["plain"])
    return ColumnName("", int(number[1])) if number else ColumnName(pair["plain"])


def written_columns(columns: Mapping[str, ColumnName]) -> str:
    """The mapping as `parsed_columns` reads it, parts in the order of ROLES."""
    return ",".join(f"{role}={quoted(columns[role])}" for role in ROLES if role in columns)


def quoted(column: ColumnName) -> str:
    if column.number or PLAIN.fullmatch(column.name):
        return str(column)
    return '"' + column.name.replace('"', '""') + '"'
