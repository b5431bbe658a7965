"""Avro's binary encoding -> JSON-able values, by the writer's schema.

    null: nothing            boolean: one byte       int, long: zigzag varint     float, double: 4, 8 bytes, little-endian
    bytes, string: long, then that many bytes        fixed: that many bytes       enum: int, index of the symbol
    record: its fields       union: long, index of the branch, then the value
    array, map: blocks of a long (count; negative: its size in bytes follows), then so many items; count 0 ends

Logical types are shown as their underlying types. Source: the Avro specification 1.11, "Binary encoding".
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import thread_time
from typing import Any, TypeVar

from spark.codecs.varint import MAX_BYTES_OF_INT64, InvalidVarint, from_zigzag, read_unsigned

Item = TypeVar("Item")

MAX_DEPTH = 100  # of values within values
MAX_ITEMS = 100_000  # of a value in all: items of nothing take no bytes
MAX_NAME_CHARACTERS = 32_000_000  # of names and symbols in a value, which takes a byte or none for each
MAX_ITEMS_OF_ARRAY = 1_000_000  # where each takes a byte at least
MAX_S = 2.0  # of processor time: a schema may describe more values of nothing than can ever be read
VALUES_BETWEEN_LOOKS = 64  # at the clock
NUMBERS = {"float": struct.Struct("<f"), "double": struct.Struct("<d")}
PRIMITIVES = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
Names = dict[str, Any]
ENDS = "it ends within a field, {} bytes in"


class InvalidAvro(ValueError):
    """Why the bytes are no value of the schema, or the schema cannot be used."""


def decode(
    schema: Any,
    data: bytes,
    references: Sequence[Any] = (),
    *,
    names: Names | None = None,
    max_s: float = MAX_S,
) -> Any:
    """The value that all of `data` encodes. Raises InvalidAvro.

    `references`: schemas that this one refers to by name; `names`: further named types (from `names_of`).
    """
    decoder = AvroDecoder(data, {**(names or {}), **names_of([*references, schema])}, thread_time() + max_s)
    value = decoder.value(schema, "", 0)
    if decoder.position != len(data):
        raise InvalidAvro(f"{len(data) - decoder.position} bytes are left behind the value")
    return value


def names_of(schemas: Sequence[Any]) -> Names:
    """Every named type in these schemas by its full name, for `names` of `decode`."""
    names: Names = {}
    try:
        for schema in schemas:
            collect(schema, "", names)
    except RecursionError as error:
        raise InvalidAvro(f"its schema is deeper than {MAX_DEPTH} levels") from error
    return names


def collect(schema: Any, namespace: str, names: Names) -> None:
    """Adds every named type of a schema to `names`; `namespace`: the enclosing one."""
    if isinstance(schema, list):
        for branch in schema:
            collect(branch, namespace, names)
    if not isinstance(schema, Mapping):
        return
    if schema.get("type") in ("record", "error", "enum", "fixed"):
        name = full_name(str(schema.get("name", "")), schema.get("namespace"), namespace)
        names[name] = schema
        namespace = name.rpartition(".")[0]
    fields = schema.get("fields")
    for field in fields if isinstance(fields, list) else ():
        if isinstance(field, Mapping):
            collect(field.get("type"), namespace, names)
    for inner in ("items", "values", "type"):
        if isinstance(schema.get(inner), (Mapping, list)):
            collect(schema[inner], namespace, names)


def full_name(name: str, own_namespace: Any, namespace: str) -> str:
    if "." in name:
        return name
    space = own_namespace if isinstance(own_namespace, str) else namespace
    return f"{space}.{name}" if space else name


class AvroCursor:
    """Reads values in sequence where the caller knows their types. Raises InvalidAvro."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def long(self) -> int:
        try:
            number, self.position = read_unsigned(self.data, self.position, MAX_BYTES_OF_INT64)
        except IndexError:
            raise InvalidAvro(ENDS.format(len(self.data))) from None
        except InvalidVarint:
            raise InvalidAvro("a number has more than ten bytes") from None
        if number >= 1 << 64:
            raise InvalidAvro("a number has more than 64 bits")
        return from_zigzag(number)

    def take(self, size_bytes: int) -> bytes:
        start, end = self.position, self.position + size_bytes
        if size_bytes < 0 or end > len(self.data):
            raise InvalidAvro(ENDS.format(len(self.data)))
        self.position = end
        return self.data[start:end]

    def bytes_(self) -> bytes:
        return self.take(self.long())

    def text(self) -> str:
        """A string; it must be UTF-8."""
        try:
            return self.bytes_().decode()
        except UnicodeDecodeError as error:
            raise InvalidAvro("a string is not UTF-8") from error

    def optional(self, read: Callable[[], Item]) -> Item | None:
        """A union of a type and null, in this order."""
        branch = self.long()
        if branch not in (0, 1):
            raise InvalidAvro(f"a union has no branch {branch}")
        return read() if branch == 0 else None

    def array(self, read: Callable[[], Item]) -> list[Item]:
        """A list whose items take at least one byte each."""
        items: list[Item] = []
        for count in self.blocks():
            if count > min(MAX_ITEMS_OF_ARRAY, len(self.data) - self.position):
                raise InvalidAvro(ENDS.format(len(self.data)))
            items += [read() for _ in range(count)]
        return items

    def blocks(self) -> Iterator[int]:
        while count := self.long():
            if count < 0:
                self.long()  # the block's size in bytes
            yield abs(count)


