"""128-bit hash of key bytes, by which records of the same key find each other.

MurmurHash3 x64 128 with seed 0, both halves as signed 64-bit numbers. Source: Austin Appleby's `MurmurHash3.cpp`.
0 and 0 mean that there is no key; an empty key, which would hash to the same, has `EMPTY_KEY` in both halves.
"""

# Integers in compiled code are numpy's, whatever the annotations of plain Python say.
# mypy: disable-error-code="return-value,arg-type,assignment"

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spark.runtime.compiled import compiled

Hashes = NDArray[np.int64]

FIRST_FACTOR = np.uint64(0x87C37B91114253D5)
SECOND_FACTOR = np.uint64(0x4CF5AD432745937F)
BLOCK_BYTES = 16
EMPTY_KEY = 1


@compiled
def _rotate(number: np.uint64, bits: int) -> np.uint64:
    return (number << np.uint64(bits)) | (number >> np.uint64(64 - bits))


@compiled
def _finish(number: np.uint64) -> np.uint64:
    number ^= number >> np.uint64(33)
    number *= np.uint64(0xFF51AFD7ED558CCD)
    number ^= number >> np.uint64(33)
    number *= np.uint64(0xC4CEB9FE1A85EC53)
    return number ^ (number >> np.uint64(33))


@compiled
def _word(content: NDArray[np.uint8], start: int, size: int) -> np.uint64:
    """Little-endian number of up to eight bytes."""
    number = np.uint64(0)
    for index in range(size):
        number |= np.uint64(content[start + index]) << np.uint64(8 * index)
    return number


@compiled
def _mix_first(number: np.uint64) -> np.uint64:
    return _rotate(number * FIRST_FACTOR, 31) * SECOND_FACTOR


@compiled
def _mix_second(number: np.uint64) -> np.uint64:
    return _rotate(number * SECOND_FACTOR, 33) * FIRST_FACTOR


@compiled
def hash_fields(content: NDArray[np.uint8], ends: NDArray[np.int32], first: Hashes, second: Hashes) -> None:
    """Hash field `i`, the bytes from `ends[i]` to `ends[i + 1]`."""
    for field in range(first.size):
        size = np.int64(ends[field + 1]) - ends[field]
        if size == 0:
            first[field] = second[field] = EMPTY_KEY
            continue
        start, stop = np.int64(ends[field]), np.int64(ends[field]) + size - size % BLOCK_BYTES
        h1, h2 = np.uint64(0), np.uint64(0)
        while start < stop:
            h1 ^= _mix_first(_word(content, start, 8))
            h1 = (_rotate(h1, 27) + h2) * np.uint64(5) + np.uint64(0x52DCE729)
            h2 ^= _mix_second(_word(content, start + 8, 8))
            h2 = (_rotate(h2, 31) + h1) * np.uint64(5) + np.uint64(0x38495AB5)
            start += BLOCK_BYTES
        rest = size % BLOCK_BYTES
        h2 ^= _mix_second(_word(content, start + 8, max(rest - 8, 0)))
        h1 ^= _mix_first(_word(content, start, min(rest, 8)))
        h1 ^= np.uint64(size)
        h2 ^= np.uint64(size)
        h1 += h2
        h2 += h1
        h1, h2 = _finish(h1), _finish(h2)
        h1 += h2
        h2 += h1
        first[field] = np.int64(h1)
        second[field] = np.int64(h2)


def hash_keys(keys: pa.Array) -> tuple[Hashes, Hashes]:
    """The two halves of each key's hash; 0 and 0 for a null key."""
    binary = keys.cast(pa.binary())
    first, second = np.zeros(len(binary), np.int64), np.zeros(len(binary), np.int64)
    if not len(binary):
        return first, second
    _, ends, content = binary.buffers()
    hash_fields(
        np.frombuffer(content or b"", np.uint8),
        np.frombuffer(ends, np.int32)[binary.offset : binary.offset + len(binary) + 1],
        first,
        second,
    )
    if binary.null_count:
        is_null = binary.is_null().to_numpy(zero_copy_only=False)
        first[is_null] = second[is_null] = 0
    return first, second
