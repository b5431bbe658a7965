"""Length-prefixed blocks, as binary journals write a schema next to hashes and references.

Value => prefix:bytes(0..n)  { length:int32 content:bytes }+      big-endian, up to the end of the value
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

LENGTH = struct.Struct(">i")


def read_blocks(value: bytes, longest_prefix: int) -> tuple[bytes, list[bytes]] | None:
    """The shortest prefix after which length-prefixed blocks use all bytes, and the blocks; None if there is none."""
    for start in range(longest_prefix + 1):
        if blocks := _blocks(value, start):
            return value[:start], blocks
    return None


def written_blocks(prefix: bytes, blocks: Sequence[bytes]) -> bytes:
    return prefix + b"".join(LENGTH.pack(len(block)) + block for block in blocks)


def _blocks(value: bytes, position: int) -> list[bytes]:
    blocks: list[bytes] = []
    while position < len(value):
        if position + LENGTH.size > len(value):
            return []
        length = LENGTH.unpack_from(value, position)[0]
        position += LENGTH.size
        if not 0 <= length <= len(value) - position:
            return []
        blocks.append(value[position : position + length])
        position += length
    return blocks
