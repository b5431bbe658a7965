"""Schemas that are registered and deleted again and again."""

from __future__ import annotations

from spark.detectors.schemas.schema_churn import detector
from tests.spark.schema_journals import delete_subject, found, schema, tombstone


def test_versions_with_one_text_are_found() -> None:
    records = [record for n in range(1, 26) for record in (schema("probe", n, 7), delete_subject("probe", n))]
    (finding,) = found(detector, *records, schema("orders", 1, 8, '"int"'))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("medium", 0, 49)
    assert "25 versions with one schema" in finding.title


def test_ten_versions_are_low_and_a_few_innocent() -> None:
    (finding,) = found(detector, *(schema("probe", n, 7) for n in range(1, 11)))
    assert finding.severity == "low"
    assert found(detector, *(schema("probe", n, 7) for n in range(1, 9))) == []


def test_texts_that_change_are_innocent() -> None:
    assert (
        found(
            detector,
            *(schema("orders", n, n, f'{{"type":"fixed","name":"F","size":{n}}}') for n in range(1, 40)),
        )
        == []
    )


def test_subjects_that_are_used_once_and_deleted_are_found() -> None:
    records = [
        record
        for n in range(120)
        for record in (schema(f"run-{n}-value", 1, n, f'"{n}"'), tombstone(f"run-{n}-value", 1))
    ]
    (finding,) = found(detector, *records)
    assert "run-#-value" in finding.title


def test_a_fixed_set_of_subjects_is_innocent() -> None:
    assert found(detector, *(schema(f"shard-{n}-value", 1, 1) for n in range(120))) == []
