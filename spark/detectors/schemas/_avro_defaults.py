"""Defaults of fields in Avro schemas that do not fit the field's type.

Avro's rule: the default of a union fits its first branch. Avro 1.12 accepts one that fits a later branch (AVRO-3649). Names that the schema does not
define (references to other subjects) fit everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import orjson

INT, LONG = 1 << 31, 1 << 63
MAX_DEPTH = 100
LATER = "later"  # fits a later branch of a union only
NO_FIT = "none"
FITS = "fits"


class InvalidDefault(NamedTuple):
    """A field with its default, both as JSON, and how far it fits."""

    field: str
    type: str
    default: str
    fit: str


def invalid_defaults(text: str) -> list[InvalidDefault]:
    """Of all fields, nested ones too; nothing for a text that is no JSON."""
    try:
        schema = orjson.loads(text)
    except ValueError:
        return []
    return list(of_schema(schema, {}, 0))


def of_schema(schema: Any, named: dict[str, Any], depth: int) -> Iterator[InvalidDefault]:
    if depth > MAX_DEPTH:
        return
    if isinstance(schema, list):
        for branch in schema:
            yield from of_schema(branch, named, depth + 1)
    elif isinstance(schema, dict):
        if isinstance(schema.get("name"), str):
            named[schema["name"].rpartition(".")[2]] = schema
        for member in ("type", "items", "values"):
            if isinstance(schema.get(member), dict | list):
                yield from of_schema(schema[member], named, depth + 1)
        fields = schema.get("fields")
        for field in fields if isinstance(fields, list) else ():
            if isinstance(field, dict) and "type" in field:
                yield from of_field(field, named, depth)


def of_field(field: dict[str, Any], named: dict[str, Any], depth: int) -> Iterator[InvalidDefault]:
    yield from of_schema(field["type"], named, depth + 1)
    if "default" in field:
        fit = how_it_fits(field["default"], field["type"], named, 0)
        if fit != FITS:
            type_text, default = (orjson.dumps(field[member]).decode() for member in ("type", "default"))
            yield InvalidDefault(str(field.get("name")), type_text, default, fit)


def how_it_fits(value: Any, schema: Any, named: dict[str, Any], depth: int) -> str:
    if not isinstance(schema, list):
        return FITS if fits(value, schema, named, depth) else NO_FIT
    if not schema or fits(value, schema[0], named, depth):
        return FITS
    return LATER if any(fits(value, branch, named, depth) for branch in schema[1:]) else NO_FIT


def fits(value: Any, schema: Any, named: dict[str, Any], depth: int) -> bool:
    """Whether a default fits a type that is no union at its top; what this does not know fits."""
    if depth > MAX_DEPTH:
        return True
    if isinstance(schema, list):
        return how_it_fits(value, schema, named, depth + 1) == FITS
    kind = schema.get("type") if isinstance(schema, dict) else schema
    if isinstance(kind, dict | list):
        return fits(value, kind, named, depth + 1)
    if isinstance(schema, str) and (defined := named.get(schema.rpartition(".")[2])) is not None:
        return fits(value, defined, named, depth + 1)
    if isinstance(kind, str) and kind in SIMPLE:
        return SIMPLE[kind](value)
    if not isinstance(schema, dict):
        return True
    if kind == "enum":
        return isinstance(value, str) and value in schema.get("symbols", [value])
    if kind == "array":
        return isinstance(value, list) and all(
            fits(item, schema.get("items"), named, depth + 1) for item in value
        )
    if kind == "map":
        return isinstance(value, dict) and all(
            fits(item, schema.get("values"), named, depth + 1) for item in value.values()
        )
    if kind in ("record", "error"):
        return isinstance(value, dict)
    return True


def is_whole(value: Any, limit: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -limit <= value < limit


def is_number(value: Any) -> bool:
    """Avro's Java library reads NaN and infinities as text."""
    return (isinstance(value, int | float) and not isinstance(value, bool)) or value in (
        "NaN",
        "Infinity",
        "-Infinity",
    )


SIMPLE: dict[Any, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "int": lambda value: is_whole(value, INT),
    "long": lambda value: is_whole(value, LONG),
    "float": is_number,
    "double": is_number,
    "string": lambda value: isinstance(value, str),
    "bytes": lambda value: isinstance(value, str),
    "fixed": lambda value: isinstance(value, str),
}
