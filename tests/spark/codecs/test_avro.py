"""Avro's binary form, by the examples of its specification and by damage of every kind."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from spark.codecs.avro import MAX_DEPTH, MAX_ITEMS, AvroCursor, InvalidAvro, decode

PAIR = {
    "type": "record", "name": "test",
    "fields": [{"name": "a", "type": "long"}, {"name": "b", "type": "string"}],
}  # fmt: skip
SUIT = {"type": "enum", "name": "cards.Suit", "symbols": ["SPADES", "HEARTS"]}
TREE = {
    "type": "record", "name": "Tree", "namespace": "org.x",
    "fields": [{"name": "value", "type": "int"}, {"name": "next", "type": ["null", "Tree"]}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "data", "value"),
    [
        ("null", b"", None),
        ("boolean", b"\x01", True),
        ("int", b"\x01", -1),
        ("long", b"\x80\x01", 64),
        ("long", b"\x7f", -64),
        ("float", struct.pack("<f", 1.5), 1.5),
        ("double", struct.pack("<d", -2.25), -2.25),
        ("bytes", b"\x04\x00\xff", "0x00ff"),
        ("string", b"\x06foo", "foo"),
        (PAIR, b"\x36\x06foo", {"a": 27, "b": "foo"}),
        ({"type": "array", "items": "long"}, b"\x04\x06\x36\x00", [3, 27]),
        ({"type": "array", "items": "long"}, b"\x03\x04\x06\x36\x00", [3, 27]),
        ({"type": "array", "items": "long"}, b"\x02\x06\x02\x36\x00", [3, 27]),
        ({"type": "map", "values": "int"}, b"\x02\x02a\x02\x00", {"a": 1}),
        (["null", "string"], b"\x00", None),
        (["null", "string"], b"\x02\x02a", "a"),
        (SUIT, b"\x02", "HEARTS"),
        ({"type": "fixed", "name": "f", "size": 2}, b"\x01\x02", "0x0102"),
        ({"type": "long", "logicalType": "timestamp-millis"}, b"\x02", 1),
        ({"type": {"type": "string"}}, b"\x02a", "a"),
        (TREE, b"\x02\x02\x04\x00", {"value": 1, "next": {"value": 2, "next": None}}),
        ({"type": "record", "name": "E", "fields": []}, b"", {}),
    ],
)  # fmt: skip
def test_a_value_is_read_by_its_schema(schema: Any, data: bytes, value: Any) -> None:
    assert decode(schema, data) == value


def test_a_type_may_be_described_in_another_schema() -> None:
    hand = {"type": "record", "name": "Hand", "fields": [{"name": "suit", "type": "cards.Suit"}]}
    assert decode(hand, b"\x00", [SUIT]) == {"suit": "SPADES"}
    with pytest.raises(InvalidAvro, match=r"names cards\.Suit, which is described nowhere"):
        decode(hand, b"\x00")


def test_a_name_is_looked_for_in_its_own_namespace_first() -> None:
    inner = {"type": "fixed", "name": "Id", "size": 1}
    outer = {
        "type": "record", "name": "a.b.Order",
        "fields": [{"name": "first", "type": inner}, {"name": "second", "type": "Id"}],
    }  # fmt: skip
    assert decode(outer, b"\x01\x02") == {"first": "0x01", "second": "0x02"}


@pytest.mark.parametrize(
    "schema", [PAIR, {"type": "map", "values": PAIR}, TREE], ids=["record", "map", "tree"]
)
def test_any_cut_is_refused(schema: Any) -> None:
    whole = {"test": b"\x36\x06foo", "Tree": b"\x02\x02\x04\x00"}.get(
        schema.get("name", ""), b"\x02\x02k\x36\x06foo\x00"
    )
    decode(schema, whole)
    for size in range(len(whole)):
        with pytest.raises(InvalidAvro):
            decode(schema, whole[:size])


@pytest.mark.parametrize(
    ("schema", "data", "why"),
    [
        (PAIR, b"\x36\x06foox", "1 bytes are left"),
        ("boolean", b"\x02", "a boolean is 2"),
        ("string", b"\x04\xff\xff", "not UTF-8"),
        ("string", b"\x01", "ends within a field"),
        ("long", b"\xff" * 11, "more than ten bytes"),
        ("long", b"\xff" * 9 + b"\x02", "more than 64 bits"),
        (["null"], b"\x02", "no branch 1"),
        (SUIT, b"\x04", "no symbol 2"),
        ({"type": "array", "items": "null"}, b"\xfe\xff\xff\xff\x0f\x00", f"more than {MAX_ITEMS:,} items"),
        ({"type": "enum", "name": "e", "symbols": 5}, b"\x00", "no symbol"),
        ({"type": "record", "name": "r"}, b"\x00", "no fields"),
        ({"type": "record", "name": "r", "fields": 5}, b"\x00", "no fields"),
        ({"type": "fixed", "name": "f"}, b"\x00", "ends within"),
        (7, b"\x00", "described nowhere"),
        (None, b"\x00", "described nowhere"),
        ({}, b"\x00", "described nowhere"),
    ],
)
def test_what_does_not_fit_says_why(schema: Any, data: bytes, why: str) -> None:
    with pytest.raises(InvalidAvro, match=why):
        decode(schema, data)


def test_values_within_values_end_somewhere() -> None:
    with pytest.raises(InvalidAvro, match=f"deeper than {MAX_DEPTH} levels"):
        decode(TREE, b"\x02\x02" * 200 + b"\x02\x00")
    nested: Any = "int"
    for _ in range(5000):
        nested = [nested]
    with pytest.raises(InvalidAvro, match="deeper than"):
        decode(nested, b"\x00" * 6000)


def test_a_type_that_holds_itself_alone_ends_somewhere() -> None:
    loop = {"type": "record", "name": "L", "fields": [{"name": "l", "type": "L"}]}
    with pytest.raises(InvalidAvro, match="deeper than"):
        decode(loop, b"")


def test_a_schema_of_endless_values_of_nothing_gives_up() -> None:
    twice: Any = "null"
    for level in range(60):
        fields = [{"name": "a", "type": twice}, {"name": "b", "type": f"R{level}"}]
        fields[1]["type"] = "null" if level == 0 else f"R{level - 1}"
        twice = {"type": "record", "name": f"R{level}", "fields": fields}
    with pytest.raises(InvalidAvro, match="takes too long"):
        decode(twice, b"", max_s=0.05)


def test_fields_that_are_known_beforehand_are_read_one_after_the_other() -> None:
    cursor = AvroCursor(b"\x01\x06foo\x02\x00\x02a\x04\x02\x04\x01\x02\x06\x00!")
    assert (cursor.long(), cursor.text()) == (-1, "foo")
    assert (cursor.optional(cursor.text), cursor.optional(cursor.text)) == (None, "a")
    assert cursor.array(cursor.long) == [1, 2, 3]
    assert cursor.take(1) == b"!"


@pytest.mark.parametrize("data", [b"", b"\x04", b"\x01"], ids=["no branch", "a third branch", "below zero"])
def test_a_field_that_may_be_absent_has_two_branches(data: bytes) -> None:
    cursor = AvroCursor(data)
    with pytest.raises(InvalidAvro):
        cursor.optional(cursor.long)


def test_an_array_of_more_items_than_bytes_is_refused() -> None:
    cursor = AvroCursor(b"\xfe\xff\xff\xff\x0f\x00")
    with pytest.raises(InvalidAvro, match="ends within"):
        cursor.array(cursor.long)
