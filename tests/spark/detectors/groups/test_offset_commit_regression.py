"""Committed offsets that go back; what was deleted or never valid in between."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.detectors.groups.offset_commit_regression import detector
from spark.terms.marked import plain
from tests.spark.detectors.groups.coordinator_logs import commit, findings, group
from tests.spark.transaction_logs import CORPUS, NO_CORPUS
from tests.spark.whole_pipeline import report_of


def test_a_lower_offset_than_the_one_before_is_found() -> None:
    (finding,) = findings(detector, commit(3), commit(12), commit(2))
    assert (finding.severity, finding.evidence) == ("medium", [1, 2])
    assert (finding.first_offset, finding.last_offset) == (1, 2)
    assert (
        "Group billing can read records of orders-0 again: its committed offset goes back from 12 to 2"
        in finding.title
    )


@pytest.mark.parametrize("offset", [12, 13], ids=["the same", "higher"])
def test_the_same_or_a_higher_offset_is_healthy(offset: int) -> None:
    assert findings(detector, commit(12), commit(offset)) == []


def test_a_reset_of_many_partitions_is_one_finding() -> None:
    before = [commit(10 + number, number) for number in range(20)]
    (finding,) = findings(detector, *before, *(commit(0, number) for number in range(20)))
    assert "the first of 20 times" in finding.title
    assert "390 records" in finding.explanation
    assert len(finding.evidence) == 10


def test_groups_and_partitions_are_kept_apart() -> None:
    assert findings(detector, commit(12), commit(2, 1), commit(2, group="other")) == []
    found = findings(detector, commit(9), commit(9, group="other"), commit(1), commit(1, group="other"))
    assert [finding.entity for finding in found] == ["group:billing", "group:other"]


def test_a_group_with_slashes_keeps_its_name() -> None:
    (finding,) = findings(detector, commit(9, group="a/b"), commit(1, group="a/b"))
    assert finding.entity == "group:a/b"


def test_what_was_deleted_in_between_is_innocent() -> None:
    assert findings(detector, commit(12), commit(None), commit(2)) == []


def test_a_deleted_group_that_keeps_its_offset_is_no_new_start() -> None:
    assert len(findings(detector, group(), commit(12), group(deleted=True), commit(2))) == 1


def test_the_leader_epoch_tells_a_reset_from_a_consumer() -> None:
    (reset,) = findings(detector, commit(12, epoch=3), commit(2))
    (consumer,) = findings(detector, commit(12, epoch=3), commit(2, epoch=3))
    assert "contain no leader epoch" in reset.explanation
    assert "contain a leader epoch" in consumer.explanation


@pytest.mark.long
@pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)
def test_a_real_journal_shows_the_one_step_back_and_nothing_of_the_aborted_transaction(
    tmp_path: Path,
) -> None:
    report = report_of(CORPUS / "internal-real" / "consumer-offsets-391", tmp_path)
    found = [
        (one["detector"], one["partition"], one["first_offset"], one["last_offset"])
        for one in report["findings"]
    ]
    assert found == [("offset-commit-regression", 0, 4, 5)]


def test_the_headline_has_the_right_plural() -> None:
    (one,) = findings(detector, commit(12), commit(2))
    assert (
        plain(detector.headline([one]))
        == "group billing can read records again: it committed lower offsets than before"
    )
