"""A single key of a known journal, one word, a list of names.

_schemas           {"keytype": ..., "magic": ...}
Connect            connector-NAME  task-NAME-n  commit-NAME  target-state-NAME  session-key  status-connector-NAME
                   ["NAME", {partition}]
__consumer_offsets [GROUP,TOPIC,n] as its formatter prints it
"""

from __future__ import annotations

import json
import re

from spark.sources._not_a_journal.words import Identified, dump, dump_of

CONNECT_KEY = re.compile(
    r"(?:connector|task|commit|target-state|status-connector|status-task|status-topic|tasks-fencing|logger-cluster)-\S+|session-key"
)
OFFSET_KEY = re.compile(r"\[[^,\[\]{}\"]+,[A-Za-z0-9._-]+,\d+\]")
WORD = re.compile(r"\S{1,300}")
NAME = re.compile(r"[A-Za-z0-9._-]{1,249}")


def identify(text: str, is_whole: bool) -> Identified | None:
    """By one line, then by many similar ones."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if is_whole and len(lines) == 1:
        return of_line(lines[0])
    if len(lines) > 1 and all(NAME.fullmatch(line) for line in lines):
        return Identified("a list of words, one a line (as kafka-topics --list prints names),", dump())
    return None


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
