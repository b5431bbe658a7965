"""Decompression of a batch's records into preallocated memory, with a limit.

    snappy => 82 "SNAPPY" 00, version:int32, compatible:int32, (size:int32, raw block)*    as xerial's stream writes
            | one raw block                                                               as some Go and C clients
    gzip, zstd: as their formats say
    lz4    => magic:4 flags:1 block_descriptor:1 [content_size:8] [dictionary:4] header_checksum:1 blocks
    header_checksum => second byte of xxHash32 from the flags to before it; in format 0, from the magic on (KAFKA-3160)

Source: Kafka `CompressionType.java`, `KafkaLZ4BlockOutputStream.java`, xerial `SnappyOutputStream`, the LZ4 frame format.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cramjam
import numpy as np
import xxhash
from isal import isal_zlib
from isal.igzip_lib import IsalError

from spark.sources.log_segment.batches import Bytes

CODECS = ("none", "gzip", "snappy", "lz4", "zstd", *["unknown"] * 3)  # by the number in a batch's attributes
GZIP_WINDOW = 31  # zlib's way to say: with the gzip header
GZIP_PIECE_BYTES = 8 * 1024 * 1024
SNAPPY_MAGIC = b"\x82SNAPPY\x00"
SNAPPY_HEADER_BYTES = 16
NO_ROOM = "failed to write whole buffer"  # what cramjam says when the target is too small


class TargetTooSmall(Exception):
    """The decompressed bytes do not fit into the target."""


CORRUPT = "the compressed bytes are corrupt"


class Broken(Exception):
    """The codec cannot have written the compressed bytes. The text goes after a colon: ours, not the library's."""


def decompress(codec: str, payload: Bytes, target: Bytes) -> int:
    """Decompresses into the beginning of `target`; returns the number of bytes."""
    try:
        if codec == "gzip":
            return _gzip(payload, target)
        if codec == "snappy":
            return _snappy(payload, target)
        if codec in {"lz4", "zstd"}:
            return int(getattr(cramjam, codec).decompress_into(payload, target))
    except cramjam.DecompressionError as error:
        if NO_ROOM in str(error):
            raise TargetTooSmall from error
        raise Broken(CORRUPT) from error
    raise Broken("unknown codec")


def _gzip(payload: Bytes, target: Bytes) -> int:
    """Piecewise: the library returns bytes objects, and the largest allowed batch must not be in memory twice."""
    stream = isal_zlib.decompressobj(GZIP_WINDOW)
    compressed: Bytes | bytes = payload
    written = 0
    while not stream.eof:
        try:
            plain = stream.decompress(compressed, GZIP_PIECE_BYTES)
        except IsalError as error:  # type: ignore[misc]  # the stub declares an instance
            raise Broken(CORRUPT) from error
        if len(plain) > len(target) - written:
            raise TargetTooSmall
        if not plain and not stream.eof:
            break
        target[written : written + len(plain)] = np.frombuffer(plain, np.uint8)
        written += len(plain)
        compressed = stream.unconsumed_tail
    if not stream.eof or stream.unused_data:
        raise Broken("the stream does not end at the end of the batch")
    return written


def _snappy(payload: Bytes, target: Bytes) -> int:
    if payload[: len(SNAPPY_MAGIC)].tobytes() != SNAPPY_MAGIC:
        return _snappy_block(payload, target)
    position, written = SNAPPY_HEADER_BYTES, 0
    while position < len(payload):
        if position + 4 > len(payload):
            raise Broken("a block's size is truncated")
        size_bytes = int.from_bytes(payload[position : position + 4].tobytes(), "big", signed=True)
        position += 4
        if not 0 <= size_bytes <= len(payload) - position:
            raise Broken("a block exceeds the batch")
        written += _snappy_block(payload[position : position + size_bytes], target[written:])
        position += size_bytes
    return written


def _snappy_block(block: Bytes, target: Bytes) -> int:
    if not len(block):
        raise Broken("an empty block")
    if cramjam.snappy.decompress_raw_len(block.data) > len(target):
        raise TargetTooSmall
    return int(cramjam.snappy.decompress_raw_into(block.data, target.data))


@dataclass
class DecompressionArena:
    """Memory for the decompressed records of one chunk's batches, reused for the next."""

    usual_bytes: int
    most_bytes: int  # for one batch
    used: int = 0
    memory: Bytes = field(init=False)

    def __post_init__(self) -> None:
        self.memory = np.empty(self.usual_bytes, np.uint8)

    def add(self, codec: str, payload: Bytes) -> tuple[int, int]:
        """Where the decompressed records start and end. Raises TargetTooSmall if the arena must be emptied first."""
        while True:
            try:
                start = self.used
                self.used += decompress(codec, payload, self.memory[start : start + self.most_bytes])
                return start, self.used
            except TargetTooSmall:
                if self.used:
                    raise
                self._grow()

    def empty(self) -> None:
        self.used = 0
        if len(self.memory) > self.usual_bytes:
            self.memory = np.empty(self.usual_bytes, np.uint8)

    def _grow(self) -> None:
        if len(self.memory) >= self.most_bytes:
            raise Broken(
                f"its records take more than {self.most_bytes:,} bytes decompressed, the limit for one batch"
            )
        self.memory = np.empty(min(2 * len(self.memory), self.most_bytes), np.uint8)


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
