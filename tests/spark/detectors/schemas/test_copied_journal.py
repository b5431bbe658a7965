"""Journals that were copied without their offsets."""

from __future__ import annotations

import pytest

from spark.detectors.schemas._writes import COPIED_RECORDS
from spark.detectors.schemas.copied_journal import detector
from tests.spark.schema_journals import Record, expected, found, found_in, real_cases, real_journal, sequenced


def copied(count: int, shift: int = 5) -> list[Record]:
    return [sequenced(f"s{n}", 1, n + shift) for n in range(count)]


@pytest.mark.parametrize(("count", "findings"), [(COPIED_RECORDS - 1, 0), (COPIED_RECORDS, 1)])
def test_a_few_records_ahead_make_a_copy(count: int, findings: int) -> None:
    assert len(found(detector, *copied(count))) == findings


def test_it_says_how_far_the_offsets_moved() -> None:
    (finding,) = found(detector, *copied(4))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("high", 0, 3)
    assert "The shift is 5." in finding.explanation


def test_a_shift_that_grows_is_told() -> None:
    (finding,) = found(detector, *(sequenced(f"s{n}", 1, 2 * n + 1) for n in range(4)))
    assert "1 at its start, 4 at its end" in finding.explanation


def test_a_few_strays_among_many_winners_are_no_copy() -> None:
    journal = [sequenced(f"s{n}", 1, n + 99 if n in (2, 11, 20) else n) for n in range(30)]
    assert found(detector, *journal) == []


def test_writes_after_the_copy_do_not_hide_it() -> None:
    journal = [*copied(5), *(sequenced(f"t{n}", 1, n) for n in range(5, 40))]
    (finding,) = found(detector, *journal)
    assert finding.last_offset == 4


def test_losers_are_no_copy() -> None:
    assert found(detector, *(sequenced(f"s{n}", 1, 0, node=n) for n in range(9))) == []


@pytest.mark.wide
@pytest.mark.parametrize("case", real_cases())
def test_real_journals_have_what_is_known(case: str) -> None:
    findings = found_in(detector, real_journal(case))
    assert [(f.first_offset, f.last_offset) for f in findings] == expected(case, detector.id)
