"""Avro schemas in their two canonical forms.

    before 2.5.9   sorted JSON, the top-level `fields` ordered by name
    2.5.9 on       the schema printed by Avro itself: every `doc` empty, aliases dropped, properties kept, a name
                   written out once and referred to afterwards

Source: AvroContentCanonicalizer.java 2.5.8.Final, EnhancedAvroContentCanonicalizer.java 2.6.13.Final, Avro Schema.java.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spark.dialects.apicurio_v2.canonical.json_text import pieces

PRIMITIVES = {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}
NAMED = {"record", "error", "enum", "fixed"}
CONTAINERS = {"array": "items", "map": "values"}
KINDS = NAMED | PRIMITIVES | CONTAINERS.keys()
RESERVED = {
    "doc", "fields", "items", "name", "namespace", "size", "symbols", "values", "type", "aliases", "default",
}  # fmt: skip
FIELD_RESERVED = {"default", "doc", "name", "order", "type", "aliases"}
Members = dict[str, Any]


class NotHere(ValueError):
    """The schema needs a type that it does not contain."""


def is_schema(value: Any) -> bool:
    if isinstance(value, dict):
        kind = value.get("type")  # a list in JSON Schema
        return isinstance(kind, str) and kind in KINDS and "$schema" not in value
    return isinstance(value, list | str)


def with_sorted_fields(value: Any) -> Any:
    """A copy with the top-level fields sorted by name, duplicates removed."""
    fields = value.get("fields") if isinstance(value, dict) else None
    if not isinstance(fields, list) or not all(isinstance(field, dict) for field in fields):
        return value
    by_name = {str(field.get("name")): field for field in reversed(fields)}
    return {**value, "fields": [by_name[name] for name in sorted(by_name)]}


def texts(value: Any) -> Iterator[bytes]:
    """The schema as Avro prints it: numbers unchanged and, if that differs, defaults converted to the field's type."""
    for typed_defaults in (True, False):
        try:
            printed = Printer(typed_defaults).schema(value, None)
        except (NotHere, RecursionError, TypeError, AttributeError, KeyError, OverflowError):
            return
        yield "".join(pieces(printed, ordered=False)).encode("utf-8", "surrogatepass")


class Printer:
    """Builds a document with members in the order in which Avro prints them."""

    def __init__(self, typed_defaults: bool) -> None:
        self.typed_defaults = typed_defaults
        self.known: set[str] = set()

    def schema(self, value: Any, space: str | None) -> Any:
        if isinstance(value, list):
            return [self.schema(branch, space) for branch in value]
        if isinstance(value, str):
            return value if value in PRIMITIVES else self.reference(value, space)
        kind = value["type"]
        if isinstance(kind, dict | list):
            return self.schema(kind, space)
        if kind in NAMED:
            return self.named(kind, value, space)
        if kind in CONTAINERS:
            contained = CONTAINERS[kind]
            return {
                "type": kind,
                contained: self.schema(value[contained], space),
                **properties(value, RESERVED),
            }
        more = properties(value, RESERVED)
        return {"type": self.schema(kind, space), **more} if more else self.schema(kind, space)

    def reference(self, name: str, space: str | None) -> str:
        full = name if "." in name or not space else f"{space}.{name}"
        if full not in self.known:
            raise NotHere(full)
        holder, _, simple = full.rpartition(".")
        return simple if (holder or None) == space else full

    def named(self, kind: str, value: Members, space: str | None) -> Members:
        own, simple = name_of(value, space)
        self.known.add(f"{own}.{simple}" if own else simple)
        head: Members = {"type": kind, "name": simple}
        if own != space:
            head["namespace"] = own or ""
        head["doc"] = ""
        if kind == "enum":
            head["symbols"] = value["symbols"]
            if "default" in value:
                head["default"] = value["default"]
        elif kind == "fixed":
            head["size"] = value["size"]
        else:
            head["fields"] = [self.field(field, own) for field in value["fields"]]
        return {**head, **properties(value, RESERVED)}

    def field(self, field: Members, space: str | None) -> Members:
        printed: Members = {"name": field["name"], "type": self.schema(field["type"], space), "doc": ""}
        if "default" in field:
            printed["default"] = self.default(field["default"], field["type"])
        if field.get("order", "ascending") != "ascending":
            printed["order"] = field["order"]
        return {**printed, **properties(field, FIELD_RESERVED)}

    def default(self, value: Any, kind: Any) -> Any:
        """A default value; an integer for a floating-point type gets a fraction."""
        first = kind[0] if isinstance(kind, list) and kind else kind
        is_floating = first in ("float", "double") and isinstance(value, int) and not isinstance(value, bool)
        return float(value) if self.typed_defaults and is_floating else value


def name_of(value: Members, space: str | None) -> tuple[str | None, str]:
    """Namespace and simple name of a named type."""
    name = value["name"]
    if "." in name:
        holder, _, simple = name.rpartition(".")
        return holder or None, simple
    own = value.get("namespace", space)
    return own or None, name


def properties(value: Members, reserved: set[str]) -> Members:
    """Members outside the schema language."""
    return {name: member for name, member in value.items() if name not in reserved}
