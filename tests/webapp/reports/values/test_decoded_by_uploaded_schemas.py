"""Values tried with uploaded schemas: what fits is shown with the caution, what does not stays as it is."""

from __future__ import annotations

import base64
import json
import re
import struct
import time
from pathlib import Path
from typing import Any

import pytest

from spark.codecs.candidate_schemas import MAX_BYTES
from tests.builders import files_table, other_table
from tests.spark.sources.schema_files import MONEY as MONEY_FILE
from tests.spark.sources.schema_files import SHOP, deep_descriptors, descriptors, field
from tests.webapp.reports.result_folder import write_results
from webapp.reports.results import open_results
from webapp.reports.values.bytes_text import PRETTY_BYTES, RenderedValue
from webapp.reports.values.bytes_text import read as plain
from webapp.reports.values.decoded_values import read_framed

MONEY = {"type": "record", "name": "shop.Money", "fields": [{"name": "units", "type": "long"}, {"name": "currency", "type": "string"}]}  # fmt: skip
COST = MONEY | {"name": "shop.Cost"}
ORDER = {"type": "record", "name": "shop.Order", "fields": [{"name": "price", "type": "Money"}, {"name": "id", "type": "int"}]}  # fmt: skip
PRICE = b"\xc4\x13\x06EUR"  # 1250 EUR
SHOWN = {"units": 1250, "currency": "EUR"}
PROTO_ORDER = field(1, b"A7") + field(2, field(1, b"pen") + b"\x10\x03")
PROTO_SHOWN = {"id": "A7", "lines": [{"article": "pen", "count": 3}]}
REGISTERED = {"subject": "orders", "version": 1, "id": 4, "schema": 'syntax = "proto3";', "schemaType": "PROTOBUF"}  # fmt: skip


def reading(folder: Path, data: bytes, files: dict[str, Any], **tables: Any) -> RenderedValue:
    """What the drawer shows of a value beside uploaded files: documents are Avro, bytes are descriptors."""
    layouts = ["protobuf-descriptors" if isinstance(one, bytes) else "avro-schema" for one in files.values()]
    contents = [
        base64.b64encode(one).decode() if isinstance(one, bytes) else one if isinstance(one, str) else json.dumps(one)
        for one in files.values()
    ]  # fmt: skip
    rows = [
        {"name": name, "kind": "companion", "layout": layout, "topic": "?", "partition": 0}
        for name, layout in zip(files, layouts, strict=True)
    ]
    kept = [
        {"topic": "?", "partition": 0, "replica": "", "file": number, "name": "x", "value": content}
        for number, content in enumerate(contents)
    ]
    write_results(folder, files=files_table(*rows), properties=other_table("properties", *kept), **tables)
    with open_results(folder) as results:
        return read_framed(results, data)


def framed(schema_id: int, payload: bytes) -> bytes:
    return struct.pack(">bi", 0, schema_id) + payload


def test_a_bare_avro_value_is_read_with_the_caution(tmp_path: Path) -> None:
    shown = reading(tmp_path, PRICE, {"money.avsc": MONEY})
    assert (shown.form, json.loads(shown.text)) == ("avro", SHOWN)
    assert shown.note == "Read with money.avsc, no proof that it was written with it."


def test_a_framed_value_of_an_unknown_id_is_read_behind_its_framing(tmp_path: Path) -> None:
    shown = reading(tmp_path, framed(9, PRICE), {"money.avsc": MONEY})
    assert json.loads(shown.text) == SHOWN
    assert shown.note == (
        "Schema-registry framing: magic 0, schema ID 9, which no journal of a schema registry in this upload knows, then "
        "Avro. Read with money.avsc, no proof that it was written with it."
    )


def test_a_bare_value_that_only_looks_framed_is_read_as_a_whole(tmp_path: Path) -> None:
    schema = {"type": "record", "name": "N", "fields": [{"name": n, "type": "int"} for n in "abcdef"]}
    shown = reading(tmp_path, b"\x00\x00\x00\x00\x02\x04", {"n.avsc": schema})
    assert json.loads(shown.text) == {"a": 0, "b": 0, "c": 0, "d": 0, "e": 1, "f": 2}
    assert shown.note.startswith("Read with n.avsc")


def test_of_several_that_fit_the_first_by_name_is_shown_and_the_others_are_named(tmp_path: Path) -> None:
    shown = reading(tmp_path, PRICE, {"b.avsc": MONEY, "a.avsc": COST, "c.avsc": ORDER})
    assert "Read with a.avsc, no proof that it was written with it: 2 uploaded schemas match" in shown.note
    assert "(b.avsc match, too)" in shown.note


def test_a_schema_may_name_types_of_another_file(tmp_path: Path) -> None:
    shown = reading(tmp_path, PRICE + b"\x0e", {"order.avsc": ORDER, "money.avsc": MONEY})
    assert json.loads(shown.text) == {"price": SHOWN, "id": 7}


@pytest.mark.parametrize("data", [PRICE + b"\x00", PRICE[:-1], b"\xff" * 30], ids=["left", "cut", "other"])
def test_what_is_not_read_to_its_last_byte_stays_as_it_is(tmp_path: Path, data: bytes) -> None:
    shown = reading(tmp_path, data, {"money.avsc": MONEY, "shop.desc": SHOP})
    assert (shown.form, shown.text) == (plain(data).form, plain(data).text)
    assert shown.note.endswith("Tried with 4 uploaded schemas: none reads it to its last byte.")


