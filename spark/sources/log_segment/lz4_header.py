"""The checksum in the header of an LZ4 frame, made right: in format 0 Kafka computed it over too many bytes.

    Frame => magic:4 flags:1 block_descriptor:1 [content_size:8] [dictionary:4] header_checksum:1 blocks
    header_checksum => second byte of xxHash32 from the flags to before it; old Kafka: from the magic on

Source: Kafka `KafkaLZ4BlockOutputStream.java` (KAFKA-3160), the LZ4 frame format.
"""

from __future__ import annotations

import numpy as np
import xxhash

from spark.sources.log_segment.batches import Bytes

LZ4_MAGIC = b"\x04\x22\x4d\x18"
HAS_CONTENT_SIZE, HAS_DICTIONARY = 0x08, 0x01


def header_checksum(descriptor: bytes) -> int:
    return xxhash.xxh32_intdigest(descriptor) >> 8 & 0xFF


def with_header_checksum(frame: Bytes) -> Bytes:
    """The frame with a correct header checksum; unchanged if it is not a frame."""
    head = frame[:19].tobytes()
    if len(head) < 7 or head[:4] != LZ4_MAGIC:
        return frame
    checksum_at = 6 + 8 * bool(head[4] & HAS_CONTENT_SIZE) + 4 * bool(head[4] & HAS_DICTIONARY)
    if checksum_at >= len(head):
        return frame
    changed = np.array(frame)
    changed[checksum_at] = header_checksum(head[4:checksum_at])
    return changed
