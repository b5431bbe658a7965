"""Whether a reader with one Avro schema can read what was written with another: the first place where it cannot.

Only what fails for certain counts: names of types are not compared, and a name that neither schema defines (another subject's) fits everything.
Source: Avro specification, "Schema Resolution"; Java's SchemaCompatibility, by which registries check new versions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from spark.detectors.schemas._avro_forms import MAX_DEPTH, NAMED, PRIMITIVES, in_full
from spark.terms import marked
from spark.terms.typed_wording import some

# What a reader of a type reads besides that type.
PROMOTED = {
    "long": {"int"},
    "float": {"int", "long"},
    "double": {"int", "long", "float"},
    "bytes": {"string"},
    "string": {"bytes"},
}


class Misfit(NamedTuple):
    """Where in the schema, such as `address.city`, and why; `why` names the two sides as {reader} and {writer}."""

    path: str
    why: str

    def sentence(self, reader: str, writer: str) -> str:
        return f"{self.path} {self.why.format(reader=reader, writer=writer)}"


def misfit(reader: Any, writer: Any) -> Misfit | None:
    """None: records of the writer can be read."""
    return Resolution(in_full(reader), in_full(writer)).misfit()


class Resolution:
    """Both schemas, and the types that they define by name."""

    def __init__(self, reader: Any, writer: Any) -> None:
        self.reader, self.writer = reader, writer
        self.of_reader, self.of_writer = dict(named_types(reader)), dict(named_types(writer))
        self.under_way: set[tuple[int, int]] = set()

    def misfit(self) -> Misfit | None:
        return self.between(self.reader, self.writer, ())

    def between(self, reader: Any, writer: Any, path: tuple[str, ...]) -> Misfit | None:
        reader, writer = defined(reader, self.of_reader), defined(writer, self.of_writer)
        pair = (id(reader), id(writer))
        if len(path) > MAX_DEPTH or pair in self.under_way:
            return None
        self.under_way.add(pair)
        try:
            return self.of_types(reader, writer, path)
        finally:
            self.under_way.discard(pair)

    def of_types(self, reader: Any, writer: Any, path: tuple[str, ...]) -> Misfit | None:
        if isinstance(writer, list):
            return next((miss for branch in writer if (miss := self.between(reader, branch, path))), None)
        if isinstance(reader, list):
            if any(self.between(branch, writer, path) is None for branch in reader):
                return None
            return at(path, f"has no branch for type {marked.name(kind_of(writer))} of {{writer}}")
        read, written = kind_of(reader), kind_of(writer)
        if not {read, written} <= PRIMITIVES | NAMED | {"array", "map"}:
            return None
        if read != written:
            return None if written in PROMOTED.get(read, ()) else at(path, type_clause(read, written))
        if read in ("array", "map"):
            member = "items" if read == "array" else "values"
            return self.between(reader.get(member), writer.get(member), (*path, member))
        if read == "enum":
            return of_symbols(reader, writer, path)
        if read == "fixed" and reader.get("size") != writer.get("size"):
            return at(path, "has another size in {writer}")
        return self.of_records(reader, writer, path) if read in ("record", "error") else None

    def of_records(
        self, reader: dict[str, Any], writer: dict[str, Any], path: tuple[str, ...]
    ) -> Misfit | None:
        written = {field.get("name"): field for field in fields_of(writer)}
        for field in fields_of(reader):
            names = [field.get("name"), *(field.get("aliases") or [])]
            same = next((written[name] for name in names if name in written), None)
            inner = (*path, str(field.get("name")))
            if same is None:
                if "default" not in field:
                    return at(inner, "of {reader} has no default, and {writer} does not contain it")
            elif miss := self.between(field.get("type"), same.get("type"), inner):
                return miss
        return None


def at(path: tuple[str, ...], why: str) -> Misfit:
    return Misfit(f"Field {marked.name('.'.join(path))}" if path else "The schema", why)


def type_clause(read: str, written: str) -> str:
    return f"has type {marked.name(read)} in {{reader}} and {marked.name(written)} in {{writer}}"


def of_symbols(reader: dict[str, Any], writer: dict[str, Any], path: tuple[str, ...]) -> Misfit | None:
    symbols = set(reader.get("symbols") or ())
    missing = [str(symbol) for symbol in writer.get("symbols") or () if symbol not in symbols]
    if not missing or "default" in reader:
        return None
    return at(
        path,
        f"of {{reader}} does not have the {'symbol' if len(missing) == 1 else 'symbols'} {some(marked.names(missing))} of {{writer}}",
    )


def kind_of(schema: Any) -> str:
    kind = schema.get("type") if isinstance(schema, dict) else schema
    return kind if isinstance(kind, str) else ""


def fields_of(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return [field for field in schema.get("fields") or () if isinstance(field, dict)]


def defined(schema: Any, types: dict[str, Any]) -> Any:
    """What a name stands for, and the type within `{"type": {...}}`."""
    if isinstance(schema, str):
        return types.get(schema, schema)
    if isinstance(schema, dict) and isinstance(schema.get("type"), dict | list):
        return defined(schema["type"], types)
    return schema


def named_types(schema: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Types with a full name, wherever in the schema they are defined."""
    if depth > MAX_DEPTH:
        return
    if isinstance(schema, list):
        for branch in schema:
            yield from named_types(branch, depth + 1)
    elif isinstance(schema, dict):
        if kind_of(schema) in NAMED and isinstance(schema.get("name"), str):
            yield schema["name"], schema
        for member in ("type", "items", "values"):
            yield from named_types(schema.get(member), depth + 1)
        for field in fields_of(schema):
            yield from named_types(field.get("type"), depth + 1)
