"""Generations that give a partition to two members, and those that only move it."""

from __future__ import annotations

import pytest

from spark.detectors.groups.partition_assigned_twice import detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.generator.groups import Member, generation
from tests.spark.detectors.groups.coordinator_logs import findings, rows_of

Assigned = dict[str, list[int]]  # member -> partitions of orders


def found(*generations: Assigned) -> list[Finding]:
    made = (
        (
            60 * number,
            generation(
                "billing",
                number,
                *(Member(id, assigned={"orders": on} if on else {}) for id, on in of.items()),
            ),
        )
        for number, of in enumerate(generations, 1)
    )
    return findings(detector, *rows_of(*made))


def test_two_members_with_one_partition_are_found() -> None:
    (finding,) = found({"a": [0, 1], "b": [2]}, {"a": [0, 1], "b": [1, 2]})
    assert (finding.severity, finding.confidence, finding.evidence) == ("low", "proven", [1])
    assert (
        plain(finding.title)
        == "Group billing reads records of orders-1 twice: 2 members of one generation have it"
    )
    assert "newest generation of the group." in finding.explanation


def test_several_generations_are_medium() -> None:
    (finding,) = found({"a": [0, 1], "b": [1, 2]}, {"a": [0, 1], "b": [1, 2], "c": []})
    assert (finding.severity, finding.evidence) == ("medium", [0, 1])


def test_a_sticky_assignor_can_repeat_its_fault() -> None:
    members = (Member("a", assigned={"orders": [0, 1]}), Member("b", assigned={"orders": [1]}))
    key, value = generation("billing", 1, *members)
    assert value is not None
    sticky = value.replace(b"\x00\x05range", b"\x00\x06sticky")
    (finding,) = findings(detector, (key, sticky, 0))
    assert finding.severity == "medium"


def test_a_generation_later_without_it_is_said() -> None:
    (finding,) = found({"a": [0, 1], "b": [1, 2]}, {"a": [0, 1], "b": [2]})
    assert "no longer does it" in finding.explanation
    assert "read records" in finding.title


@pytest.mark.parametrize(
    "generations",
    [
        [{"a": [0, 1], "b": [2]}, {"a": [0], "b": [1, 2]}],
        [{"a": [0, 1], "b": [0, 1]}, {"a": [0, 1], "b": [0, 1], "c": [0, 1]}],
        [{"a": [0, 1]}],
        [{"a": [0, 1], "b": []}],
    ],
    ids=["moved", "broadcast", "one member", "a member without partitions"],
)
def test_innocent(generations: list[Assigned]) -> None:
    assert found(*generations) == []
