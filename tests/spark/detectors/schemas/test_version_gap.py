"""Versions that skip."""

from __future__ import annotations

import pytest

from spark.detectors.schemas.version_gap import NAMED, detector
from tests.spark.schema_journals import expected, found, found_in, real_cases, real_journal, schema, tombstone


def test_numbers_between_that_no_record_has() -> None:
    (finding,) = found(detector, schema("a", 2), schema("a", 5))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("info", 1, 1)
    assert "a from 2 to 5 (offset 1)" in finding.title


def test_all_subjects_are_one_remark() -> None:
    journal = [schema(f"s{n}", version) for n in range(NAMED + 2) for version in (1, 3)]
    (finding,) = found(detector, *journal)
    assert "12 subjects" in finding.title
    assert "2 more" in finding.title


def test_one_after_the_other_is_no_gap() -> None:
    assert found(detector, schema("a", 1), schema("a", 2), schema("b", 7)) == []


def test_a_version_that_is_deleted_was_there() -> None:
    assert found(detector, schema("a", 1), tombstone("a", 2), schema("a", 3)) == []


@pytest.mark.parametrize("case", [case for case in real_cases() if case == "redpanda-illegal"])
def test_the_gap_of_a_real_journal(case: str) -> None:
    (finding,) = found_in(detector, real_journal(case))
    assert [(finding.first_offset, finding.last_offset)] == expected(case, detector.id)
