"""Bytes shown safely."""

from __future__ import annotations

import pytest

from webapp.reports.values.bytes_text import PRETTY_BYTES, hex_rows, one_line, read


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (None, "null"),
        (b"", "(empty)"),
        (b"plain", "plain"),
        (b'\x02{"id":1}', '\\x02{"id":1}'),
        (b"\xff\xfe", "\\xff\\xfe"),
        ("é".encode(), "é"),
        (b"two\nlines", "two\\nlines"),
        ("\u202egnp.exe".encode(), "\\u202egnp.exe"),
    ],
)
def test_a_key_in_one_line(data: bytes | None, line: str) -> None:
    assert one_line(data) == line


def test_a_long_key_is_cut_with_an_ellipsis() -> None:
    assert one_line(b"x" * 500, 10) == "x" * 9 + "…"


def test_null_and_empty_are_not_the_same() -> None:
    assert (read(None).form, read(b"").form) == ("null", "empty")


def test_json_is_indented() -> None:
    assert read(b'{"a":[1]}').text == '{\n  "a": [\n    1\n  ]\n}'


def test_json_behind_a_type_byte_is_still_read_and_the_byte_is_named() -> None:
    reading = read(b'\x03{"a":1}')
    assert reading.form == "json"
    assert "03" in reading.note


def test_a_lone_surrogate_in_json_breaks_nothing() -> None:
    read(b'{"a":"\\ud800"}').text.encode()


def test_bytes_that_are_no_text_say_so() -> None:
    reading = read(b"\xff\x00text")
    assert (reading.form, reading.text) == ("binary", "\\xff\\x00text")


def test_a_long_value_is_cut_and_says_so() -> None:
    assert f"{PRETTY_BYTES:,}" in read(b"y" * (PRETTY_BYTES + 1)).note


def test_hex_has_sixteen_bytes_a_row() -> None:
    rows = hex_rows(bytes(range(20)))
    assert [row.position for row in rows] == [0, 16]
    assert rows[1].hex == "10 11 12 13"
    assert len(hex_rows(b"z" * 10_000)) == 256
