"""The checksum in the header of an LZ4 frame, made right: in format 0 Kafka computed it over too many bytes.

    Frame => magic:4 flags:1 block_descriptor:1 [content_size:8] [dictionary:4] header_checksum:1 blocks
    header_checksum => second byte of xxHash32 from the flags to before it; old Kafka: from the magic on

Source: Kafka `KafkaLZ4BlockOutputStream.java` (KAFKA-3160), the LZ4 frame format, the xxHash specification.
"""

from __future__ import annotations

import numpy as np

from spark.sources.log_segment.batches import Bytes

LZ4_MAGIC = b"\x04\x22\x4d\x18"
HAS_CONTENT_SIZE, HAS_DICTIONARY = 0x08, 0x01
PRIME_1, PRIME_2, PRIME_3, PRIME_4, PRIME_5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
MASK = 0xFFFFFFFF


def xxhash32_of_few(content: bytes) -> int:
    """xxHash32 with seed 0 of less than 16 bytes."""
    number = (PRIME_5 + len(content)) & MASK
    words = len(content) // 4 * 4
    for place in range(0, words, 4):
        number = (number + int.from_bytes(content[place : place + 4], "little") * PRIME_3) & MASK
        number = _rotated(number, 17) * PRIME_4 & MASK
    for byte in content[words:]:
        number = _rotated((number + byte * PRIME_5) & MASK, 11) * PRIME_1 & MASK
    number = (number ^ number >> 15) * PRIME_2 & MASK
    number = (number ^ number >> 13) * PRIME_3 & MASK
    return number ^ number >> 16


def _rotated(number: int, bits: int) -> int:
    return (number << bits | number >> 32 - bits) & MASK


def header_checksum(descriptor: bytes) -> int:
    """The checksum byte for these bytes."""
    return xxhash32_of_few(descriptor) >> 8 & 0xFF


def mended(frame: Bytes) -> Bytes:
    """The frame with the right checksum in its header; the same bytes when they are no frame."""
    head = frame[:19].tobytes()
    if len(head) < 7 or head[:4] != LZ4_MAGIC:
        return frame
    checksum_at = 6 + 8 * bool(head[4] & HAS_CONTENT_SIZE) + 4 * bool(head[4] & HAS_DICTIONARY)
    if checksum_at >= len(head):
        return frame
    changed = np.array(frame)
    changed[checksum_at] = header_checksum(head[4:checksum_at])
    return changed
