"""Offsets committed for groups that were just deleted, and groups that were made again."""

from __future__ import annotations

import pytest

from spark.detectors.groups.commit_after_group_deleted import detector
from spark.terms.marked import plain
from tests.spark.detectors.groups.coordinator_logs import commit, consumer_group, findings, group

HOUR = 3600


def test_a_commit_right_after_the_deletion_is_found() -> None:
    (finding,) = findings(
        detector, group(), commit(7), commit(None), group(deleted=True, at=5), commit(8, at=9)
    )
    assert (finding.severity, finding.evidence) == ("medium", [3, 4])
    assert "Deleted group billing exists again without members" in finding.title
    assert "committed offset 8 for orders-0" in finding.explanation


def test_a_group_of_the_consumer_protocol_counts_too() -> None:
    assert len(findings(detector, consumer_group(), consumer_group(deleted=True), commit(8))) == 1


@pytest.mark.parametrize(("later", "count"), [(HOUR, 1), (HOUR + 1, 0)], ids=["within the hour", "after it"])
def test_just_before_is_an_hour(later: int, count: int) -> None:
    assert len(findings(detector, group(), group(deleted=True), commit(8, at=later))) == count


def test_a_group_that_was_made_again_is_innocent() -> None:
    assert findings(detector, group(), group(deleted=True), group(), commit(8)) == []
    assert findings(detector, group(), group(deleted=True), consumer_group(), commit(8)) == []


def test_a_group_of_offsets_only_comes_and_goes() -> None:
    assert findings(detector, commit(1), commit(None), commit(2)) == []


def test_a_group_that_stays_deleted_is_healthy() -> None:
    assert (
        findings(detector, group(), commit(1), commit(None), group(deleted=True), commit(3, group="other"))
        == []
    )


def test_each_deletion_is_a_finding_of_its_own() -> None:
    once = [group(), group(deleted=True), commit(1), commit(None)]
    found = findings(detector, *once, *once)
    assert len({finding.id for finding in found}) == 2


def test_the_headline_has_the_right_plural() -> None:
    (one,) = findings(detector, group(), group(deleted=True), commit(8))
    assert (
        plain(detector.headline([one]))
        == "1 deleted group exists again without members: a client still commits offsets"
    )
