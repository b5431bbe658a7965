"""Hard deletes that leave out records."""

from __future__ import annotations

import pytest

from spark.detectors.schemas.hard_delete_incomplete import detector
from tests.spark.schema_journals import (
    expected,
    found,
    found_in,
    real_cases,
    real_journal,
    sequenced,
    sequenced_tombstone,
)

WRITTEN = sequenced("a", 1, 0), sequenced("a", 1, 1, deleted=True)


def test_a_record_without_tombstone_brings_the_version_back() -> None:
    (finding,) = found(detector, *WRITTEN, sequenced_tombstone("a", 1, 0))
    assert (finding.severity, finding.first_offset, finding.evidence) == ("high", 1, [1, 2])
    assert "soft-deleted" in finding.explanation


def test_the_first_record_left_behind_is_alive() -> None:
    (finding,) = found(detector, *WRITTEN, sequenced_tombstone("a", 1, 1))
    assert "(state: not deleted)" in finding.explanation


def test_a_tombstone_for_each_record_is_as_it_should_be() -> None:
    assert found(detector, *WRITTEN, sequenced_tombstone("a", 1, 0), sequenced_tombstone("a", 1, 1)) == []


def test_both_nodes_may_write_the_same_tombstones() -> None:
    both = [sequenced_tombstone("a", 1, seq) for seq in (0, 1, 0, 1)]
    assert found(detector, *WRITTEN, *both) == []


def test_what_is_written_after_the_delete_is_new() -> None:
    deletes = [sequenced_tombstone("a", 1, 0), sequenced_tombstone("a", 1, 1)]
    assert found(detector, *WRITTEN, *deletes, sequenced("a", 1, 4, id=2, text='"int"')) == []


def test_a_loser_of_a_race_never_counted() -> None:
    journal = (sequenced("a", 1, 0), sequenced("a", 1, 0, node=2), sequenced_tombstone("a", 1, 0))
    assert found(detector, *journal) == []


@pytest.mark.wide
@pytest.mark.parametrize("case", real_cases())
def test_real_journals_have_what_is_known(case: str) -> None:
    findings = found_in(detector, real_journal(case))
    assert [(f.first_offset, f.last_offset) for f in findings] == expected(case, detector.id)
