"""XXH64 of a file's beginning, for one end after another without reading anything twice.

Karapace's metadata names the algorithm `xxhash3_64_be`, its code uses XXH64 with seed 0, the digest in big-endian order.
Source: Yann Collet's xxHash specification, version 0.1.1, "XXH64".
"""

# Integers in compiled code are numpy's, whatever the annotations of plain Python say.
# mypy: disable-error-code="return-value,arg-type,assignment"

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spark.compiled import compiled

Content = NDArray[np.uint8]
Lanes = NDArray[np.uint64]

P1 = np.uint64(0x9E3779B185EBCA87)
P2 = np.uint64(0xC2B2AE3D27D4EB4F)
P3 = np.uint64(0x165667B19E3779F9)
P4 = np.uint64(0x85EBCA77C2B2AE63)
P5 = np.uint64(0x27D4EB2F165667C5)
STRIPE_BYTES = 32


@compiled
def _rotate(number: np.uint64, bits: int) -> np.uint64:
    return (number << np.uint64(bits)) | (number >> np.uint64(64 - bits))


@compiled
def _round(lane: np.uint64, word: np.uint64) -> np.uint64:
    return _rotate(lane + word * P2, 31) * P1


@compiled
def _word(content: Content, start: int, size: int) -> np.uint64:
    """Little-endian number of up to eight bytes."""
    number = np.uint64(0)
    for place in range(size):
        number |= np.uint64(content[start + place]) << np.uint64(8 * place)
    return number


@compiled
def advance(lanes: Lanes, content: Content, start: int, end: int) -> None:
    """Take in whole stripes."""
    for stripe in range(start, end, STRIPE_BYTES):
        for lane in range(4):
            lanes[lane] = _round(lanes[lane], _word(content, stripe + 8 * lane, 8))


@compiled
def finish(lanes: Lanes, content: Content, start: int, end: int) -> np.uint64:
    """The digest of content[:end], of which everything up to `start` has been taken in."""
    if end >= STRIPE_BYTES:
        digest = _rotate(lanes[0], 1) + _rotate(lanes[1], 7) + _rotate(lanes[2], 12) + _rotate(lanes[3], 18)
        for lane in range(4):
            digest = (digest ^ _round(np.uint64(0), lanes[lane])) * P1 + P4
    else:
        digest = P5
    digest += np.uint64(end)
    while start + 8 <= end:
        digest = _rotate(digest ^ _round(np.uint64(0), _word(content, start, 8)), 27) * P1 + P4
        start += 8
    if start + 4 <= end:
        digest = _rotate(digest ^ (_word(content, start, 4) * P1), 23) * P2 + P3
        start += 4
    while start < end:
        digest = _rotate(digest ^ (np.uint64(content[start]) * P5), 11) * P1
        start += 1
    digest = (digest ^ (digest >> np.uint64(33))) * P2
    digest = (digest ^ (digest >> np.uint64(29))) * P3
    return digest ^ (digest >> np.uint64(32))


class Prefixes:
    """Digests of the beginnings of a content, asked in ascending order."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._done = 0
        with np.errstate(over="ignore"):
            self._lanes = np.array([P1 + P2, P2, np.uint64(0), np.uint64(0) - P1], np.uint64)

    def digest(self, end: int) -> bytes:
        """Of content[:end]."""
        whole = end - end % STRIPE_BYTES
        advance(self._lanes, self._content, self._done, whole)
        self._done = whole
        return int(finish(self._lanes, self._content, whole, end)).to_bytes(8, "big")
