"""Numbers of variable length: there and back, and where they end."""

from __future__ import annotations

import pytest

from spark.codecs.varint import (
    MAX_BYTES_OF_INT64,
    InvalidVarint,
    from_zigzag,
    read_unsigned,
    write_unsigned,
)


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**31 - 1, 2**35 - 1])
def test_what_is_written_is_read(number: int) -> None:
    data = write_unsigned(number)
    assert read_unsigned(b"x" + data + b"x", 1) == (number, 1 + len(data))


def test_seven_bits_stand_in_a_byte_the_lowest_first() -> None:
    assert write_unsigned(300) == b"\xac\x02"


def test_zigzag_gives_small_numbers_to_small_magnitudes() -> None:
    assert [from_zigzag(number) for number in (0, 1, 2, 3, 2**64 - 1)] == [0, -1, 1, -2, -(2**63)]


@pytest.mark.parametrize(("max_bytes", "bits"), [(5, 35), (MAX_BYTES_OF_INT64, 70)])
def test_a_number_ends_within_its_most_bytes(max_bytes: int, bits: int) -> None:
    assert read_unsigned(write_unsigned(2**bits - 1), 0, max_bytes)[0] == 2**bits - 1
    with pytest.raises(InvalidVarint, match=f"more than {max_bytes} bytes"):
        read_unsigned(b"\x80" * max_bytes + b"\x01", 0, max_bytes)


def test_data_that_ends_within_a_number_has_no_more_bytes() -> None:
    with pytest.raises(IndexError):
        read_unsigned(b"\x80\x80", 0)
