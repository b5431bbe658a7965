"""Tombstones of keys that nobody wrote, or that compaction took."""

from __future__ import annotations

import pytest

from spark.detectors.schemas.tombstone_of_unwritten_key import detector
from tests.spark.schema_journals import (
    expected,
    found,
    found_in,
    real_cases,
    real_journal,
    schema,
    schema_key,
    sequenced,
    sequenced_tombstone,
    tombstone,
)

WRITTEN = sequenced("a", 1, 0), sequenced("b", 1, 1, id=2)


def test_its_offset_holds_another_record() -> None:
    (finding,) = found(detector, *WRITTEN, sequenced_tombstone("b", 1, 0))
    assert (finding.severity, finding.first_offset, finding.evidence) == ("medium", 2, [0, 2])
    assert "Offset 0 contains a version 1" in finding.explanation


def test_another_node_is_another_key() -> None:
    assert len(found(detector, *WRITTEN, sequenced_tombstone("b", 1, 1, node=9))) == 1


def test_keys_without_a_node_are_one_key() -> None:
    written = schema("a", 1, 1, '"string"', key={"seq": 0})
    assert found(detector, written, WRITTEN[1], (schema_key("a", 1, seq=0), None, {})) == []


def test_a_seq_that_did_not_exist_yet() -> None:
    (finding,) = found(detector, *WRITTEN, sequenced_tombstone("b", 1, 40))
    assert "did not exist yet" in finding.explanation


def test_the_tombstone_of_a_written_key_may_come_twice() -> None:
    journal = (*WRITTEN, sequenced_tombstone("b", 1, 1), sequenced_tombstone("b", 1, 1))
    assert found(detector, *journal) == []


def test_a_record_that_compaction_took() -> None:
    later = sequenced("c", 1, 5, offset=5)
    assert found(detector, *WRITTEN, later, sequenced_tombstone("d", 1, 3)) == []


def test_a_hole_behind_may_have_held_a_loser() -> None:
    later = sequenced("c", 1, 5, offset=5)
    assert found(detector, *WRITTEN, later, sequenced_tombstone("d", 1, 1)) == []


def test_a_log_that_begins_later() -> None:
    first = sequenced("c", 1, 50, offset=50)
    assert found(detector, first, sequenced_tombstone("d", 1, 3)) == []


def test_other_registries_have_no_such_keys() -> None:
    assert found(detector, schema("a", 1), tombstone("b", 1)) == []


@pytest.mark.wide
@pytest.mark.parametrize("case", real_cases())
def test_real_journals_have_what_is_known(case: str) -> None:
    findings = found_in(detector, real_journal(case))
    assert [(f.first_offset, f.last_offset) for f in findings] == expected(case, detector.id)
