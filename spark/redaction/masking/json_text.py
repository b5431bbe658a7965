"""JSON with every member, including duplicate names, of which the last must not hide the others.

Source: RFC 8259, section 4: names of an object should be unique; what a reader does with others is its own business.
"""

from __future__ import annotations

import json
from typing import Any


class JsonObject(list[tuple[str, Any]]):
    """An object: its members in their order, with duplicates."""


def read(text: str) -> Any:
    """Raises ValueError if the text is not JSON or nests too deep."""
    try:
        return json.loads(text, object_pairs_hook=JsonObject)
    except RecursionError as problem:
        raise ValueError("nested too deeply") from problem


def as_read(value: Any) -> Any:
    """A decoded value as `read` returns it."""
    if isinstance(value, JsonObject):
        return value
    if isinstance(value, dict):
        return JsonObject((str(name), as_read(each)) for name, each in value.items())
    return list(map(as_read, value)) if isinstance(value, list) else value


def written(value: Any) -> str:
    """The value as JSON; members keep their order."""
    if isinstance(value, JsonObject):
        return "{" + ",".join(f"{_text(name)}:{written(each)}" for name, each in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return _text(value)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
