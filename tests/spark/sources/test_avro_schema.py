"""Avro schemas beside a journal: known by name and content, kept whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources import InputFile
from spark.sources.avro_schema import source
from spark.stages.plan import recognise
from spark.tables import PROPERTIES

ORDER = b'{"type": "record", "name": "Order", "namespace": "shop", "fields": [{"name": "\xc3\xa4", "type": "int"}]}'


def written(folder: Path, content: bytes, name: str = "Order.avsc") -> InputFile:
    path = folder / name
    path.write_bytes(content)
    return InputFile(f"schemas/{name}", str(path), len(content))


@pytest.mark.parametrize(
    "content",
    [
        ORDER,
        b'{"type":"enum","name":"Colour","symbols":["RED"]}',
        b'{"type":"fixed","name":"Seal","size":4}',
        b'{"type":"array","items":"long"}',
        b'["null", {"type":"error","name":"Broken","fields":[]}]',
        # what other layouts could take for records of their own
        b'{"type":"record","name":"Odd","fields":[],"offset":1,"key":"k","value":"v","payload":"p"}',
    ],
    ids=["record", "enum", "fixed", "array", "union", "like a record"],
)
def test_a_schema_is_recognised_before_any_other_layout(content: bytes, tmp_path: Path) -> None:
    found, answers = recognise(written(tmp_path, content))
    assert found is source
    assert "an Avro schema: " in answers["avro-schema"].why


@pytest.mark.parametrize(
    ("content", "name", "why"),
    [
        (ORDER, "Order.json", "its name does not end in .avsc"),
        (ORDER[:-1], "Order.avsc", "not JSON"),
        (b"", "Order.avsc", "not JSON"),
        (b'"string"', "Order.avsc", "not an Avro schema"),
        (b'{"type":"record"}', "Order.avsc", "not an Avro schema"),
        (b'{"type":"record","name":7}', "Order.avsc", "not an Avro schema"),
        (b'{"type":["record"],"name":"a"}', "Order.avsc", "not an Avro schema"),
        (b'{"type":"array"}', "Order.avsc", "not an Avro schema"),
        (b'{"type":"object","name":"JSON Schema"}', "Order.avsc", "not an Avro schema"),
        (b"[" * 1000 + b"]" * 1000, "Order.avsc", "not an Avro schema"),
        (b"[" * 100_000, "Order.avsc", "not JSON"),
        (b" " * (4 * 1024 * 1024 + 1), "Order.avsc", "it is larger than 4 MB"),
    ],
)
def test_anything_else_is_not(content: bytes, name: str, why: str, tmp_path: Path) -> None:
    answer = source.recognise(written(tmp_path, content, name), content[:100])
    assert not answer.matches
    assert why in answer.why


def test_its_text_is_kept_under_the_files_name(tmp_path: Path) -> None:
    (split,) = source.split(written(tmp_path, ORDER), 3, "?", 0, "")
    (chunk,) = source.read(split)
    table = chunk.others["properties"]
    assert table.schema == PROPERTIES.schema
    assert table.to_pylist() == [
        {
            "topic": "?",
            "partition": 0,
            "replica": "",
            "file": 3,
            "name": "Order.avsc",
            "value": ORDER.decode(),
        }
    ]
    assert (chunk.records, chunk.damage) == (None, None)
