"""Key hashes: published values of MurmurHash3 x64 128, and a slow reference written from its description."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from spark.tables.key_hash import EMPTY_KEY, hash_keys

MASK = 2**64 - 1


def rotated(number: int, bits: int) -> int:
    return (number << bits | number >> (64 - bits)) & MASK


def finished(number: int) -> int:
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        number = (number ^ number >> 33) * factor & MASK
    return number ^ number >> 33


def reference(key: bytes) -> tuple[int, int]:
    """Block by block in Python integers; the two halves unsigned."""
    factors = 0x87C37B91114253D5, 0x4CF5AD432745937F
    one = two = 0
    whole = len(key) // 16 * 16
    for start in range(0, whole, 16):
        low, high = (int.from_bytes(key[start + at : start + at + 8], "little") for at in (0, 8))
        one ^= rotated(low * factors[0] & MASK, 31) * factors[1] & MASK
        one = (rotated(one, 27) + two) * 5 + 0x52DCE729 & MASK
        two ^= rotated(high * factors[1] & MASK, 33) * factors[0] & MASK
        two = (rotated(two, 31) + one) * 5 + 0x38495AB5 & MASK
    rest = key[whole:]
    two ^= rotated(int.from_bytes(rest[8:], "little") * factors[1] & MASK, 33) * factors[0] & MASK
    one ^= rotated(int.from_bytes(rest[:8], "little") * factors[0] & MASK, 31) * factors[1] & MASK
    one, two = one ^ len(key), two ^ len(key)
    one = one + two & MASK
    two = two + one & MASK
    one, two = finished(one), finished(two)
    one = one + two & MASK
    return one, two + one & MASK


def test_an_empty_key_is_a_key() -> None:
    assert hashed(pa.array([b"", None, b""], pa.binary())) == [
        (EMPTY_KEY, EMPTY_KEY),
        (0, 0),
        (EMPTY_KEY, EMPTY_KEY),
    ]


def hashed(keys: pa.Array) -> list[tuple[int, int]]:
    return [(int(one) & MASK, int(two) & MASK) for one, two in zip(*hash_keys(keys), strict=True)]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (b"hello", (0xCBD8A7B341BD9B02, 0x5B1E906A48AE1D19)),
        (b"hello, world", (0x342FAC623A5EBC8E, 0x4CDCBC079642414D)),
        (b"The quick brown fox jumps over the lazy dog.", (0xCD99481F9EE902C9, 0x695DA1A38987B6E7)),
    ],
)
def test_published_values(key: bytes, expected: tuple[int, int]) -> None:
    assert hashed(pa.array([key], pa.binary())) == [expected]
    assert reference(key) == expected


def test_every_length_agrees_with_the_reference() -> None:
    chance = random.Random(7)
    keys = [chance.randbytes(size) for size in range(1, 70)]
    assert hashed(pa.array(keys, pa.binary())) == [reference(key) for key in keys]


def test_null_keys_hash_to_zero_and_their_neighbours_keep_their_own() -> None:
    assert hashed(pa.array([None, b"a", None, b"b"], pa.binary())) == [
        (0, 0),
        reference(b"a"),
        (0, 0),
        reference(b"b"),
    ]


def test_a_slice_of_a_column_hashes_its_own_keys() -> None:
    keys = pa.array([b"one", b"two", None, b"three"], pa.binary())
    assert hashed(keys.slice(1, 3)) == [reference(b"two"), (0, 0), reference(b"three")]


def test_no_keys_give_no_hashes() -> None:
    assert hashed(pa.array([], pa.binary())) == []
