"""An Avro schema without the members that no reader uses: descriptions, and properties of its writer.

Source: Avro 1.12, "Parsing Canonical Form for Schemas"; defaults, aliases and logical types stay, because readers use them.
"""

from __future__ import annotations

from typing import Any

import orjson

MEANT = frozenset({
    "type", "name", "namespace", "fields", "symbols", "items", "values", "size", "default", "aliases", "order", "logicalType", "precision", "scale",
})  # fmt: skip
MAX_DEPTH = 100


def meaning(text: str) -> bytes | None:
    """The schema as JSON that is equal for schemas that differ in such members only; None for a text that is no JSON."""
    try:
        return orjson.dumps(of_schema(orjson.loads(text), 0), option=orjson.OPT_SORT_KEYS)
    except ValueError:
        return None


def of_schema(schema: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError("nested too deep")
    if isinstance(schema, list):
        return [of_schema(branch, depth + 1) for branch in schema]
    if not isinstance(schema, dict):
        return schema
    members = {name: value for name, value in schema.items() if name in MEANT}
    for name in ("type", "items", "values"):
        if name in members:
            members[name] = of_schema(members[name], depth + 1)
    if isinstance(members.get("fields"), list):
        members["fields"] = [of_schema(field, depth + 1) for field in members["fields"]]
    return members
