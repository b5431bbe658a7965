"""Decompression bombs: streams that are valid to their last byte, made without ever holding what they unpack to."""

from __future__ import annotations

import struct
import zlib

import cramjam
from isal import isal_zlib

from tests.generator.segment import LZ4_BLOCK_BYTES, LZ4_HEADER, SNAPPY_HEADER

MB, GB = 1 << 20, 1 << 30
PIECE_BYTES = 64 * MB
ZSTD_BLOCK_BYTES = 128 * 1024  # the most a block may hold
SNAPPY_BLOCK_BYTES = 32 * MB


def zeros_zstd(size_bytes: int) -> bytes:
    """A frame of blocks that repeat one byte: 4 bytes for 128 KB. Format: RFC 8878, 3.1.1."""
    count = size_bytes // ZSTD_BLOCK_BYTES
    repeat, last = (
        struct.pack("<I", ZSTD_BLOCK_BYTES << 3 | 1 << 1 | is_last)[:3] + b"\0" for is_last in (0, 1)
    )
    return bytes.fromhex("28b52ffd 00 58") + repeat * (count - 1) + last


def zeros_gzip(size_bytes: int) -> bytes:
    """A thousandth of its content: one compressed piece again and again, with the right checksum at the end."""
    piece, count = bytes(PIECE_BYTES), size_bytes // PIECE_BYTES
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = stream.compress(piece) + stream.flush(zlib.Z_FULL_FLUSH)
    checksum = 0
    for _ in range(count):
        checksum = isal_zlib.crc32(piece, checksum)
    end = struct.pack("<II", checksum, count * PIECE_BYTES % (1 << 32))
    return bytes.fromhex("1f8b0800000000000003") + packed * count + b"\x03\x00" + end


def zeros_lz4(size_bytes: int) -> bytes:
    """A frame at the most the codec can do: 255 to 1."""
    block = bytes(cramjam.lz4.compress_block(bytes(LZ4_BLOCK_BYTES), store_size=False))
    packed = struct.pack("<I", len(block)) + block
    return LZ4_HEADER + packed * (size_bytes // LZ4_BLOCK_BYTES) + b"\0\0\0\0"


def zeros_snappy(size_bytes: int) -> bytes:
    """Blocks as xerial's stream writes them; the codec does 21 to 1."""
    block = bytes(cramjam.snappy.compress_raw(bytes(SNAPPY_BLOCK_BYTES)))
    return SNAPPY_HEADER + (struct.pack(">i", len(block)) + block) * (size_bytes // SNAPPY_BLOCK_BYTES)


def zeros_snappy_raw(size_bytes: int) -> bytes:
    """One block, as some clients of C and Go write it."""
    return bytes(cramjam.snappy.compress_raw(bytes(size_bytes)))


ZEROS = {
    "gzip": zeros_gzip,
    "snappy": zeros_snappy,
    "snappy-raw": zeros_snappy_raw,
    "lz4": zeros_lz4,
    "zstd": zeros_zstd,
}
# What a few MB come to: 10 GB where the codec can, else what 4 MB (lz4) and 50 MB (snappy) unpack to.
UNPACKED_BYTES = {"gzip": 10 * GB, "snappy": GB, "snappy-raw": GB, "lz4": GB, "zstd": 10 * GB}
