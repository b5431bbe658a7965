"""Offsets that were deleted in use, and those that expire by rule."""

from __future__ import annotations

import pytest

from spark.detectors.groups.offset_expired_in_use import detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.generator.groups import Member, Pair, commit, generation, old_commit
from tests.spark.detectors.groups.coordinator_logs import findings, ms, rows_of

DAY = 86_400.0
Timed = tuple[float, Pair]
APP = Member("m1", topics=("ledger",), assigned={"ledger": [0, 1]})


def written(at: float, partition: int, offset: int | None, topic: str = "ledger") -> Timed:
    return at, commit("booking", topic, partition, offset, ms(at))


def story(
    *, sibling: bool = True, age: float = 7 * DAY, after: int = 200, members: tuple[Member, ...] = (APP,)
) -> list[Timed]:
    """A commit of 51000 for ledger-0 that is deleted after its age; ledger-1 goes on if there is a sibling."""
    return [
        (0, generation("booking", 4, *members)),
        written(1, 0, 50900),
        written(2, 0, 51000),
        *([written(age - 10, 1, 7000)] if sibling else []),
        written(age, 0, None),
        (age + 1, generation("booking", 5, APP)),
        written(age + 2, 0, after),
    ]


def found(rows: list[Timed]) -> list[Finding]:
    return findings(detector, *rows_of(*rows))


def test_an_offset_that_expired_in_use_is_found() -> None:
    (finding,) = found(story())
    assert (finding.severity, finding.confidence, finding.evidence) == ("medium", "proven", [2, 4, 6])
    assert "Group booking reads up to 50,800 records again of ledger-0" in finding.title
    assert "KAFKA-13636" in finding.explanation
    assert "--topic ledger:0 --reset-offsets --to-offset 51000 --execute" in finding.remedy


def test_a_sibling_that_goes_on_to_commit_stays() -> None:
    rows = story()
    rows.insert(-1, written(7 * DAY + 1.5, 1, 7100))
    (finding,) = found(rows)
    assert finding.confidence == "proven"


def test_far_ahead_is_a_skip() -> None:
    (finding,) = found(story(after=99_000))
    assert (finding.severity, finding.effects[0].kind) == ("high", "lost")
    assert "skips up to 48,000 records of ledger-0" in finding.title


@pytest.mark.parametrize("after", [51000, 51100, 52000], ids=["the same", "the next", "within two polls"])
def test_who_continues_is_innocent(after: int) -> None:
    assert found(story(after=after)) == []


def test_without_a_sibling_the_age_decides() -> None:
    (finding,) = found(story(sibling=False))
    assert finding.confidence == "likely"
    assert found(story(sibling=False, age=DAY - 60)) == []


def test_an_offset_that_is_too_young_to_expire_is_innocent() -> None:
    assert found(story(age=3600)) == []


def test_an_empty_group_loses_its_offsets_by_rule() -> None:
    assert found(story(members=())) == []


def test_a_group_of_which_nothing_but_commits_is_known_is_innocent() -> None:
    assert found([row for row in story() if row[1][0][:2] != b"\x00\x02"]) == []


def test_a_topic_that_nobody_subscribes_to_loses_its_offsets_by_rule() -> None:
    assert found(story(members=(Member("m1", topics=("other",)),))) == []


def test_a_deleted_topic_is_innocent() -> None:
    rows = [
        (0, generation("booking", 4, APP)),
        written(1, 0, 51000),
        written(2, 1, 7000),
        written(3600, 0, None),
        written(3600, 1, None),
        written(3700, 0, 20),
        written(3700, 1, 20),
    ]
    assert found(rows) == []


def test_a_commit_of_version_1_expires_when_it_is_loaded() -> None:
    rows = [
        (0.0, generation("booking", 4, APP)),
        (1.0, old_commit("booking", "ledger", 0, 51000, ms(1))),
        written(600, 0, None),
        written(700, 0, 200),
    ]
    (finding,) = found(rows)
    assert "KAFKA-8069" in finding.explanation


def test_the_headline_has_the_right_plural() -> None:
    assert plain(detector.headline(found(story()))) == (
        "1 committed offset of groups with members expired: records were read again or skipped"
    )
