"""Field tables and the readers made of them: every type, both forms, tags, nulls, versions, damage."""

from __future__ import annotations

import struct

import pytest

from spark.codecs.kafka_message import messages, read, read_versioned
from spark.codecs.kafka_message.schema import MessageSchema
from spark.terms.errors import Unreadable


def table(text: str) -> MessageSchema:
    (one,) = messages(text).values()
    return one


ALL = table("""
All 0-2 flexible 2+
    flag bool
    small int8
    port uint16
    rate float64
    id uuid
    name string?
    raw bytes
    numbers []int32
    items []{}? 1+
        key string
        more []{}
            deep int16
    note string 2+ tag 0
    within {}? 2+ tag 1
        value int64
    last int32
""")
FIXED = struct.pack(">?bHd", True, -2, 65000, 0.5) + bytes(16)
PLAIN = FIXED + struct.pack(">h1s", 1, b"n") + struct.pack(">i2s", 2, b"ab") + struct.pack(">iii", 2, 7, -7)
VERSION_1 = PLAIN + struct.pack(">ih1s", 1, 1, b"k") + struct.pack(">ih", 1, 9) + struct.pack(">i", 5)
# id, name n, raw ab, numbers, one item with its own (empty) tags, last, then tags
VERSION_2 = (
    FIXED + b"\x02n" + b"\x03ab" + b"\x03" + struct.pack(">ii", 7, -7)
    + b"\x02" + b"\x02k" + b"\x02\x00\x09\x00" + b"\x00" + struct.pack(">i", 5)
)  # fmt: skip
MEMBERS = {
    "flag": True, "small": -2, "port": 65000, "rate": 0.5, "id": "A" * 22, "name": "n", "raw": "YWI=",
    "numbers": [7, -7],
}  # fmt: skip
ITEMS = [{"key": "k", "more": [{"deep": 9}]}]


def test_a_version_has_its_own_fields() -> None:
    assert read(ALL, 0, PLAIN + struct.pack(">i", 5), 0, "value") == {**MEMBERS, "last": 5}
    assert read(ALL, 1, VERSION_1, 0, "value") == {**MEMBERS, "items": ITEMS, "last": 5}


def test_flexible_versions_have_short_lengths_and_tags_at_every_end() -> None:
    assert read(ALL, 2, VERSION_2 + b"\x00", 0, "value") == {**MEMBERS, "items": ITEMS, "last": 5}


def test_tagged_fields_come_when_they_are_there_and_unknown_ones_are_passed_over() -> None:
    note, within = b"\x00\x03\x03hi", b"\x01\x0a\x01" + struct.pack(">q", 4) + b"\x00"
    tags = b"\x03" + note + within + b"\x63\x02xy"
    found = read(ALL, 2, VERSION_2 + tags, 0, "value")
    assert (found["note"], found["within"]) == ("hi", {"value": 4})


def test_a_null_structure_in_a_tag_is_a_zero() -> None:
    assert read(ALL, 2, VERSION_2 + b"\x01\x01\x01\x00", 0, "value")["within"] is None


def test_null_is_where_it_may_be() -> None:
    nameless = FIXED + b"\xff\xff" + PLAIN[len(FIXED) + 3 :] + struct.pack(">i", 5)
    assert read(ALL, 0, nameless, 0, "value")["name"] is None
    without_items = PLAIN + struct.pack(">ii", -1, 5)
    assert read(ALL, 1, without_items, 0, "value")["items"] is None
    with pytest.raises(Unreadable, match="numbers is null"):
        read(ALL, 0, PLAIN[:-12] + struct.pack(">ii", -1, 5), 0, "value")


@pytest.mark.parametrize(
    ("version", "whole"), [(1, VERSION_1), (2, VERSION_2 + b"\x00")], ids=["plain", "flexible"]
)
def test_any_cut_is_unreadable(version: int, whole: bytes) -> None:
    for size in range(len(whole)):
        with pytest.raises(Unreadable):
            read(ALL, version, whole[:size], 0, "value")


@pytest.mark.parametrize(
    ("version", "whole"), [(1, VERSION_1), (2, VERSION_2 + b"\x00")], ids=["plain", "flexible"]
)
def test_a_flipped_bit_is_read_or_unreadable(version: int, whole: bytes) -> None:
    for bit in range(len(whole) * 8):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            read(ALL, version, bytes(flipped), 0, "value")
        except Unreadable:
            continue


def test_bytes_behind_the_last_field_are_unreadable_unless_the_table_is_open() -> None:
    with pytest.raises(Unreadable, match="1 bytes after the last field of All"):
        read(ALL, 1, VERSION_1 + b"x", 0, "value")
    assert read(
        table("Open 0 flexible 0+ open\n    epoch int32"), 0, b"\x00\x00\x00\x07more", 0, "value"
    ) == {"epoch": 7}


@pytest.mark.parametrize("version", [-1, 3])
def test_a_version_that_the_table_lacks_is_named(version: int) -> None:
    with pytest.raises(Unreadable, match=f"version {version} of All; 0 to 2 are known"):
        read_versioned(ALL, struct.pack(">h", version) + VERSION_1, "value")


def test_a_count_beyond_the_data_takes_no_memory() -> None:
    many = table("Many 0\n    items []{}\n        a string")
    with pytest.raises(Unreadable):
        read(many, 0, struct.pack(">i", 2**31 - 1), 0, "value")


def test_a_message_without_fields_is_read() -> None:
    assert read(table("Nothing 0 flexible 0+"), 0, b"\x00", 0, "value") == {}
    assert read(table("Nothing 0"), 0, b"", 0, "value") == {}
