"""Starts one after the other: a loop, a cluster, an ordinary week."""

from __future__ import annotations

import pytest

from spark.detectors.apicurio.restart_loop import MIN_STARTS, TOGETHER_MS, WINDOW_MS, detector
from spark.terms.marked import plain
from tests.spark.apicurio_journals import json_record
from tests.spark.apicurio_stories import Story


def starts(count: int, apart_s: float) -> Story:
    story = Story()
    for number in range(count):
        story.second(number * apart_s).restart()
    return story


def test_a_start_every_minute_is_a_loop() -> None:
    (finding,) = starts(8, 60).findings(detector)
    assert (finding.severity, finding.confidence) == ("medium", "likely")
    assert (finding.first_offset, finding.last_offset) == (0, 7)
    assert "8 times within 7 minutes" in finding.title
    assert "again and again" in plain(detector.headline([finding]))


@pytest.mark.parametrize(("count", "found"), [(MIN_STARTS - 1, 0), (MIN_STARTS, 1)])
def test_fewer_starts_are_a_cluster_that_is_rolled_over(count: int, found: int) -> None:
    assert len(starts(count, 60).findings(detector)) == found


@pytest.mark.parametrize(("beyond_ms", "found"), [(0, 1), (5, 0)], ids=["within the window", "beyond it"])
def test_starts_that_are_spread_out_are_no_loop(beyond_ms: int, found: int) -> None:
    apart_s = (WINDOW_MS / (MIN_STARTS - 1) + beyond_ms) / 1000
    assert len(starts(MIN_STARTS, apart_s).findings(detector)) == found


@pytest.mark.parametrize(("apart_ms", "found"), [(TOGETHER_MS - 1, 0), (TOGETHER_MS, 1)])
def test_nodes_that_start_together_count_once(apart_ms: int, found: int) -> None:
    assert len(starts(20, apart_ms / 1000).findings(detector)) == found


def test_starts_of_the_fixed_versions_count() -> None:
    story = Story()
    for number in range(7):
        key = json_record(18, {"uuid": f"x{number}"})
        story.second(number * 30).record(key, json_record(18, {"action": 9}))
    assert len(story.findings(detector)) == 1


def test_two_loops_are_two_findings() -> None:
    story = starts(6, 30)
    for number in range(6):
        story.second(90_000 + number * 30).restart()
    found = story.findings(detector)
    assert [(finding.first_offset, finding.last_offset) for finding in found] == [(0, 5), (6, 11)]


def test_a_journal_without_starts_is_quiet() -> None:
    assert Story().content(1).artifact("a").findings(detector) == []
