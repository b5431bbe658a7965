"""Avro schemas whose defaults do not fit their types."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.detectors.schemas._avro_defaults import invalid_defaults
from spark.detectors.schemas.schema_invalid_default import detector
from spark.dialects.schema_registry import dialect
from spark.terms.findings import Finding
from tests.builders import given_tables
from tests.spark.schema_journals import Record, delete_subject, records_of, schema


def text(type_: Any, default: Any) -> str:
    return json.dumps(
        {
            "type": "record",
            "name": "A",
            "namespace": "n",
            "fields": [{"name": "f", "type": type_, "default": default}],
        }
    )


def of(type_: Any, default: Any, **more: Any) -> Record:
    return schema("a-value", 1, 1, text(type_, default), **more)


def found(*rows: Record) -> list[Finding]:
    records = records_of(*rows)
    assert dialect.interpret is not None
    given = given_tables({"entries": dialect.interpret(records), "records": records})
    return [detector.describe(row) for row in detector.find(given)]


def test_a_default_that_fits_no_branch_is_medium() -> None:
    (finding,) = found(of("int", "0"))
    assert (finding.severity, finding.first_offset) == ("medium", 0)
    assert "Field f has type" in finding.explanation


def test_a_default_of_a_later_branch_is_low() -> None:
    (finding,) = found(of(["null", "string"], "none"))
    assert finding.severity == "low"
    assert "1.9 to 1.11" in finding.title


def test_deleted_versions_and_other_schemas_are_innocent() -> None:
    assert found(of("int", "0", deleted=True)) == []
    assert found(of("int", "0", value={"schemaType": "JSON"})) == []
    assert found(of("int", "0"), delete_subject("a-value")) == []
    assert found(of("int", "0"), delete_subject("b-value"))
    assert found(delete_subject("a-value"), of("int", "0"))


@pytest.mark.parametrize(
    ("type_", "default"),
    [
        ("int", 0),
        ("double", 1),
        ("double", "NaN"),
        ("bytes", "\u00ff"),
        (["null", "string"], None),
        (["string", "null"], "none"),
        ({"type": "int", "logicalType": "date"}, 0),
        ({"type": "enum", "name": "E", "symbols": ["X"]}, "X"),
        ({"type": "array", "items": ["null", "int"]}, [None]),
        ({"type": "map", "values": "long"}, {"a": 1}),
        ({"type": "record", "name": "R", "fields": []}, {}),
        ("elsewhere.Money", {"any": "thing"}),
    ],
)
def test_defaults_that_fit_are_innocent(type_: Any, default: Any) -> None:
    assert invalid_defaults(text(type_, default)) == []


@pytest.mark.parametrize(
    ("type_", "default"),
    [
        ("boolean", "false"),
        ("int", 1 << 40),
        ("string", None),
        ({"type": "enum", "name": "E", "symbols": ["X"]}, "Y"),
        ({"type": "array", "items": "int"}, ["1"]),
        ({"type": "map", "values": "long"}, []),
        (["null", "int"], "none"),
    ],
)
def test_defaults_that_do_not_fit_are_found(type_: Any, default: Any) -> None:
    (invalid,) = invalid_defaults(text(type_, default))
    assert (invalid.field, invalid.fit) == ("f", "none")


def test_named_types_are_known_where_they_are_used_again() -> None:
    enum = {"type": "enum", "name": "E", "symbols": ["X"]}
    fields = [{"name": "a", "type": enum}, {"name": "b", "type": "n.E", "default": "Y"}]
    assert invalid_defaults(json.dumps({"type": "record", "name": "A", "namespace": "n", "fields": fields}))
