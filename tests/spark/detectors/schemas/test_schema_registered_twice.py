"""Versions of a subject that differ only in how their schema is written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.detectors.schemas._avro_forms import in_full
from spark.detectors.schemas.schema_registered_twice import detector
from spark.terms.findings import Finding
from tests.spark.schema_journals import Record, delete_subject, found, schema

CITY = {"name": "city", "type": "string"}
JAVA_CITY = {"name": "city", "type": {"type": "string", "avro.java.string": "String"}}


def record(*fields: Any, **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": "A", "namespace": "n", "fields": list(fields), **more}


def of(*records: Record) -> list[Finding]:
    return found(detector, *records)


def versions(*schemas: Any, **more: Any) -> list[Record]:
    """Versions 1, 2, ... of a subject."""
    texts = [text if isinstance(text, str) else json.dumps(text) for text in schemas]
    return [schema("a-value", n, n, text, **more) for n, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (record(JAVA_CITY), "avro.java.string"),
        ({"fields": [CITY], "name": "A", "namespace": "n", "type": "record"}, "order of members"),
        (json.dumps(record(CITY), indent=2), "white space"),
        ({"type": "record", "name": "n.A", "fields": [CITY]}, "names of types"),
        (record({"name": "city", "type": {"type": "string"}}), "names of types"),
    ],
)
def test_another_way_to_write_it_is_found(other: Any, why: str) -> None:
    (finding,) = of(*versions(record(CITY), other))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("low", 0, 1)
    assert why in finding.title


def test_many_versions_are_medium() -> None:
    (finding,) = of(*versions(*(json.dumps(record(CITY), indent=n) for n in range(6))))
    assert finding.severity == "medium"


def test_json_schemas_are_compared_too() -> None:
    texts = ['{"type": "object", "title": "A"}', '{"title": "A", "type": "object"}']
    assert of(*versions(*texts, value={"schemaType": "JSON"}))
    assert of(*versions(*texts, value={"schemaType": "PROTOBUF"})) == []


@pytest.mark.parametrize(
    "other",
    [
        record({**CITY, "doc": "Where it is"}),
        record({**CITY, "default": ""}),
        record(CITY, aliases=["B"]),
        record({**CITY, "type": {"type": "string", "logicalType": "uuid"}}),
        record(CITY, namespace="m"),
        record(CITY),
        "no JSON",
    ],
)
def test_another_schema_is_innocent(other: Any) -> None:
    assert of(*versions(record(CITY), other)) == []


def test_other_rules_metadata_and_references_are_innocent() -> None:
    first = schema("a-value", 1, 1, json.dumps(record(CITY)))
    for member in ({"ruleSet": {"domainRules": [1]}}, {"metadata": {"tags": {}, "properties": {"a": "b"}}}):
        assert of(first, schema("a-value", 2, 2, json.dumps(record(JAVA_CITY)), value=member)) == []


def test_deleted_versions_and_other_subjects_are_innocent() -> None:
    first, second = versions(record(CITY), record(JAVA_CITY))
    assert of(first, second, delete_subject("a-value", 1)) == []
    assert of(first, second, delete_subject("a-value", 2)) == []
    assert of(first, schema("b-value", 2, 2, json.dumps(record(JAVA_CITY)))) == []


def test_names_within_a_type_have_its_namespace() -> None:
    inner = {"type": "enum", "name": "E", "symbols": ["X"]}
    short = record({"name": "a", "type": inner}, {"name": "b", "type": ["null", "E"]})
    full = {
        **record({"name": "a", "type": {**inner, "name": "n.E"}}, {"name": "b", "type": ["null", "n.E"]}),
        "name": "n.A",
    }
    assert in_full(short) == in_full(full)
