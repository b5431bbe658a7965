"""Checksums of batches and messages, small ones in compiled code.

    format 2     CRC-32C (Castagnoli) from the attributes to the end of the batch
    format 0, 1  CRC-32 (IEEE) from the magic to the end of the message; those inside a wrapper have their own

Source: Kafka `DefaultRecordBatch.java`, `LegacyRecord.java`.
"""

# Integers in compiled code are numpy's, whatever the annotations of plain Python say.
# mypy: disable-error-code="return-value,arg-type,assignment"

from __future__ import annotations

import crc32c
import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from spark.runtime.compiled import compiled
from spark.sources.log_segment import batches as b
from spark.sources.log_segment.batches import Bytes, Numbers

CASTAGNOLI, IEEE = 0x82F63B78, 0xEDB88320
OLD_CRC_FROM = b.MAGIC_AT  # formats 0 and 1: the checksum covers everything from here on
FRAME_BYTES, OLD_CRC_AT = 12, 12

# Up to here the table-driven checksum is quicker than one call of the library per batch.
SMALL_BATCH_BYTES = 1024


def _crc_tables(polynomial: int) -> NDArray[np.uint32]:
    """Tables of a reflected CRC, for eight bytes at a time."""
    tables = np.zeros((8, 256), np.uint32)
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ (polynomial if crc & 1 else 0)
        tables[0, byte] = crc
    for byte in range(256):
        for table in range(1, 8):
            before = int(tables[table - 1, byte])
            tables[table, byte] = (before >> 8) ^ int(tables[0, before & 0xFF])
    return tables


CRC_TABLES = np.stack([_crc_tables(IEEE), _crc_tables(CASTAGNOLI)])


@compiled
def _crc(data: Bytes, position: int, end: int, tables: NDArray[np.uint32]) -> int:
    """Checksum of a range, by slicing-by-8."""
    crc = np.uint32(0xFFFFFFFF)
    while position + 8 <= end:
        crc = (
            tables[7, (crc ^ data[position]) & 0xFF]
            ^ tables[6, ((crc >> 8) ^ data[position + 1]) & 0xFF]
            ^ tables[5, ((crc >> 16) ^ data[position + 2]) & 0xFF]
            ^ tables[4, (crc >> 24) ^ data[position + 3]]
            ^ tables[3, data[position + 4]]
            ^ tables[2, data[position + 5]]
            ^ tables[1, data[position + 6]]
            ^ tables[0, data[position + 7]]
        )
        position += 8
    while position < end:
        crc = tables[0, (crc ^ data[position]) & 0xFF] ^ (crc >> 8)
        position += 1
    return np.int64(crc) ^ 0xFFFFFFFF


@compiled
def small_checksums(
    data: Bytes, spans: Numbers, checksums: Numbers, tables: NDArray[np.uint32], most_bytes: int
) -> None:
    """Checksum of every span (first byte, end, kind of table) of at most `most_bytes`; -1 for the others."""
    for row in range(spans.shape[0]):
        if spans[row, 1] - spans[row, 0] > most_bytes:
            checksums[row] = -1
        else:
            checksums[row] = _crc(data, spans[row, 0], spans[row, 1], tables[spans[row, 2]])


@compiled
def first_bad_message(data: Bytes, position: int, end: int, tables: NDArray[np.uint32]) -> int:
    """Index of the first message here whose checksum does not match, or -1. Their frames are valid."""
    number = 0
    while position + OLD_CRC_FROM < end:
        size, stored = np.int64(0), np.int64(0)
        for i in range(4):
            size = (size << 8) | np.int64(data[position + 8 + i])
            stored = (stored << 8) | np.int64(data[position + OLD_CRC_AT + i])
        after = min(position + FRAME_BYTES + size, end)
        if _crc(data, position + OLD_CRC_FROM, after, tables) != stored:
            return number
        position = after
        number += 1
    return -1


def messages_agree(content: Bytes, start: int, end: int) -> bool:
    """Whether the checksum of every message inside a wrapper matches."""
    return int(first_bad_message(content, start, end, CRC_TABLES[0])) < 0


def checksums(data: Bytes, headers: Numbers) -> Numbers:
    """Checksum of every batch, computed from its bytes."""
    is_new = headers[:, b.MAGIC] == 2
    starts = headers[:, b.POSITION] + np.where(is_new, b.ATTRIBUTES_AT, OLD_CRC_FROM)
    spans = np.column_stack([starts, headers[:, b.POSITION] + headers[:, b.SIZE], is_new])
    computed = np.empty(len(headers), np.int64)
    small_checksums(data, spans, computed, CRC_TABLES, SMALL_BATCH_BYTES)
    for row in np.flatnonzero(computed < 0).tolist():
        computed[row] = _large_checksum(data, *spans[row].tolist())
    return computed


def _large_checksum(data: Bytes, start: int, end: int, is_new: int) -> int:
    return int(crc32c.crc32c(data[start:end]) if is_new else isal_zlib.crc32(data[start:end]))


def agrees(data: Bytes, position: int) -> bool:
    """Whether the checksum of the batch or old message here matches. Its frame is valid."""
    is_new = int(data[position + b.MAGIC_AT] == 2)
    stored = int(b.number_at(data, position + (b.CRC_AT if is_new else OLD_CRC_AT), 4)) & 0xFFFFFFFF
    start = position + (b.ATTRIBUTES_AT if is_new else OLD_CRC_FROM)
    return stored == _large_checksum(data, start, position + b.entry_size(data, position), is_new)
