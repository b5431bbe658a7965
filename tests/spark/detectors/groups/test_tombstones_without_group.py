"""Tombstones of members whose group no record creates."""

from __future__ import annotations

import pytest

from spark.detectors.groups.tombstones_without_group import detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.generator.groups import Member, Pair, commit, consumer_member, epoch, gone
from tests.spark.detectors.groups.coordinator_logs import findings, rows_of


def found(*records: Pair) -> list[Finding]:
    return findings(detector, *rows_of(*enumerate(records)))


@pytest.mark.parametrize("kind", [5, 7, 8, 10, 19], ids=["member", "target", "current", "share", "streams"])
def test_a_members_tombstone_without_its_group_is_found(kind: int) -> None:
    (finding,) = found(consumer_member("billing", "m1", kind))
    assert (finding.severity, finding.evidence) == ("low", [0])
    assert "KAFKA-17306" in finding.explanation


def test_tombstones_of_a_partition_are_one_finding() -> None:
    (finding,) = found(
        consumer_member("billing", "m1"), consumer_member("billing", "m2"), consumer_member("other", "m3")
    )
    assert "3 tombstones delete members of 2 groups" in finding.title
    assert plain(detector.headline([finding])) == "1 tombstone deletes members whose group is not in the log"


def test_a_group_that_is_there_is_innocent() -> None:
    assert found(epoch("billing", 4), consumer_member("billing", "m1"), epoch("billing", None)) == []
    assert found(consumer_member("billing", Member("m1")), consumer_member("billing", "m1")) == []


def test_a_group_that_comes_later_is_none_for_what_is_before_it() -> None:
    assert len(found(consumer_member("billing", "m1"), epoch("billing", 9))) == 1


def test_classic_groups_and_commits_are_innocent() -> None:
    assert found(gone("billing"), commit("billing", "orders", 0, None, 0)) == []
    assert found(epoch("billing", None)) == []
