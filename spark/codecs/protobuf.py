"""Protobuf messages -> JSON-able values, by descriptors (`FileDescriptorSet`).

A message fits if it has no field unknown to its type, and the same size when written again. Fields that were not written are
not shown. Source: the Protobuf encoding.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from time import monotonic
from typing import Any

from spark.codecs.avro import MAX_DEPTH, MAX_ITEMS, MAX_NAME_CHARACTERS, as_hex

WELL_KNOWN = (
    "any",
    "api",
    "descriptor",
    "duration",
    "empty",
    "field_mask",
    "source_context",
    "struct",
    "timestamp",
    "type",
    "wrappers",
)
MAX_S = 1.0


class InvalidProtobuf(ValueError):
    """The bytes are not a message of the type, or the descriptors are unusable."""


@dataclass(frozen=True)
class ProtoFile:
    """A linked .proto file of a set: its descriptor, and the pool that resolves its types."""

    description: Any
    pool: Any

    @property
    def names(self) -> list[str]:
        return [joined(self.description.package, message.name) for message in self.description.message_type]

    def name_at(self, indexes: list[int]) -> str | None:
        """The message at this index path, or None."""
        name, messages = self.description.package, self.description.message_type
        for index in indexes:
            if not 0 <= index < len(messages):
                return None
            name, messages = joined(name, messages[index].name), messages[index].nested_type
        return name


def joined(space: str, name: str) -> str:
    return f"{space}.{name}" if space else name


def link(content: bytes) -> list[ProtoFile]:
    """The files of a set in import order; files that cannot be linked are left out."""
    # Only reports with such a file pay for the library.
    from google.protobuf.descriptor_pb2 import FileDescriptorSet
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message import DecodeError

    try:
        own = {file.name: file for file in FileDescriptorSet.FromString(content).file}
        files = well_known() | own
        imports = {name: [path for path in file.dependency if path in files] for name, file in files.items()}
        order = list(TopologicalSorter(imports).static_order())
    except DecodeError as error:
        raise InvalidProtobuf("it is not a FileDescriptorSet") from error
    except CycleError as error:
        raise InvalidProtobuf("its files import each other in a circle") from error
    pool = DescriptorPool()
    linked = [name for name in order if is_linked(pool, files[name])]
    return [ProtoFile(files[name], pool) for name in reversed(linked) if name in own]


def well_known() -> dict[str, Any]:
    """Files that every Protobuf library ships and sets often leave out."""
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    files = {}
    for name in WELL_KNOWN:
        module = import_module(f"google.protobuf.{name}_pb2")
        files[module.DESCRIPTOR.name] = description = FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(description)
    return files


def is_linked(pool: Any, file: Any) -> bool:
    """Adds a file whose imports were added before; False if one is missing or the file is invalid."""
    try:
        pool.AddSerializedFile(file.SerializePartialToString())
    except (TypeError, ValueError):
        return False
    return True


def read_message(pool: Any, name: str, data: bytes) -> Any:
    """The message as JSON-able members. Raises InvalidProtobuf."""
    from google.protobuf.message import DecodeError
    from google.protobuf.message_factory import GetMessageClass

    try:
        message = GetMessageClass(pool.FindMessageTypeByName(name)).FromString(data)
    except (DecodeError, KeyError, TypeError) as error:
        raise InvalidProtobuf(f"it is no {name}") from error
    message.DiscardUnknownFields()
    if not message.IsInitialized() or message.ByteSize() != len(data):
        raise InvalidProtobuf(f"it has fields that {name} does not know, or lacks some that it must have")
    return MessageRenderer(monotonic() + MAX_S).message(message, 0)


class MessageRenderer:
    """Messages as dicts by field name, in the order of field numbers."""

    def __init__(self, until: float) -> None:
        self.until = until
        self.items = 0
        self.name_characters = 0

    def message(self, message: Any, depth: int) -> dict[str, Any]:
        if depth > MAX_DEPTH // 2:
            raise InvalidProtobuf(f"it is deeper than {MAX_DEPTH // 2} levels")
        self.count(1)
        return {
            self.name(field.full_name if field.is_extension else field.name): self.field(field, value, depth)
            for field, value in message.ListFields()
        }

    def field(self, field: Any, value: Any, depth: int) -> Any:
        if isinstance(value, Mapping):
            self.count(len(value))
            of_value = field.message_type.fields_by_name["value"]
            return {key_text(key): self.single_value(of_value, value[key], depth) for key in value}
        if isinstance(value, MutableSequence):
            self.count(len(value))
            return [self.single_value(field, item, depth) for item in value]
        return self.single_value(field, value, depth)

    def single_value(self, field: Any, value: Any, depth: int) -> Any:
        """A message, an enum by its name, bytes as hex, or a JSON value."""
        if field.message_type is not None:
            return self.message(value, depth + 1)
        if field.enum_type is not None:
            symbol = field.enum_type.values_by_number.get(value)
            return self.name(symbol.name) if symbol else value
        return as_hex(value) if isinstance(value, bytes) else value

    def name(self, name: str) -> str:
        """As in Avro: raises InvalidProtobuf once the names of a message take too many characters."""
        self.name_characters += len(name)
        if self.name_characters > MAX_NAME_CHARACTERS:
            raise InvalidProtobuf(f"its names take more than {MAX_NAME_CHARACTERS:,} characters")
        return name

    def count(self, items: int) -> None:
        """Raises InvalidProtobuf once a message has too many items to show."""
        self.items += items
        if self.items > MAX_ITEMS or monotonic() > self.until:
            raise InvalidProtobuf(f"it has more than {MAX_ITEMS:,} items, or takes too long to read")


def key_text(key: object) -> str:
    """The key of a map, as JSON writes it."""
    return str(key).lower() if isinstance(key, bool) else str(key)
