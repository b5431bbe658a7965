"""Protobuf messages by uploaded descriptors: shown as they were written, refused without harm."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FieldDescriptorProto

from spark.codecs.protobuf import InvalidProtobuf, link, read_message
from tests.spark.sources.schema_files import (
    MONEY,
    ORDER,
    SHOP,
    deep_descriptors,
    descriptors,
    field,
    file,
    message,
)

# id "A7", one line of 3 pens, price 1250 units, a seal, paid
VALUE = field(1, b"A7") + field(2, field(1, b"pen") + b"\x10\x03") + field(3, b"\x08\xe2\x09") + field(4, b"\xff\x00") + b"\x28\x01"  # fmt: skip
SHOWN = {
    "id": "A7",
    "lines": [{"article": "pen", "count": 3}],
    "price": {"units": 1250},
    "seal": "0xff00",
    "paid": True,
}


def read(data: bytes, name: str = "shop.Order", content: bytes = SHOP) -> Any:
    return read_message(link(content)[0].pool, name, data)


def test_a_message_is_shown_by_its_fields_names() -> None:
    assert read(VALUE) == SHOWN


def test_a_file_that_imports_comes_before_what_it_imports() -> None:
    files = link(descriptors(ORDER, MONEY))
    assert [one.names for one in files] == [["shop.Line", "shop.Order"], ["shop.Money"]]


def test_a_file_whose_import_is_missing_is_left_out() -> None:
    assert [one.names for one in link(descriptors(MONEY, file("x.proto", message("X"), imports=("y.proto",))))] == [
        ["shop.Money"]
    ]  # fmt: skip


def test_files_that_import_each_other_are_refused() -> None:
    first = file("a.proto", message("A"), imports=("b.proto",))
    second = file("b.proto", message("B"), imports=("a.proto",))
    with pytest.raises(InvalidProtobuf, match="in a circle"):
        link(descriptors(first, second))


def test_a_type_that_every_library_has_need_not_be_in_the_set() -> None:
    moment = message("Moment", ("at", 1, ".google.protobuf.Timestamp", "one"))
    content = descriptors(file("m.proto", moment, imports=("google/protobuf/timestamp.proto",)))
    assert read(field(1, b"\x08\x07"), "shop.Moment", content) == {"at": {"seconds": 7}}


def test_maps_and_enums_are_shown_by_their_names() -> None:
    stock = message("Stock", ("colour", 1, "int32", "one"), ("held", 2, ".shop.Stock.HeldEntry", "many"))
    stock.field[0].type, stock.field[0].type_name = FieldDescriptorProto.TYPE_ENUM, ".shop.Stock.Colour"
    colours = stock.enum_type.add(name="Colour")
    for number, name in enumerate(("NONE", "RED")):
        colours.value.add(name=name, number=number)
    entry = message("HeldEntry", ("key", 1, "bool", "one"), ("value", 2, "int64", "one"))
    entry.options.map_entry = True
    stock.nested_type.append(entry)
    content = descriptors(file("stock.proto", stock))
    assert read(b"\x08\x01" + field(2, b"\x08\x01\x10\x05"), "shop.Stock", content) == {
        "colour": "RED",
        "held": {"true": 5},
    }
    assert read(b"\x08\x09", "shop.Stock", content) == {"colour": 9}


@pytest.mark.parametrize(
    "data",
    [
        VALUE + b"\x30\x01",
        field(2, field(9, b"x")),
        VALUE[:-1],
        field(1, b"\xff"),
        b"\x28\x81\x00",
        b"\x0a\xff\xff\xff\xff\x07",
        b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7fabc",
        b"plain text",
    ],
    ids=[
        "an unknown field",
        "an unknown field within",
        "cut",
        "text that is not UTF-8",
        "a longer number than needed",
        "a claim of 2 GB",
        "a claim of exabytes",
        "text",
    ],
)
def test_bytes_that_are_not_wholly_of_the_type_do_not_fit(data: bytes) -> None:
    with pytest.raises(InvalidProtobuf):
        read(data)


def test_a_value_that_nests_too_deeply_does_not_fit() -> None:
    tree = descriptors(file("tree.proto", message("Tree", ("in", 1, ".shop.Tree", "one"))))
    for levels in (60, 99, 5000):
        value = b""
        for _ in range(levels):
            value = field(1, value)
        with pytest.raises(InvalidProtobuf):
            read(value, "shop.Tree", tree)


def test_a_value_of_very_many_parts_does_not_hang() -> None:
    started = time.process_time()
    with pytest.raises(InvalidProtobuf, match="items"):
        read(b"\x12\x00" * 500_000)
    assert time.process_time() - started < 5


@pytest.mark.parametrize("content", [b"\xff", b"\x0a\xff\xff\xff\xff\x07", deep_descriptors(5000)])
def test_what_is_no_set_of_descriptors_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidProtobuf, match="not a FileDescriptorSet"):
        link(content)


def test_changed_descriptors_and_values_raise_nothing_else() -> None:
    draw = random.Random(3)
    for _ in range(150):
        content, value = bytearray(SHOP), bytearray(VALUE)
        content[draw.randrange(len(content))] = draw.randrange(256)
        value[draw.randrange(len(value))] = draw.randrange(256)
        try:
            for one in link(bytes(content)):
                for name in one.names:
                    read_message(one.pool, name, bytes(value))
        except InvalidProtobuf:
            continue


def test_a_place_names_a_message_within_messages() -> None:
    outer = message("Outer")
    outer.nested_type.append(message("Inner"))
    (one,) = link(descriptors(file("o.proto", message("First"), outer)))
    assert (one.name_at([0]), one.name_at([1, 0])) == ("shop.First", "shop.Outer.Inner")
    assert one.name_at([2]) is one.name_at([1, 1]) is one.name_at([-1]) is None
