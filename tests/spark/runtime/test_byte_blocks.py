"""Blocks of bytes in compiled functions, against the same in Python."""

from __future__ import annotations

import numpy as np
import pytest

from spark.runtime.byte_blocks import BLOCK, copy_block, equal_bits, high_bits, lowest
from spark.runtime.compiled import compiled

Bytes = np.ndarray[tuple[int], np.dtype[np.uint8]]


@compiled
def bits(buffer: Bytes, at: int, byte: int) -> tuple[int, int, int]:
    same = equal_bits(buffer, at, byte)
    return same, high_bits(buffer, at), lowest(same)


@compiled
def copied(buffer: Bytes, at: int, out: Bytes, to: int) -> None:
    copy_block(buffer, at, out, to)


def number(truths: list[bool]) -> int:
    return sum(1 << k for k, truth in enumerate(truths) if truth)


@pytest.mark.parametrize("writeable", [True, False])
def test_bits_are_those_of_the_bytes_at_every_position(writeable: bool) -> None:
    buffer = np.random.default_rng(1).integers(0, 256, 200).astype(np.uint8)
    buffer.flags.writeable = writeable
    for at in range(len(buffer) - BLOCK + 1):
        block, byte = buffer[at : at + BLOCK].tolist(), int(buffer[at + 7])
        same, high, first = bits(buffer, at, byte)
        assert (same, high) == (number([b == byte for b in block]), number([b > 127 for b in block]))
        assert first == block.index(byte)


def test_no_bit_is_none() -> None:
    assert bits(np.zeros(BLOCK, np.uint8), 0, 1) == (0, 0, 64)


def test_a_copy_is_32_bytes_and_no_more() -> None:
    buffer = np.arange(100, dtype=np.uint8)
    out = np.full(100, 255, np.uint8)
    copied(buffer, 5, out, 3)
    assert out.tolist() == [255] * 3 + list(range(5, 37)) + [255] * 65