class AvroDecoder(AvroCursor):
    def __init__(self, data: bytes, names: Names, until: float) -> None:
        super().__init__(data)
        self.names = names
        self.until = until
        self.items = 0
        self.values = 0
        self.name_characters = 0

    def value(self, schema: Any, namespace: str, depth: int) -> Any:
        """A value of this schema, which stands in this namespace."""
        if depth > MAX_DEPTH:
            raise InvalidAvro(f"it is deeper than {MAX_DEPTH} levels")
        self.values += 1
        if self.values % VALUES_BETWEEN_LOOKS == 0 and thread_time() > self.until:
            raise InvalidAvro("reading it takes too long")
        if isinstance(schema, list):
            branch = self.long()
            if not 0 <= branch < len(schema):
                raise InvalidAvro(f"a union has no branch {branch}")
            return self.value(schema[branch], namespace, depth + 1)
        if isinstance(schema, Mapping):
            return self.complex(schema, namespace, depth)
        return self.named(schema, namespace, depth)

    def named(self, name: Any, namespace: str, depth: int) -> Any:
        """A primitive, or a type that was described elsewhere."""
        if name in PRIMITIVES:
            return self.primitive(name)
        for full in (full_name(str(name), None, namespace), str(name)):
            if full in self.names:
                return self.complex(self.names[full], full.rpartition(".")[0], depth)
        raise InvalidAvro(f"the schema names {str(name)[:80]}, which is described nowhere")

    def primitive(self, name: str) -> Any:
        if name == "null":
            return None
        if name == "boolean":
            byte = self.take(1)[0]
            if byte > 1:
                raise InvalidAvro(f"a boolean is {byte}")
            return bool(byte)
        if name in NUMBERS:
            return NUMBERS[name].unpack(self.take(NUMBERS[name].size))[0]
        if name in ("int", "long"):
            return self.long()
        return self.text() if name == "string" else as_hex(self.bytes_())

    def complex(self, schema: Mapping[str, Any], namespace: str, depth: int) -> Any:
        kind = schema.get("type")
        read: Callable[[Mapping[str, Any], str, int], Any] | None = {
            "record": self.record,
            "error": self.record,
            "enum": self.enum,
            "fixed": self.fixed,
            "array": self.array_of,
            "map": self.map_of,
        }.get(kind if isinstance(kind, str) else "")
        if read is None:
            return self.value(kind, namespace, depth + 1)
        name = full_name(str(schema.get("name", "")), schema.get("namespace"), namespace)
        is_named = kind in ("record", "error", "enum", "fixed")
        return read(schema, name.rpartition(".")[0] if is_named else namespace, depth)

    def record(self, schema: Mapping[str, Any], namespace: str, depth: int) -> dict[str, Any]:
        fields = schema.get("fields")
        if not isinstance(fields, list) or not all(isinstance(field, Mapping) for field in fields):
            raise InvalidAvro("a record of the schema has no fields")
        return {
            self.name(field.get("name")): self.value(field.get("type"), namespace, depth + 1)
            for field in fields
        }

    def enum(self, schema: Mapping[str, Any], namespace: str, depth: int) -> Any:
        index, symbols = self.long(), schema.get("symbols")
        if not isinstance(symbols, list) or not 0 <= index < len(symbols):
            raise InvalidAvro(f"an enum has no symbol {index}")
        return self.name(symbols[index])

    def name(self, name: Any) -> str:
        """What the schema writes into the value; a few bytes could repeat a long one until no memory holds them."""
        text = str(name)
        self.name_characters += len(text)
        if self.name_characters > MAX_NAME_CHARACTERS:
            raise InvalidAvro(f"its names take more than {MAX_NAME_CHARACTERS:,} characters")
        return text

    def fixed(self, schema: Mapping[str, Any], namespace: str, depth: int) -> str:
        size = schema.get("size")
        return as_hex(self.take(size if isinstance(size, int) else -1))

    def array_of(self, schema: Mapping[str, Any], namespace: str, depth: int) -> list[Any]:
        return [self.value(schema.get("items"), namespace, depth + 1) for _ in self.each_item()]

    def map_of(self, schema: Mapping[str, Any], namespace: str, depth: int) -> dict[str, Any]:
        return {self.text(): self.value(schema.get("values"), namespace, depth + 1) for _ in self.each_item()}

    def each_item(self) -> Iterator[None]:
        for count in self.blocks():
            for _ in range(min(count, MAX_ITEMS + 1)):
                self.items += 1
                if self.items > MAX_ITEMS:
                    raise InvalidAvro(f"it has more than {MAX_ITEMS:,} items")
                yield


class HexBytes(str):
    """Bytes within a value, shown as hex even if they spell text."""


def as_hex(content: bytes) -> HexBytes:
    return HexBytes(f"0x{content.hex()}")
