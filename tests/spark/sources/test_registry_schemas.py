"""Schemas fetched from a registry: one row for each id, with what it refers to; Protobuf's text becomes descriptors."""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict
from google.protobuf.message_factory import GetMessageClass

from spark.sources import Chunk, InputFile
from spark.sources.registry_schemas import source
from spark.stages.plan import recognise

NAME = "journalscope-schemas.json"
MONEY = 'syntax = "proto3"; package shop; message Money { int64 units = 1; }'
ORDER = """
syntax = "proto3";
package shop;
import "money.proto";
import "google/protobuf/timestamp.proto";
// What a customer wants.
message Order {
  option deprecated = true;
  string id = 1;
  Money price = 2 [deprecated = true, json_name = "thePrice"];
  repeated int32 sizes = 3;
  map<string, Money> fees = 4;
  oneof paid { string card = 5; Coin coin = 6; }
  optional bool is_gift = 7;
  google.protobuf.Timestamp at = 8;
  Kind kind = 9;
  message Coin { uint32 cents = 1; }
  enum Kind { option allow_alias = true; NONE = 0; SOME = 1; FEW = 1; }
  reserved 20 to 30;
}
service Orders { rpc Get (Order) returns (Order); }
"""
OLD = "message Old { required string id = 1; repeated int32 n = 2 [packed = true]; optional int32 m = 3 [default = 7]; }"


def schema(id: int, text: str, kind: str = "AVRO", *references: tuple[str, str, int]) -> dict[str, Any]:
    return {
        "id": id,
        "type": kind,
        "schema": text,
        "references": [{"name": name, "subject": of, "version": version} for name, of, version in references],
        "subjects": [[f"s{id}", 1]],
    }


def document(*schemas: dict[str, Any], **other: Any) -> bytes:
    whole = {
        "journalscope_schemas": 1,
        "registry": "http://registry:8081",
        "fetched_at_ms": 0,
        "schemas": list(schemas),
        "missing": [],
        **other,
    }
    return json.dumps(whole).encode()


def chunk(folder: Path, content: bytes) -> Chunk:
    path = folder / NAME
    path.write_bytes(content)
    file = InputFile(NAME, str(path), len(content))
    (split,) = source.split(file, 0, "?", 0, "")
    (found,) = source.read(split)
    return found


def entries(folder: Path, content: bytes) -> dict[str, Any]:
    rows = chunk(folder, content).others["properties"].to_pylist()
    return {row["name"]: json.loads(row["value"]) for row in rows}


def test_an_avro_schema_comes_with_all_it_refers_to(tmp_path: Path) -> None:
    found = entries(
        tmp_path,
        document(
            schema(1, '"a"', "AVRO", ("b", "s2", 1)),
            schema(2, '"b"', "AVRO", ("c", "s3", 1), ("a", "s1", 1)),
            schema(3, '"c"', "AVRO", ("gone", "s9", 1)),
        ),
    )
    assert found["schema 1"]["name"] == "s1/1"
    assert set(found["schema 1"]["references"]) == {"schema 1", "schema 2", "schema 3"}
    assert found["schema 3"]["references"] == []


def test_what_the_registry_did_not_give_has_its_reason(tmp_path: Path) -> None:
    found = entries(tmp_path, document(missing=[{"id": 9, "why": "HTTP 404"}]))
    assert found == {"schema 9": {"missing": "HTTP 404"}}


def test_its_note_counts_them(tmp_path: Path) -> None:
    note = chunk(tmp_path, document(schema(1, '"a"'), missing=[{"id": 9, "why": ""}])).note
    assert note == "1 schema of the registry at http://registry:8081; 1 id it did not give"


def message(entry: dict[str, Any], name: str, data: bytes) -> dict[str, Any]:
    from google.protobuf import timestamp_pb2

    pool = DescriptorPool()
    pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
    files = {
        file.name: file for file in FileDescriptorSet.FromString(base64.b64decode(entry["descriptors"])).file
    }
    for file in reversed(files.values()):  # the library wants what is imported first
        pool.AddSerializedFile(file.SerializeToString())
    found = GetMessageClass(pool.FindMessageTypeByName(name)).FromString(data)
    told: dict[str, Any] = MessageToDict(found, preserving_proto_field_name=True)
    return told


def test_protobufs_text_reads_a_message(tmp_path: Path) -> None:
    found = entries(
        tmp_path,
        document(schema(1, ORDER, "PROTOBUF", ("money.proto", "s2", 1)), schema(2, MONEY, "PROTOBUF")),
    )["schema 1"]
    assert found["root"] == "schema-1.proto"
    data = (
        b"\x0a\x01a" + b"\x12\x02\x08\x05" + b"\x1a\x02\x01\x02" + b"\x22\x07\x0a\x01x\x12\x02\x08\x03"
        b"\x32\x02\x08\x09" + b"\x38\x00" + b"\x42\x02\x08\x01" + b"\x48\x01"
    )
    assert message(found, "shop.Order", data) == {
        "id": "a",
        "price": {"units": "5"},
        "sizes": [1, 2],
        "fees": {"x": {"units": "3"}},
        "coin": {"cents": 9},
        "is_gift": False,
        "at": "1970-01-01T00:00:01Z",
        "kind": "SOME",
    }


def test_proto2_has_required_fields_and_packs_what_it_is_told_to(tmp_path: Path) -> None:
    found = entries(tmp_path, document(schema(1, OLD, "PROTOBUF")))["schema 1"]
    assert message(found, "Old", b"\x0a\x01a\x12\x02\x01\x02\x18\x07") == {"id": "a", "n": [1, 2], "m": 7}


@pytest.mark.parametrize("text", ["no protobuf at all {", "message A { group B = 1 {} }"])
def test_protobuf_that_is_not_covered_says_so(tmp_path: Path, text: str) -> None:
    found = entries(tmp_path, document(schema(1, text, "PROTOBUF")))["schema 1"]
    assert "descriptors" not in found
    assert (
        "is not readable with: schema-1.proto is not Protobuf, or contains unsupported syntax" in found["why"]
    )


def test_protobuf_that_imports_too_much_says_so(tmp_path: Path) -> None:
    long = f"// {'x' * (1 << 20)}\n{MONEY}"
    found = entries(tmp_path, document(schema(1, long, "PROTOBUF")))["schema 1"]
    assert "more than 1 million characters" in found["why"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"journalscope_schemas": 1,', "not JSON"),
        (b'{"journalscope_schemas": 2}', "version 2"),
        (b"[]", "should be an object"),
        (document({"id": "x"}), "should be a whole number"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    found = chunk(tmp_path, content)
    assert said in (found.note or "")
    assert found.damage is not None
    assert not found.others


def test_changed_bytes_never_raise(tmp_path: Path) -> None:
    draw = random.Random(1)
    content = document(schema(1, ORDER, "PROTOBUF", ("money.proto", "s2", 1)), schema(2, MONEY, "PROTOBUF"))
    for _ in range(300):
        changed = bytearray(content)
        changed[draw.randrange(len(changed))] = draw.randrange(256)
        assert chunk(tmp_path, bytes(changed)).note


def test_it_is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(document())
    best, _ = recognise(InputFile("other.json", str(tmp_path / NAME), 10))
    assert best is source
