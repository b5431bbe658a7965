"""A serialised `HashMap<byte[], byte[]>`: its pairs in sequence; anything else in the stream is rejected.

    stream     => AC ED 00 05 object
    object     => 70 | 71 handle:int32 | 73 classDesc classdata | 75 classDesc size:int32 byte*
    classDesc  => 70 | 71 handle:int32 | 72 name uid:int64 flags:int8 count:int16 field* annotation classDesc
    field      => type:int8 name [object]          B C D F I J S Z: primitive; [ L: an object
    annotation => 78                               other annotations do not occur here
    map        => loadFactor:float threshold:int32 77 08 buckets:int32 size:int32 (object object)* 78

Handles count class descriptions, objects and arrays from 007E0000 in the order in which they begin.
Source: Java Object Serialization Specification, section 6.4; `java.util.HashMap.writeObject`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MAGIC = b"\xac\xed\x00\x05"
NULL, REFERENCE, CLASS, OBJECT, ARRAY, BLOCK, END = 0x70, 0x71, 0x72, 0x73, 0x75, 0x77, 0x78
FIRST_HANDLE = 0x7E0000
MAP, BYTES = "java.util.HashMap", "[B"
SIZES = {"B": 1, "C": 2, "D": 8, "F": 4, "I": 4, "J": 8, "S": 2, "Z": 1}
MAX_DEPTH = 20  # of classes above a class


class InvalidStream(Exception):
    """The bytes are not such a map, or end within it."""


@dataclass(frozen=True)
class MapEntry:
    start: int
    end: int
    key: bytes | None
    value: bytes | None


@dataclass
class MapStream:
    content: bytes
    position: int = 0
    handles: list[Any] = field(default_factory=list)

    def entries(self) -> Iterator[MapEntry]:
        """All pairs. Raises InvalidStream after the pairs before the first invalid byte."""
        for _ in range(self.header()):
            start = self.position
            key = self.byte_array()
            yield MapEntry(start, self.position, key, self.byte_array())

    def header(self) -> int:
        """Reads up to the first pair; returns the number of pairs."""
        if self.take(4) != MAGIC or self.number(1) != OBJECT or self.class_name() != MAP:
            raise InvalidStream("it is not a serialized HashMap")
        self.handles.append(None)
        self.take(8)
        if self.take(2) != bytes([BLOCK, 8]):
            raise InvalidStream("the HashMap has no number of entries")
        self.take(4)
        return self.number(4)

    def byte_array(self) -> bytes | None:
        kind = self.number(1)
        if kind == NULL:
            return None
        if kind == REFERENCE:
            array = self.referenced()
            if isinstance(array, bytes):
                return array
        elif kind == ARRAY and self.class_name() == BYTES:
            at = len(self.handles)
            self.handles.append(None)
            self.handles[at] = self.take(self.number(4))
            return self.handles[at]
        raise InvalidStream("a key or a value is not an array of bytes")

    def class_name(self, depth: int = 0) -> str:
        """The name of the class described here; empty for none."""
        kind = self.number(1)
        if kind == NULL:
            return ""
        if kind == REFERENCE:
            name = self.referenced()
            if isinstance(name, str):
                return name
        if kind != CLASS or depth > MAX_DEPTH:
            raise InvalidStream("a class is not described")
        name = self.text()
        self.take(9)
        self.handles.append(name)
        for _ in range(self.number(2)):
            if chr(self.number(1)) not in SIZES:
                raise InvalidStream(f"the class {name} has fields that are objects")
            self.text()
        if self.number(1) != END:
            raise InvalidStream(f"the class {name} is annotated")
        self.class_name(depth + 1)
        return name

    def referenced(self) -> Any:
        """The class or object that an earlier position defined."""
        at = self.number(4) - FIRST_HANDLE
        if not 0 <= at < len(self.handles):
            raise InvalidStream("a reference leads nowhere")
        return self.handles[at]

    def text(self) -> str:
        """A name after its length."""
        return self.take(self.number(2)).decode(errors="replace")

    def number(self, size: int) -> int:
        """An unsigned integer; one of 4 bytes is signed and must not be negative."""
        value = int.from_bytes(self.take(size), "big")
        if size == 4 and value >= 1 << 31:
            raise InvalidStream("a size is negative")
        return value

    def take(self, size: int) -> bytes:
        end = self.position + size
        if end > len(self.content):
            raise InvalidStream("the file ends within it")
        taken, self.position = self.content[self.position : end], end
        return taken
