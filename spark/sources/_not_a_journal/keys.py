"""A single key of a known journal, one word, a list of names, a table of a spreadsheet.

_schemas           {"keytype": ..., "magic": ...}
Connect            connector-NAME  task-NAME-n  commit-NAME  target-state-NAME  session-key  status-connector-NAME
                   ["NAME", {partition}]
__consumer_offsets [GROUP,TOPIC,n] as its formatter prints it
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter

from spark.sources._not_a_journal.words import Identified, dump, dump_of
from spark.terms.wording import some

CONNECT_KEY = re.compile(
    r"(?:connector|task|commit|target-state|status-connector|status-task|status-topic|tasks-fencing|logger-cluster)-\S+|session-key"
)
OFFSET_KEY = re.compile(r"\[[^,\[\]{}\"]+,[A-Za-z0-9._-]+,\d+\]")
WORD = re.compile(r"\S{1,300}")
NAME = re.compile(r"[A-Za-z0-9._-]{1,249}")
SEPARATORS = ",;|"  # tabs stand between keys and values, too
COLUMN = re.compile(r"[^\W\d][\w .()/#%-]{0,60}")
MIN_ROWS = 3
RECORD_COLUMNS = {"offset", "partition", "partitionid", "key", "value", "payload", "headers"}
COLUMNS_NAMED = 6


def identify(text: str, is_whole: bool) -> Identified | None:
    """By one line, then by many similar ones."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if is_whole and len(lines) == 1:
        return of_line(lines[0])
    if len(lines) > 1 and all(NAME.fullmatch(line) for line in lines):
        return Identified("a list of words, one a line (as kafka-topics --list prints names),", dump())
    return of_table(text.splitlines())


def of_line(line: str) -> Identified | None:
    """A key that a known service writes, or a word."""
    if is_schemas_key(line):
        return Identified("a single key of a schema registry's journal", dump_of("_schemas", "the registry"))
    if is_connect_offset_key(line):
        return Identified(
            "a single key of Connect's offsets", dump_of("connect-offsets", "Connect's offsets")
        )
    if CONNECT_KEY.fullmatch(line.strip('"')):
        return Identified("a single key of Connect's topics", dump_of("connect-configs", "Connect's configs"))
    if OFFSET_KEY.fullmatch(line):
        return Identified("a single key of __consumer_offsets", dump(["__consumer_offsets"]))
    return (
        Identified("a single word or key", dump()) if WORD.fullmatch(line) and line[0] not in "{[<" else None
    )


def is_schemas_key(line: str) -> bool:
    """JSON with a keytype."""
    members = json_of(line)
    return isinstance(members, dict) and isinstance(members.get("keytype"), str)


def is_connect_offset_key(line: str) -> bool:
    """A connector's name and a partition of its source."""
    items = json_of(line)
    return (
        isinstance(items, list)
        and len(items) == 2
        and isinstance(items[0], str)
        and isinstance(items[1], dict)
    )


def json_of(line: str) -> object:
    """The line as JSON, or None."""
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value


def are_names(cells: list[str]) -> bool:
    """Whether a first line may be a header."""
    names = [cell.strip() for cell in cells]
    is_export = RECORD_COLUMNS.intersection(name.lower() for name in names)
    return len(set(names)) == len(names) and not is_export and all(COLUMN.fullmatch(name) for name in names)


def of_table(lines: list[str]) -> Identified | None:
    """A table whose columns do not occur in exports of records."""
    filled = [line for line in lines if line.strip()]
    if len(filled) < MIN_ROWS:
        return None
    separator = max(SEPARATORS, key=filled[0].count)
    try:
        widths = [len(row) for row in csv.reader(filled[:50], delimiter=separator)]
        header = next(csv.reader(filled[:1], delimiter=separator))
    except csv.Error:
        return None
    width, times = Counter(widths).most_common(1)[0]
    if width < 2 or times < len(widths) - 1 or len(header) != width or not are_names(header):
        return None
    columns = some([name.strip() for name in header], COLUMNS_NAMED)
    return Identified(f"a table (CSV, as a spreadsheet saves it) with the columns {columns}", dump())
