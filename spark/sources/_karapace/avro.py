"""The part of Avro's binary encoding that a backup uses, read strictly: `Broken` where the bytes cannot be that.

    long = zigzag varint      bytes, string = long content      array, map = (count items)* 0      union = long value

Source: Avro 1.11 specification, "Binary encoding".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Item = TypeVar("Item")

LONGEST_VARINT_BYTES = 10
MOST_ITEMS = 1_000_000


class Broken(Exception):
    """The bytes are no such value."""


class Reader:
    """Values one after another from a stretch of bytes."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.place = 0

    def long(self) -> int:
        """An int or a long."""
        number = shift = 0
        while self.place < len(self.content) and shift < 7 * LONGEST_VARINT_BYTES:
            byte = self.content[self.place]
            self.place += 1
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return self._signed(number)
            shift += 7
        raise Broken

    def _signed(self, number: int) -> int:
        if number >= 2**64:
            raise Broken
        return (number >> 1) ^ -(number & 1)

    def bytes_(self) -> bytes:
        """Bytes with their length before them."""
        size = self.long()
        if not 0 <= size <= len(self.content) - self.place:
            raise Broken
        self.place += size
        return self.content[self.place - size : self.place]

    def text(self) -> str:
        """A string."""
        try:
            return self.bytes_().decode()
        except UnicodeDecodeError as error:
            raise Broken from error

    def optional(self, read: Callable[[], Item]) -> Item | None:
        """A union of a type and null, in this order."""
        branch = self.long()
        if branch not in (0, 1):
            raise Broken
        return read() if branch == 0 else None

    def array(self, read: Callable[[], Item]) -> list[Item]:
        """Items in blocks; a negative count is followed by the block's size."""
        found: list[Item] = []
        while count := self.long():
            if count < 0:
                count = -count
                self.long()
            if count > min(MOST_ITEMS, len(self.content) - self.place):
                raise Broken
            found += [read() for _ in range(count)]
        return found
