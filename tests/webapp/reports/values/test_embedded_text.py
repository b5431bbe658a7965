"""The text within a value: laid-out JSON, blocks with their lengths, nothing for bytes."""

from __future__ import annotations

import struct

from webapp.reports.values.embedded_text import held_text


def blocks(*contents: bytes, prefix: bytes = b"\x02\x01") -> bytes:
    return prefix + b"".join(struct.pack(">i", len(content)) + content for content in contents)


def test_the_longest_block_is_the_text() -> None:
    assert held_text(blocks(b"ab" * 32, b'syntax = "proto3";' * 9, b"[]")) == 'syntax = "proto3";' * 9


def test_a_digest_is_no_text_even_where_it_is_longer() -> None:
    assert held_text(blocks(b"ab" * 32, b'{"type": "int"}')) == '{\n  "type": "int"\n}'


def test_json_in_a_string_of_json_is_laid_out() -> None:
    assert (
        held_text(b'{"schema": "{\\"type\\": \\"int\\"}"}') == '{\n  "schema": {\n    "type": "int"\n  }\n}'
    )


def test_a_string_that_only_begins_like_json_stays_a_string() -> None:
    assert held_text(b'{"schema": "{ no json"}') == '{\n  "schema": "{ no json"\n}'


def test_bytes_and_nothing_have_no_text() -> None:
    assert held_text(b"\xff\xfe\x00\x01") is None
    assert held_text(b"") is None
    assert held_text(None) is None


def test_plain_text_is_itself() -> None:
    assert held_text(b"hello") == "hello"
