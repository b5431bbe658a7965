"""Framed values in the drawer: by the schema of a journal in the same upload, or with a remark."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from tests.builders import other_table, records_table
from tests.webapp.reports.result_folder import report_document, write_results
from webapp.reports.results import open_results
from webapp.reports.values.bytes_text import RenderedValue
from webapp.reports.values.decoded_values import decoded_document, read_framed

MONEY = {"type": "record", "name": "shop.Money", "fields": [{"name": "units", "type": "long"}]}
ORDER = {"type": "record", "name": "shop.Order", "fields": [{"name": "price", "type": "Money"}]}
TO_MONEY = [{"name": "shop.Money", "subject": "money", "version": 1}]
SCHEMAS: list[dict[str, Any]] = [
    {"subject": "money", "version": 1, "id": 1, "schema": json.dumps(MONEY)},
    {"subject": "order", "version": 1, "id": 2, "schema": json.dumps(ORDER), "references": TO_MONEY},
    {"subject": "text", "version": 1, "id": 3, "schema": '"string"'},
    {"subject": "proto", "version": 1, "id": 4, "schema": 'syntax = "proto3";', "schemaType": "PROTOBUF"},
    {"subject": ":.other:text", "version": 1, "id": 3, "schema": '"long"'},
]


def framed(schema_id: int, payload: bytes) -> bytes:
    return struct.pack(">bi", 0, schema_id) + payload


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result folder with the journal of a schema registry."""
    records = [
        {"offset": n, "key": b"k%d" % n, "value": json.dumps(schema).encode()}
        for n, schema in enumerate(SCHEMAS)
    ]
    state = [
        {
            "entity_type": "schema", "entity_id": f"{schema['subject']}/{schema['version']}", "profile": "confluent",
            "is_own": True, "view": "log", "valid_from_offset": n, "origin_offset": n,
            "attributes": json.dumps({"id": schema["id"], "schemaType": schema.get("schemaType", "AVRO")}),
        }
        for n, schema in enumerate(SCHEMAS)
    ]  # fmt: skip
    return write_results(
        tmp_path_factory.mktemp("results"),
        report_document(),
        records=records_table(*records, topic="_schemas"),
        state=other_table("state", *state, topic="_schemas", partition=0, replica=""),
    )


def read(folder: Path, data: bytes | None) -> RenderedValue:
    with open_results(folder) as results:
        return read_framed(results, data)


def test_avro_is_shown_by_its_schema(folder: Path) -> None:
    reading = read(folder, framed(1, b"\x04"))
    assert (reading.form, json.loads(reading.text)) == ("avro", {"units": 2})
    assert reading.note == "Schema-registry framing: magic 0, schema ID 1 (money/1), then Avro."


def test_references_are_followed(folder: Path) -> None:
    assert json.loads(read(folder, framed(2, b"\x04")).text) == {"price": {"units": 2}}


def test_of_several_contexts_the_schema_that_fits_is_taken(folder: Path) -> None:
    assert json.loads(read(folder, framed(3, b"\x04ab")).text) == "ab"
    assert json.loads(read(folder, framed(3, b"\x80\x01")).text) == 64


def test_a_value_that_does_not_fit_says_why(folder: Path) -> None:
    reading = read(folder, framed(1, b"\x04\x04"))
    assert reading.form != "avro"
    assert "does not match the schema: 1 bytes are left behind the value" in reading.note


def test_protobuf_is_named_and_left_as_it_is(folder: Path) -> None:
    assert "(proto/1): PROTOBUF is not decoded here" in read(folder, framed(4, b"\x00\x08\x01")).note


def test_an_id_that_nobody_knows_is_only_a_remark(folder: Path) -> None:
    note = read(folder, framed(99, b"\x04")).note
    assert "could be a schema-registry framing: magic 0, schema ID 99" in note


@pytest.mark.parametrize("data", [b'\x00{"bootstrapId":"1"}', b'\x00\x00\x00{"a":{"b":1}}'])
def test_json_that_begins_elsewhere_is_not_framed(folder: Path, data: bytes) -> None:
    reading = read(folder, data)
    assert reading.form == "json"
    assert "framing" not in reading.note


def test_what_a_service_reads_itself_is_not_framed(folder: Path) -> None:
    with open_results(folder) as results:
        reading = read_framed(results, framed(99, b'{"a":1}'), is_entry=True)
    assert (reading.document, "framing" in reading.note) == ({"a": 1}, False)


@pytest.mark.parametrize(
    ("data", "attributes", "document"),
    [
        (framed(1, b"\x08"), None, {"units": 4}),
        (b'\x06{"action":1}', None, {"action": 1}),
        (b"\xff\x00", '{"contentId":1}', {"contentId": 1}),
        (b"\xff\x00", None, None),
        (b"text", None, None),
        (None, '{"contentId":1}', None),
        (b'{"n":NaN,"s":"\\ud800"}', None, {"n": "NaN", "s": "?"}),
    ],
)
def test_a_document_can_be_sent(
    folder: Path, data: bytes | None, attributes: str | None, document: Any
) -> None:
    with open_results(folder) as results:
        assert decoded_document(results, data, attributes) == document


def test_json_behind_the_framing_needs_no_schema(folder: Path) -> None:
    reading = read(folder, framed(99, b'{"a":1}'))
    assert (reading.form, reading.note) == (
        "json",
        "Schema-registry framing: magic 0, schema ID 99, then JSON.",
    )


@pytest.mark.parametrize(
    "data", [None, b"", b"text", b'{"a":1}', b"\x00\x01", b"\x00\x00\x00\x00\x00", b"\x03{}"]
)
def test_other_values_are_shown_as_ever(folder: Path, data: bytes | None) -> None:
    from webapp.reports.values.bytes_text import read as plain

    assert read(folder, data) == plain(data)
