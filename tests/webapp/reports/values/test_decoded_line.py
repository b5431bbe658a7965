"""Keys and values in one line: members in their order, what a service reads in its words, raw bytes said to be raw."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.reports.values.bytes_text import RenderedValue, read
from webapp.reports.values.decoded_line import LETTERS, DecodedLine, ReadEntry, key_line, value_line

NO_KEY = RenderedValue("null", "")


def value(data: bytes, entry: ReadEntry | None = None, key: bytes = b"k") -> DecodedLine:
    return value_line(data, read(data), entry, read(key))


def text(line: DecodedLine) -> str:
    return " ".join(piece.text for piece in line.pieces)


def entry(attributes: str, action: str = "update", kind: str = "update", entity_id: str = "48") -> ReadEntry:
    return ReadEntry(entity_id, action, kind, attributes)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"from":"acc-17","amount":232.8,"ok":true}', "from acc-17 amount 232.8 ok true"),
        (b'{"b":1,"a":[1,{"c":""}],"d":null,"e":""}', 'b 1 a [1, {"c": ""}] d null e ""'),
        (b"{}", "{}"),
        (b"[1, 2]", "[1, 2]"),
        (b'\x06{"action":1}', "action 1"),
        (b"plain text", "plain text"),
        (b"", "empty"),
        (b'{"lines":"a\\nb\\u202e"}', "lines a\\nb\\u202e"),
    ],
)
def test_a_value_reads_as_names_and_values(data: bytes, expected: str) -> None:
    line = value(data)
    assert (text(line), line.is_raw) == (expected, False)


def test_numbers_and_texts_are_told_apart() -> None:
    looks = [(piece.look, piece.text) for piece in value(b'{"n":1,"t":"1","b":true}').pieces]
    assert looks == [
        ("name", "n"),
        ("number", "1"),
        ("name", "t"),
        ("text", "1"),
        ("name", "b"),
        ("plain", "true"),
    ]


@pytest.mark.parametrize("data", [b"\x00\x01\xff", b"\x00\x03abc", bytes(range(32))])
def test_bytes_that_nothing_decodes_are_called_raw(data: bytes) -> None:
    assert value(data).is_raw
    assert key_line(data, read(data), None).is_raw


def test_a_long_line_is_cut() -> None:
    members = ",".join(f'"member{n}":{n}' for n in range(500))
    line = value(f"{{{members}}}".encode())
    assert line.pieces[-1].text == "…"
    assert LETTERS < len(text(line)) < LETTERS + 50


def test_what_a_service_reads_stands_for_its_binary_value() -> None:
    attributes = (
        '{"tenantId":"_","contentId":48,"action":2,"has_content":false,"content_size_bytes":0,"at_offset":3}'
    )
    line = value(b"\x02\x02\x00\x00", entry(attributes), b'\x02{"tenantId":"_","contentId":48}')
    assert text(line) == "content none"


def test_an_action_that_is_not_the_kind_is_said_in_its_word() -> None:
    data = b'\x03{"action":1,"metaData":{"name":"Invoice"},"description":""}'
    assert text(value(data, entry("{}", "create", "rejected"))) == "action create name Invoice"
    assert text(value(data, entry("{}", "create", "create"))) == "name Invoice"
    assert text(value(b'\x03{"action":1}', entry("{}", "create", "create"))) == "action create"


def test_a_binary_key_is_what_the_service_reads_in_it() -> None:
    data = b"\x00\x01\x00\x09classic-a\x00\x06orders\x00\x00\x00\x02"
    assert (
        text(key_line(data, read(data), entry("{}", entity_id="classic-a/orders/2"))) == "classic-a/orders/2"
    )
    assert text(key_line(b'\x02{"contentId":1}', read(b'\x02{"contentId":1}'), entry("{}"))) == "contentId 1"


def test_of_a_key_what_tells_it_from_others_comes_first() -> None:
    data = b'{"keytype":"SCHEMA","subject":"pay-value","version":2,"magic":1}'
    line = key_line(data, read(data), entry("{}", entity_id="pay-value/2"))
    assert text(line) == "subject pay-value version 2 keytype SCHEMA magic 1"
    assert text(key_line(data, read(data), None)).startswith("keytype SCHEMA subject")


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ('{"createdOn":1795249474970}', "createdOn 2026-11-21 08:24:34 UTC"),
        (f'{{"hash":"{"ab" * 32}"}}', "hash abababababab…"),
    ],
)
def test_times_and_hashes_are_short(members: Any, expected: str) -> None:
    assert text(value(members.encode())) == expected
