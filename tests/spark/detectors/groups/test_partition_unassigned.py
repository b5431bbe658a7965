"""Generations that leave a partition out, and those that leave out what is not theirs."""

from __future__ import annotations

import pyarrow as pa
import pytest

from spark.detectors.groups.partition_unassigned import MIN_MS, detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.builders import lifelines_table
from tests.generator.groups import Member, Pair, commit, generation
from tests.spark.detectors.groups.coordinator_logs import findings, ms, rows_of

LONG = MIN_MS // 1000
WAITING = {"lifelines": lifelines_table({"topic": "orders", "partition": 1, "offset": 120})}
COMMITS = ((0, commit("billing", "orders", 0, 7, ms(0))), (1, commit("billing", "orders", 1, 120, ms(1))))


def of(number: int, topics: tuple[str, ...] = ("orders",), **assigned: list[int]) -> Pair:
    members = (
        Member(id, topics=topics, assigned={"orders": on} if on else {}) for id, on in assigned.items()
    )
    return generation("billing", number, *members)


def later(second: float) -> tuple[float, Pair]:
    return second, commit("billing", "orders", 0, 9, ms(second))


def found(*timed: tuple[float, Pair], **tables: pa.Table) -> list[Finding]:
    logs = {"lifelines": lifelines_table({"topic": "other", "offset": 0})}
    return findings(detector, *rows_of(*COMMITS, *timed), **(logs | tables))


def test_a_partition_that_no_member_has_is_found() -> None:
    (finding,) = found((10, of(2, a=[0], b=[])), later(10 + LONG), **WAITING)
    assert (finding.severity, finding.evidence) == ("high", [2])
    assert (
        plain(finding.title)
        == "Group billing does not read orders-1 for 10 minutes: no member has the partition"
    )


def test_an_earlier_generation_is_medium() -> None:
    (finding,) = found((10, of(2, a=[0])), (10 + LONG, of(3, a=[0, 1])), later(9999), **WAITING)
    assert (finding.severity, "did not read" in finding.title) == ("medium", True)


def test_without_the_log_it_is_low() -> None:
    (finding,) = found((10, of(2, a=[0])), later(9999))
    assert (finding.severity, "is not in the input" in plain(finding.explanation)) == ("low", True)


def test_the_log_shows_whether_there_is_something_to_read() -> None:
    log = lifelines_table(
        *({"topic": "orders", "partition": 1, "offset": offset} for offset in range(118, 120))
    )
    assert not found((10, of(2, a=[0])), later(9999), lifelines=log)
    log = lifelines_table(
        *({"topic": "orders", "partition": 1, "offset": offset} for offset in range(118, 121))
    )
    assert found((10, of(2, a=[0])), later(9999), lifelines=log)


@pytest.mark.parametrize(
    "timed",
    [
        [(10, of(2, a=[0], b=[])), later(9 + LONG)],
        [(10, of(2, a=[0])), (13, of(3, a=[0, 1])), later(9999)],
        [(10, of(2, a=[0, 1])), later(9999)],
        [(10, of(2, ("payments",), a=[])), later(9999)],
        [(10, of(2, a=[0])), (20, commit("billing", "orders", 1, None, 0)), later(9999)],
        [(10, generation("billing", 2)), later(9999)],
    ],
    ids=["short", "two steps", "assigned", "not subscribed", "commit deleted", "no members"],
)
def test_innocent(timed: list[tuple[float, Pair]]) -> None:
    assert found(*timed) == []
