"""Lines that were broken are joined where one reading is left."""

from __future__ import annotations

import pytest

from tests.spark.sources._wrapping.sorted_texts import DUMPING, batch, kcat, sorted_text


@pytest.mark.parametrize("at", [b" compresscodec: ", b" position: ", b" crc: "])
def test_a_header_broken_between_its_fields_is_one_line(at: bytes) -> None:
    whole = DUMPING + b"\n" + batch(0)
    head, field, rest = whole.partition(at)
    assert sorted_text(head + field.rstrip() + b"\n" + rest).prints == [whole]
    assert sorted_text(head + b"\n" + field.lstrip() + rest).prints == [whole]


def test_a_value_that_a_terminal_broke_has_the_size_printed_before_it() -> None:
    whole = DUMPING + b"\n" + batch(0, value=b"a" * 90)
    assert sorted_text(whole.replace(b"a" * 90, b"a" * 40 + b"\n" + b"a" * 50)).prints == [whole]


def test_a_line_feed_that_the_size_counts_is_the_values_own() -> None:
    whole = DUMPING + b"\n" + batch(0, value=b"a" * 40 + b"\n" + b"a" * 50)
    assert sorted_text(whole).prints == [whole]


def test_a_string_of_json_that_a_mail_broke_is_one_line() -> None:
    whole = kcat(0, "a value of several words")
    assert sorted_text(whole.replace(b"several ", b"several\n") + b"\n" + kcat(1)).prints == [
        whole + b"\n" + kcat(1)
    ]
