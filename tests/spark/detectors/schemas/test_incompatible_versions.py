"""Versions of a subject that its compatibility level does not allow."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.detectors.schemas._avro_reads import misfit
from spark.detectors.schemas.incompatible_versions import detector
from spark.terms.findings import Finding
from tests.spark.schema_journals import Record, delete_subject, found, schema, setting

SIZE = {"name": "size", "type": "string"}
NUMBER = {"name": "size", "type": "int"}
COLOR = {"name": "color", "type": "string"}


def record(*fields: Any, **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": "A", "namespace": "n", "fields": list(fields), **more}


def versions(*schemas: Any, subject: str = "a-value", **more: Any) -> list[Record]:
    return [schema(subject, n, n, json.dumps(text), **more) for n, text in enumerate(schemas, 1)]


def level(name: str | None, subject: str | None = "a-value", **more: Any) -> Record:
    return setting("CONFIG", subject, **({"compatibilityLevel": name} if name else {}), **more)


def of(*records: Record) -> list[Finding]:
    return found(detector, *records)


BROKEN = versions(record(SIZE), record(NUMBER))


def test_a_level_that_compares_with_all_versions_is_medium() -> None:
    (finding,) = of(*BROKEN, level("BACKWARD_TRANSITIVE"))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("medium", 0, 1)
    assert "set later" in finding.explanation
    assert "Field size has type int in version 2 and string in version 1" in finding.explanation


def test_a_version_that_the_level_should_have_rejected() -> None:
    (finding,) = of(level("BACKWARD_TRANSITIVE"), *BROKEN)
    assert "imported" in finding.explanation


def test_all_earlier_versions_are_compared() -> None:
    three = versions(record(SIZE), record(), record({**NUMBER, "default": 0}))
    assert of(*three, level("FULL_TRANSITIVE"))


def test_levels_of_all_subjects_and_of_contexts() -> None:
    assert of(*BROKEN, level("BACKWARD_TRANSITIVE", None))
    assert of(*BROKEN, level("BACKWARD_TRANSITIVE", None), level("NONE")) == []
    in_context = versions(record(SIZE), record(NUMBER), subject=":.c:a-value")
    assert of(*in_context, level("BACKWARD_TRANSITIVE", None)) == []
    assert of(*in_context, level("BACKWARD_TRANSITIVE", ":.c:"))


@pytest.mark.parametrize(
    "records",
    [
        BROKEN,
        [*BROKEN, level("NONE")],
        [*BROKEN, level("FULL")],
        [*BROKEN, level(None, alias="b")],
        [*BROKEN, level("BACKWARD_TRANSITIVE", compatibilityGroup="major")],
        [*BROKEN, level("BACKWARD_TRANSITIVE"), delete_subject("a-value", 1)],
        [*versions(record(SIZE), record(NUMBER), value={"schemaType": "JSON"}), level("BACKWARD_TRANSITIVE")],
        [*versions(record(SIZE), record(SIZE, COLOR)), level("FORWARD_TRANSITIVE")],
        [*versions(record(SIZE, COLOR), record(SIZE)), level("BACKWARD_TRANSITIVE")],
    ],
    ids=[
        "no level",
        "NONE",
        "the newest only",
        "alias only",
        "groups",
        "deleted",
        "JSON",
        "forward",
        "backward",
    ],
)
def test_innocent(records: list[Record]) -> None:
    assert of(*records) == []


def field(type_: Any, **more: Any) -> dict[str, Any]:
    return record({"name": "f", "type": type_, **more})


ENUM = {"type": "enum", "name": "E", "symbols": ["X"]}
WIDER = {**ENUM, "symbols": ["X", "Y"]}
TREE = record({"name": "next", "type": ["null", "A"]}, SIZE)


@pytest.mark.parametrize(
    ("reader", "writer"),
    [
        (field("long"), field("int")),
        (field("bytes"), field("string")),
        (field(["null", "double"]), field("float")),
        (field(["null", "string"]), field(["string", "null"])),
        (field("string", default=""), record()),
        (field("string", aliases=["old"]), record({"name": "old", "type": "string"})),
        (field(WIDER), field(ENUM)),
        (field({**ENUM, "default": "X"}), field(WIDER)),
        (field("elsewhere.Money"), field("int")),
        (field({"type": "array", "items": "long"}), field({"type": "array", "items": "int"})),
        (TREE, TREE),
        (record(SIZE), record(SIZE, namespace="m")),
        ("string", "bytes"),
    ],
)
def test_what_can_be_read(reader: Any, writer: Any) -> None:
    assert misfit(reader, writer) is None


@pytest.mark.parametrize(
    ("reader", "writer", "path"),
    [
        (field("int"), field("long"), "f"),
        (field("string"), field(["null", "string"]), "f"),
        (field(["null", "int"]), field("string"), "f"),
        (field("string"), record(), "f"),
        (field(ENUM), field(WIDER), "f"),
        (field({"type": "map", "values": "int"}), field({"type": "map", "values": "string"}), "f.values"),
        (
            field({"type": "fixed", "name": "F", "size": 4}),
            field({"type": "fixed", "name": "F", "size": 8}),
            "f",
        ),
        (record({"name": "f", "type": record(SIZE)}), record({"name": "f", "type": record()}), "f.size"),
    ],
)
def test_what_cannot_be_read(reader: Any, writer: Any, path: str) -> None:
    miss = misfit(reader, writer)
    assert miss is not None
    assert path in miss.path


def test_a_name_stands_for_the_type_defined_before_it() -> None:
    fields = [{"name": "a", "type": ENUM}, {"name": "b", "type": "E"}]
    wider = [{"name": "a", "type": {**WIDER, "default": "X"}}, {"name": "b", "type": "E"}]
    assert misfit(record(*fields), record(*wider)) is not None
    assert misfit(record(*wider), record(*fields)) is None
