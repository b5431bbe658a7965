"""Framed values in the drawer, by the schemas that a capture fetched from the registry."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from spark.sources import InputFile
from spark.sources.registry_schemas import source
from tests.builders import files_table, records_table
from tests.webapp.reports.result_folder import report_document, write_results
from webapp.reports.results import open_results
from webapp.reports.values.decoded_values import read_framed

MONEY = json.dumps({"type": "record", "name": "shop.Money", "fields": [{"name": "units", "type": "long"}]})
ORDER = json.dumps(
    {
        "type": "record",
        "name": "shop.Order",
        "fields": [{"name": "id", "type": "string"}, {"name": "price", "type": "Money"}],
    }
)
COIN = 'syntax = "proto3"; package shop; message Coin { int32 cents = 1; }'
PURSE = (
    'syntax = "proto3"; import "coin.proto"; message Bag {} message Purse { repeated shop.Coin coins = 1; }'
)


def schema(id: int, kind: str, text: str, *references: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": id,
        "type": kind,
        "schema": text,
        "references": list(references),
        "subjects": [[f"s{id}", 1]],
    }


def reference(name: str, subject: str) -> dict[str, Any]:
    return {"name": name, "subject": subject, "version": 1}


DOCUMENT = {
    "journalscope_schemas": 1,
    "registry": "http://registry:8081",
    "schemas": [
        schema(1, "AVRO", ORDER, reference("shop.Money", "s2")),
        schema(2, "AVRO", MONEY),
        schema(3, "PROTOBUF", PURSE, reference("coin.proto", "s4")),
        schema(4, "PROTOBUF", COIN),
        schema(5, "PROTOBUF", "message Odd { group G = 1 {} }"),
        schema(6, "JSON", "{}"),
        schema(7, "PROTOBUF", PURSE),
    ],
    "missing": [{"id": 9, "why": "the registry answered 404"}],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result folder with what the source makes of the file."""
    folder = tmp_path_factory.mktemp("results")
    path = folder / "journalscope-schemas.json"
    path.write_text(json.dumps(DOCUMENT))
    file = InputFile(path.name, str(path), path.stat().st_size)
    (found,) = source.read(source.split(file, 0, "?", 0, "")[0])
    return write_results(
        folder / "tables",
        report_document(),
        files=files_table({"name": path.name, "kind": "companion", "layout": source.id}),
        properties=found.others["properties"],
        records=records_table({}),
    )


def read(folder: Path, schema_id: int, payload: bytes) -> tuple[str, str, str]:
    with open_results(folder) as results:
        reading = read_framed(results, struct.pack(">bi", 0, schema_id) + payload)
    return reading.form, reading.text, reading.note


def test_avro_with_what_it_refers_to(folder: Path) -> None:
    form, text, note = read(folder, 1, b"\x02a\x0a")
    assert (form, json.loads(text)) == ("avro", {"id": "a", "price": {"units": 5}})
    assert note == "Schema-registry framing: magic 0, schema ID 1 (s1/1), then Avro."


def test_protobuf_with_what_it_imports(folder: Path) -> None:
    form, text, note = read(folder, 3, b"\x02\x02" + b"\x0a\x02\x08\x07")
    assert (form, json.loads(text)) == ("protobuf", {"coins": [{"cents": 7}]})
    assert note == "Schema-registry framing: magic 0, schema ID 3 (s3/1), then Protobuf."


def test_json_names_its_schema(folder: Path) -> None:
    form, text, note = read(folder, 6, b'{"a": 1}')
    assert (form, json.loads(text)) == ("json", {"a": 1})
    assert "schema ID 6 (s6/1), then JSON" in note


@pytest.mark.parametrize(
    ("schema_id", "payload", "said"),
    [
        (1, b"\x02a", "the value does not match the schema: it ends within"),
        (3, b"\x02\x08\x00", "the schema has no message at that place"),
        (3, b"\x02\x02\x18\x01", "it has fields that Purse does not know"),
        (
            5,
            b"\x00\x08",
            "PROTOBUF is not decoded here: its text is not readable with: schema-5.proto is not Protobuf",
        ),
        (7, b"\x00\x08", "the schema lacks a file that it imports"),
        (9, b"\xff", "The registry was asked for it: the registry answered 404"),
        (10, b"\xff", "no journal of a schema registry with that id is in this upload."),
    ],
)
def test_why_a_value_is_not_decoded_is_said(folder: Path, schema_id: int, payload: bytes, said: str) -> None:
    form, _, note = read(folder, schema_id, payload)
    assert form not in ("avro", "protobuf")
    assert said in note
