"""Schemas that are registered and deleted again and again."""

from __future__ import annotations

import json

from spark.detectors.schemas.schema_churn import detector
from spark.dialects.schema_registry import dialect
from spark.terms.findings import Finding
from tests.builders import given_tables
from tests.spark.schema_journals import Record, delete_subject, records_of, schema, tombstone


def found(*records: Record) -> list[Finding]:
    """Of a journal whose texts are there."""
    rows = records_of(*records)
    assert dialect.interpret is not None
    given = given_tables({"entries": dialect.interpret(rows), "records": rows})
    return [detector.describe(row) for row in detector.find(given)]


def test_versions_with_one_text_are_found() -> None:
    records = [record for n in range(1, 26) for record in (schema("probe", n, 7), delete_subject("probe", n))]
    (finding,) = found(*records, schema("orders", 1, 8, '"int"'))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("medium", 0, 49)
    assert "25 versions with one schema" in finding.title


def test_ten_versions_are_low_and_a_few_innocent() -> None:
    (finding,) = found(*(schema("probe", n, 7) for n in range(1, 11)))
    assert finding.severity == "low"
    assert found(*(schema("probe", n, 7) for n in range(1, 9))) == []


def test_texts_that_change_are_innocent() -> None:
    assert (
        found(
            *(schema("orders", n, n, f'{{"type":"fixed","name":"F","size":{n}}}') for n in range(1, 40)),
        )
        == []
    )


def described(number: int, size: int = 4, **more: object) -> str:
    return json.dumps({"type": "fixed", "name": "F", "size": size, "doc": f"build {number}", **more})


def test_versions_that_differ_in_descriptions_only_are_found() -> None:
    (finding,) = found(*(schema("orders", n, n, described(n)) for n in range(1, 51)))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("medium", 0, 49)
    assert "50 versions of orders differ only in descriptions" in finding.title
    (finding,) = found(*(schema("orders", n, n, described(n)) for n in range(1, 21)))
    assert finding.severity == "low"


def test_properties_of_a_writer_are_like_descriptions() -> None:
    nested = [
        json.dumps(
            {
                "type": "record",
                "name": "R",
                "fields": [{"name": "a", "type": {"type": "int", "connect.build": n}}],
            }
        )
        for n in range(20)
    ]
    assert len(found(*(schema("orders", n, n, text) for n, text in enumerate(nested, 1)))) == 1


def test_fields_that_change_beside_their_descriptions_and_a_few_versions_are_innocent() -> None:
    assert found(*(schema("orders", n, n, described(n, size=n)) for n in range(1, 60))) == []
    assert found(*(schema("orders", n, n, described(n)) for n in range(1, 20))) == []
    changed = (schema("orders", n, n, described(n, default=str(n))) for n in range(1, 60))
    assert found(*changed) == []


def test_subjects_that_are_used_once_and_deleted_are_found() -> None:
    records = [
        record
        for n in range(120)
        for record in (schema(f"run-{n}-value", 1, n, f'"{n}"'), tombstone(f"run-{n}-value", 1))
    ]
    (finding,) = found(*records)
    assert "run-#-value" in finding.title


def test_a_fixed_set_of_subjects_is_innocent() -> None:
    assert found(*(schema(f"shard-{n}-value", 1, 1) for n in range(120))) == []
