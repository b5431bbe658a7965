"""Clients that leave their group and come back, and restarts that look alike."""

from __future__ import annotations

import pytest

from spark.detectors.groups.rebalance_loop import detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.generator.groups import (
    Member,
    Pair,
    commit,
    consumer_member,
    epoch,
    generation,
    streams_member,
)
from tests.spark.detectors.groups.coordinator_logs import findings, ms, rows_of

Timed = tuple[float, Pair]


def loop(
    times: int = 6,
    *,
    stay: float = 301,
    pause: float = 60,
    moving: bool = False,
    at: float = 0,
    host: str = "10.0.0.2",
) -> list[Timed]:
    """A member with orders-0 stays, another one with orders-1 comes and goes; orders-0 always advances."""
    rows: list[Timed] = []
    for number in range(times):
        steady = Member("a", "app-1", "10.0.0.1", assigned={"orders": [0]})
        back = Member(f"b{number}", "app-2", host, assigned={"orders": [1]})
        rows += [
            (at, generation("jobs", 2 * number, steady, back)),
            (at + 1, commit("jobs", "orders", 0, 100 + number, ms(at + 1))),
            (at + 1, commit("jobs", "orders", 1, 40 + number * moving, ms(at + 1))),
            (at + stay, generation("jobs", 2 * number + 1, steady)),
        ]
        at += stay + pause
    return rows


def found(rows: list[Timed]) -> list[Finding]:
    return findings(detector, *rows_of(*rows))


def test_a_client_that_exceeds_the_poll_interval_again_and_again_is_found() -> None:
    (finding,) = found(loop())
    assert (finding.severity, finding.confidence, finding.evidence[:2]) == ("high", "proven", [0, 4])
    assert (
        "client app-2 at 10.0.0.2 comes back 5 times under new member IDs, about every 6 minutes"
        in finding.title
    )
    assert "the committed offset of orders-1 does not advance" in finding.title
    assert "max.poll.interval.ms" in finding.explanation


def test_a_stay_of_the_session_timeout_is_named() -> None:
    (finding,) = found(loop(stay=45))
    assert "its session timeout is 45 seconds" in finding.explanation


def test_a_stay_of_no_timeout_is_medium_and_says_what_would_decide() -> None:
    (finding,) = found(loop(stay=120))
    assert (finding.severity, finding.confidence) == ("medium", "likely")
    assert "The log of the application shows which" in finding.explanation


@pytest.mark.parametrize(("times", "count"), [(5, 0), (6, 1)], ids=["4 returns", "5 returns"])
def test_a_few_returns_are_innocent(times: int, count: int) -> None:
    assert len(found(loop(times))) == count


def test_offsets_that_advance_are_innocent() -> None:
    assert found(loop(moving=True)) == []
    assert found(loop(stay=120, moving=True)) == []


def test_jobs_that_come_once_in_more_than_an_hour_are_innocent() -> None:
    assert found(loop(10, pause=3600)) == []


def test_restarts_by_hand_are_innocent() -> None:
    rows: list[Timed] = []
    at = 0.0
    for number, pause in enumerate((10, 400, 1700, 60, 3000, 150, 900)):
        rows.append((at, generation("jobs", number, Member(f"b{number}", assigned={"orders": [1]}))))
        at += pause
    assert found(rows) == []


def test_a_rolling_restart_of_many_processes_of_one_client_is_innocent() -> None:
    members = [Member(f"old{number}") for number in range(8)]
    rows: list[Timed] = [(0, generation("jobs", 1, *members))]
    for number in range(8):
        members[number] = Member(f"new{number}")
        rows.append((60 + 30 * number, generation("jobs", 2 + number, *members)))
    assert found(rows) == []


def test_a_group_that_commits_nothing_is_found() -> None:
    (finding,) = found([row for row in loop() if row[1][0][:2] != b"\x00\x01"])
    assert "no offset is committed" in finding.title


def test_short_readers_that_never_commit_are_innocent() -> None:
    assert found([row for row in loop(stay=20, pause=300) if row[1][0][:2] != b"\x00\x01"]) == []


def test_a_loop_that_is_over_is_medium() -> None:
    after = (9 * 3600.0, commit("other", "orders", 0, 1, ms(9 * 3600)))
    (finding,) = found([*loop(), after])
    assert finding.severity == "medium"


def test_members_of_the_consumer_protocol_count_too() -> None:
    rows: list[Timed] = []
    for number in range(6):
        at = 360.0 * number
        rows += [
            (at, consumer_member("jobs", Member(f"b{number}", "app-2", "10.0.0.2"))),
            (at + 1, epoch("jobs", 2 * number)),
            (at + 2, commit("jobs", "orders", 1, 40, ms(at + 2))),
            (at + 301, consumer_member("jobs", f"b{number}")),
            (at + 302, epoch("jobs", 2 * number + 1)),
        ]
    (finding,) = found(rows)
    assert (finding.severity, finding.entity) == ("high", "group:jobs")


def test_the_headline_has_the_right_plural() -> None:
    assert (
        plain(detector.headline(found(loop())))
        == "1 group rebalances again and again, and offsets do not advance"
    )


def of_streams(*, is_loop: bool) -> list[Timed]:
    """A streams group: one client that comes back under new member ids, or six members of it that start together."""
    rows: list[Timed] = []
    for number in range(6):
        at = number * 360 if is_loop else number
        rows.append((at, streams_member("jobs", Member(f"m{number}", "jobs-1"))))
        rows.append((at + 1, epoch("jobs", number + 1, 17)))
        rows.append((at + 2, commit("jobs", "orders", 0, 40, ms(at + 2))))
        if is_loop:
            rows.append((at + 301, consumer_member("jobs", f"m{number}", 19)))
    return rows


def test_a_member_of_a_streams_group_that_exceeds_the_poll_interval_is_found() -> None:
    (finding,) = found(of_streams(is_loop=True))
    assert (finding.severity, finding.confidence) == ("high", "proven")
    assert "client jobs-1 at 10.0.0.1 comes back 5 times" in finding.title


def test_members_of_one_client_that_start_together_are_innocent() -> None:
    assert found(of_streams(is_loop=False)) == []