@pytest.mark.parametrize("data", [b"ok", b'{"a":1}', "größer\n".encode()], ids=["text", "JSON", "UTF-8"])
def test_text_that_can_be_read_is_not_tried(tmp_path: Path, data: bytes) -> None:
    schema = {"type": "record", "name": "N", "fields": [{"name": n, "type": "int"} for n in "ab"]}
    assert reading(tmp_path, data, {"n.avsc": schema}) == plain(data)


def test_a_bare_protobuf_message_is_read_with_the_caution(tmp_path: Path) -> None:
    shown = reading(tmp_path, PROTO_ORDER, {"shop.desc": SHOP})
    assert (shown.form, json.loads(shown.text)) == ("protobuf", PROTO_SHOWN)
    assert shown.note == "Read with shop.desc (shop.Order), no proof that it was written with it."


def test_a_framed_protobuf_message_is_found_by_its_place(tmp_path: Path) -> None:
    shown = reading(tmp_path, framed(9, b"\x02\x02" + PROTO_ORDER), {"shop.desc": SHOP})
    assert json.loads(shown.text) == PROTO_SHOWN
    assert "then Protobuf. Read with shop.desc (shop.Order)" in shown.note


def test_protobuf_that_the_registry_names_is_read_with_descriptors_and_no_avro(tmp_path: Path) -> None:
    state = {
        "entity_type": "schema", "entity_id": "orders/1", "profile": "confluent", "is_own": True, "view": "log",
        "valid_from_offset": 0, "origin_offset": 0, "attributes": json.dumps({"id": 4, "schemaType": "PROTOBUF"}),
    }  # fmt: skip
    table = other_table("state", state, topic="_schemas", partition=0, replica="")
    shown = reading(
        tmp_path, framed(4, b"\x00\x08\x07"), {"a.avsc": "5", "m.desc": descriptors(MONEY_FILE)}, state=table
    )
    assert json.loads(shown.text) == {"units": 7}
    assert shown.note == (
        "Schema-registry framing: magic 0, schema ID 4 (orders/1), then Protobuf. Read with m.desc (shop.Money), no proof "
        "that it was written with it."
    )


def test_files_that_cannot_be_used_harm_nothing(tmp_path: Path) -> None:
    broken = {
        "a.avsc": "{",
        "b.avsc": "[" * 100_000,
        "c.avsc": {"type": "record", "name": 5, "fields": [{"name": [1], "type": {}}]},
        "d.desc": b"\xff",
        "e.desc": deep_descriptors(5000),
        "z.avsc": MONEY,
    }
    assert json.loads(reading(tmp_path, PRICE, broken).text) == SHOWN


def test_long_values_are_not_tried(tmp_path: Path) -> None:
    data = b"\x00" * (MAX_BYTES + 1)
    assert reading(tmp_path, data, {"n.avsc": {"type": "array", "items": "int"}}) == plain(data)


def test_a_framed_value_that_nothing_fits_says_what_was_tried(tmp_path: Path) -> None:
    note = reading(tmp_path, framed(9, b"\xff"), {"money.avsc": MONEY}).note
    assert "Tried with 1 uploaded schema: none reads it to its last byte." in note
    assert "could be a schema-registry framing: magic 0, schema ID 9" in note


@pytest.mark.wide
def test_schemas_that_never_end_are_given_up(tmp_path: Path) -> None:
    endless: Any = "null"
    for level in range(60):
        second = "null" if level == 0 else f"R{level - 1}"
        fields = [{"name": "a", "type": endless}, {"name": "b", "type": second}]
        endless = {"type": "record", "name": f"R{level}", "fields": fields}
    started = time.process_time()
    note = reading(tmp_path, b"\xff\xff", {f"{n}.avsc": endless for n in range(20)}).note
    assert re.search("Tried with [1-9] of 20 uploaded schemas", note)
    assert time.process_time() - started < 10


def test_two_hundred_schemas_are_tried_and_the_rest_is_said(tmp_path: Path) -> None:
    files = {f"{number:03}.avsc": MONEY | {"name": f"M{number}"} for number in range(250)}
    note = reading(tmp_path, PRICE, files).note
    assert "200 uploaded schemas match" in note
    assert note.endswith("Tried were 200 of 250 uploaded schemas.")
    assert "001.avsc, 002.avsc, 003.avsc, ... match, too" in note


SHORT = b"\x80\x80\x08\x00"  # 65,536 items of no bytes


@pytest.mark.parametrize(
    "names", [{"fields": [{"name": "x" * 100_000, "type": "null"}]}, {"symbols": ["x" * 100_000]}]
)
def test_a_short_value_that_no_memory_holds_is_not_read(tmp_path: Path, names: dict[str, Any]) -> None:
    item = {"type": "record" if "fields" in names else "enum", "name": "I", **names}
    data = SHORT if "fields" in names else b"\x80\x10" + bytes(1024) + b"\x00"
    shown = reading(tmp_path, data, {"n.avsc": {"type": "array", "items": item}})
    assert shown.document is None
    assert len(shown.text) < 10_000


def test_a_short_value_that_a_schema_makes_endless_is_cut(tmp_path: Path) -> None:
    item = {"type": "record", "name": "I", "fields": [{"name": "x" * 100, "type": "null"}]}
    started = time.process_time()
    text = reading(tmp_path, SHORT, {"n.avsc": {"type": "array", "items": item}}).text
    assert len(text) < PRETTY_BYTES + 100
    assert "truncated after 200,000 characters" in text
    assert time.process_time() - started < 5
