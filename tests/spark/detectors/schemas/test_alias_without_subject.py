"""Aliases whose subject has no live version."""

from __future__ import annotations

import pytest

from spark.detectors.schemas.alias_without_subject import detector
from spark.terms.findings import Finding
from tests.spark.schema_journals import Record, delete_subject, found, schema, setting


def alias(subject: str, target: str) -> Record:
    return setting("CONFIG", subject, alias=target)


def of(*records: Record) -> list[Finding]:
    return found(detector, *records)


TARGET = schema("b", 1)


def test_a_deleted_subject_is_medium() -> None:
    (finding,) = of(TARGET, alias("a", "b"), delete_subject("b"))
    assert (finding.severity, finding.first_offset) == ("medium", 1)
    assert "are deleted" in finding.explanation


def test_an_alias_of_an_alias_is_medium() -> None:
    (finding,) = of(TARGET, alias("c", "b"), alias("a", "c"))
    assert (finding.severity, finding.first_offset) == ("medium", 2)
    assert "one alias only" in finding.explanation
    assert '{"alias": "b"}' in finding.remedy


def test_a_subject_that_was_never_registered_is_low() -> None:
    (finding,) = of(TARGET, alias("a", "typo"))
    assert finding.severity == "low"


def test_an_alias_is_in_the_context_of_its_subject() -> None:
    assert of(schema(":.c:b", 1), alias(":.c:a", "b")) == []
    assert of(TARGET, alias(":.c:a", "b"))
    assert of(TARGET, alias(":.c:a", ":.:b")) == []


@pytest.mark.parametrize(
    "records",
    [
        [TARGET, alias("a", "b")],
        [alias("a", "b"), TARGET],
        [TARGET, alias("a", "")],
        [TARGET, alias("a", "typo"), alias("a", "b")],
        [TARGET, setting("CONFIG", "a", compatibilityLevel="FULL")],
    ],
    ids=["live", "registered later", "empty", "corrected", "none"],
)
def test_innocent(records: list[Record]) -> None:
    assert of(*records) == []


def test_a_subject_before_the_dump_is_innocent() -> None:
    named = alias("a", "b")
    assert of((named[0], named[1], {"offset": 7})) == []
