"""Numbers of variable length: seven bits a byte, the lowest first; a set high bit means that more follow.

    unsigned => { 1bbbbbbb }* 0bbbbbbb
    zigzag   => unsigned of 0, -1, 1, -2, 2, ...      negative numbers of a small magnitude stay short

Source: Protobuf, "Base 128 varints"; Kafka `ByteUtils`.
"""

from __future__ import annotations

MAX_BYTES_OF_INT32 = 5
MAX_BYTES_OF_INT64 = 10


class InvalidVarint(ValueError):
    """The number continues after its last possible byte."""


def read_unsigned(data: bytes, position: int, max_bytes: int = MAX_BYTES_OF_INT32) -> tuple[int, int]:
    """The number and the position after it. Raises InvalidVarint; IndexError if the data ends within it."""
    number = 0
    for shift in range(0, 7 * max_bytes, 7):
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
    raise InvalidVarint(f"a number has more than {max_bytes} bytes")


def from_zigzag(number: int) -> int:
    """The signed number that an unsigned one stands for."""
    return (number >> 1) ^ -(number & 1)


def write_unsigned(number: int) -> bytes:
    data = bytearray()
    while number >= 0x80:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*data, number])
