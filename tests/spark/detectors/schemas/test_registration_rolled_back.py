"""Registrations that a leader took back, and deletes that somebody asked for."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors.schemas.registration_rolled_back import ROLLBACK_MS, detector
from spark.terms.findings import Effect, Finding
from tests.spark.schema_journals import (
    Record,
    delete_subject,
    expected,
    found,
    found_in,
    real_cases,
    real_journal,
    schema,
    sequenced,
    sequenced_tombstone,
    tombstone,
)

GREEN = schema("green", 1, 3, '"int"')
BLUE = schema("blue", 1, 3, '"long"')


def at(record: Record, timestamp_ms: int) -> Record:
    key, value, more = record
    return key, value, {**more, "timestamp_ms": timestamp_ms}


def journal(*records: tuple[int, Record]) -> list[Finding]:
    return found(detector, *(at(record, timestamp_ms) for timestamp_ms, record in records))


def test_a_tombstone_at_once_takes_it_back() -> None:
    (finding,) = journal((0, GREEN), (7, BLUE), (30, tombstone("blue", 1)), (40, tombstone("blue", 1)))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("high", 1, 3)
    assert "two or more nodes were leaders" in finding.explanation
    assert {"schema-id:./3", "schema:blue/1"} == finding.entities
    assert finding.effects == [Effect("lost", "version", "blue/1")]


def test_a_rewrite_of_the_schema_before_takes_it_back() -> None:
    rewrite: dict[str, Any] = {"offset": 0, "ts": 1}
    (finding,) = journal(
        (0, schema("a", 1, 3, '"int"')),
        (1, schema("a", 1, 3, '"long"')),
        (9, schema("a", 1, 3, '"int"', value=rewrite)),
    )
    assert (finding.first_offset, finding.last_offset) == (1, 2)
    assert "wrote the previous schema again" in finding.explanation
    assert finding.effects == [Effect("lost", "registration", "a/1/1")]
    assert finding.title.startswith(
        "Another schema of a version 1 (schema ID 3, offset 1) was rolled back at offset 2"
    )


def test_a_version_that_is_registered_again_is_not_lost() -> None:
    again = schema("blue", 1, 4, '"long"')
    (finding,) = journal((0, GREEN), (7, BLUE), (30, tombstone("blue", 1)), (5000, again))
    assert finding.effects == [Effect("lost", "registration", "blue/1/1")]


@pytest.mark.parametrize(("later_ms", "findings"), [(ROLLBACK_MS, 1), (ROLLBACK_MS + 1, 0)])
def test_at_once_is_a_second(later_ms: int, findings: int) -> None:
    assert len(journal((0, BLUE), (later_ms, tombstone("blue", 1)))) == findings


@pytest.mark.parametrize(
    "soft", [schema("blue", 1, 3, '"long"', deleted=True), delete_subject("blue")], ids=["version", "subject"]
)
def test_a_hard_delete_that_was_asked_for(soft: Record) -> None:
    assert journal((0, BLUE), (10, soft), (20, tombstone("blue", 1))) == []


def test_redpandas_tombstones_follow_soft_deletes_of_another_key() -> None:
    soft = sequenced("a", 1, 1, deleted=True)
    assert journal((0, sequenced("a", 1, 0)), (1, soft), (2, sequenced_tombstone("a", 1, 0))) == []
    assert journal((0, sequenced("a", 1, 0)), (2, sequenced_tombstone("a", 1, 0))) == []


@pytest.mark.wide
@pytest.mark.parametrize("case", real_cases())
def test_real_journals_have_the_rollbacks_that_are_known(case: str) -> None:
    seen = {(f.first_offset, f.last_offset) for f in found_in(detector, real_journal(case))}
    wanted = set(expected(case, detector.id))
    assert wanted <= seen
    assert not seen or wanted
