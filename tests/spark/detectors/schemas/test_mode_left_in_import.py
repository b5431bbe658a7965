"""Modes that were not set back after an import."""

from __future__ import annotations

import pytest

from spark.detectors.schemas.mode_left_in_import import detector
from spark.terms.findings import Finding
from tests.spark.schema_journals import NOOP, Record, found, schema, setting

DAY = 24 * 3_600_000


def at(time: int, record: Record) -> Record:
    return record[0], record[1], {**record[2], "timestamp_ms": time}


def of(*records: tuple[int, Record]) -> list[Finding]:
    return found(detector, *(at(day * DAY, record) for day, record in records))


BEFORE = (0, schema("a", 1))
IMPORT = (1, setting("MODE", None, mode="IMPORT"))


@pytest.mark.parametrize("mode", ["IMPORT", "READONLY"])
def test_a_mode_that_stays_is_found(mode: str) -> None:
    (finding,) = of(BEFORE, (1, setting("MODE", None, mode=mode)), (3, NOOP))
    assert (finding.severity, finding.confidence, finding.first_offset) == ("medium", "likely", 1)


def test_a_mode_that_was_set_back_is_innocent() -> None:
    assert of(BEFORE, IMPORT, (1, setting("MODE", None, mode="READWRITE")), (3, NOOP)) == []


def test_an_import_that_goes_on_is_innocent() -> None:
    assert of(BEFORE, IMPORT, (2, NOOP), (3, schema("b", 1, 2, '"int"'))) == []


def test_a_standby_is_innocent() -> None:
    assert of(IMPORT, (1, schema("a", 1)), (3, NOOP)) == []


@pytest.mark.parametrize(
    ("after", "count"),
    [
        ([(2, NOOP), (5, NOOP)], 1),
        ([(5, NOOP)], 0),
        ([(2, NOOP), (3, NOOP)], 0),
        ([(3, schema("b", 1, 2, '"int"')), (5, NOOP), (7, NOOP)], 0),
    ],
    ids=["starts for days", "one start", "two days", "a standby that gets registrations later"],
)
def test_a_migration_into_an_empty_registry_is_found_after_days_and_starts(
    after: list[tuple[int, Record]], count: int
) -> None:
    assert len(of(IMPORT, (1, schema("a", 1)), *after)) == count


def test_a_mode_of_one_subject_is_innocent() -> None:
    assert of(BEFORE, (1, setting("MODE", "a", mode="READONLY")), (3, NOOP)) == []
