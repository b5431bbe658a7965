"""Reads JSON from outside with a depth limit: a text that nests too deep is as invalid as one that is not JSON.

Python's reader raises RecursionError, which is not a ValueError, at a depth that depends on the caller; writing such a
document fails sooner, and indenting it makes lines as long as it is deep.
"""

from __future__ import annotations

import json
from typing import Any

MAX_DEPTH = 100  # objects and arrays around a value; journals and requests stay below 20
MAX_SCHEMA_DEPTH = 300  # a schema has three around each record that it contains
TOO_DEEP = f"This JSON nests deeper than {MAX_DEPTH} levels. Send a flatter document."


class TooDeep(ValueError):
    """The document nests deeper than is allowed."""

    def __init__(self) -> None:
        super().__init__(TOO_DEEP)


def read(text: str | bytes, max_depth: int = MAX_DEPTH, **how: Any) -> Any:
    """The document; further arguments are those of `json.loads`. Raises ValueError, and its subclass TooDeep."""
    try:
        document = json.loads(text, **how)
    except RecursionError:
        raise TooDeep from None
    require_depth(document, max_depth)
    return document


def why_not_json(data: bytes, problem: ValueError) -> str:
    """What is wrong with bytes that a reader of JSON did not take, without the reader's words. `problem` has its position."""
    try:
        text = bytes(data).decode()
    except UnicodeDecodeError as invalid:
        return f"it is not UTF-8 text from byte {invalid.start + 1} on"
    if not text.strip():
        return "it is empty"
    if "depth" in str(problem):
        return "it nests too deeply"
    position = getattr(problem, "pos", 0)
    if position >= len(text.rstrip()):
        return "it ends before the document is complete"
    return f"character {position + 1:,} does not belong there"


def require_depth(document: Any, max_depth: int = MAX_DEPTH) -> None:
    """Raises TooDeep. Iterates level by level: no depth overflows the check itself."""
    level, depth = [document], 0
    while level := [inner for inner in level if isinstance(inner, dict | list)]:
        depth += 1
        if depth > max_depth:
            raise TooDeep
        level = [inner for outer in level for inner in (outer.values() if isinstance(outer, dict) else outer)]
