"""Updates after each restart, updates that wait for one another, and one honest upgrade."""

from __future__ import annotations

import pytest

from spark.detectors.apicurio.content_null_update import detector as content_null_update
from spark.detectors.apicurio.upgrade_rewrites import MIN_WAITS, WAIT_MS, detector
from spark.terms.marked import plain
from tests.spark.apicurio_stories import UPDATE, Story


def update(story: Story, content_id: int, content: bytes = b"text") -> Story:
    return story.content(content_id, content, action=UPDATE, empty=True)


def test_an_update_after_each_of_two_restarts() -> None:
    story = update(update(Story().restart().content(1).restart(), 1).restart(), 1)
    (finding,) = story.findings(detector)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("medium", 3, 5)
    assert "2 updates in 2 starts" in finding.title
    assert finding.evidence == [2, 4, 5]
    assert plain(detector.headline([finding])) == "the registry updates the same content at every start"


def test_one_pass_is_an_upgrade() -> None:
    story = update(update(Story().content(1).restart(), 1), 1)
    assert story.findings(detector) == []


@pytest.mark.parametrize(("old_passes", "found"), [(1, 0), (2, 1)])
def test_the_pass_of_a_newer_version_is_an_upgrade_whatever_the_older_one_wrote(
    old_passes: int, found: int
) -> None:
    story = Story().content(1)
    for _ in range(old_passes):
        story = update(story.restart(), 1)
    findings = story.restart().content_v2(1).content_v2(1).findings(detector)
    assert len(findings) == found
    assert all("2 updates in 2 starts" in finding.title for finding in findings)


def test_a_restart_that_compaction_took_still_parts_two_passes() -> None:
    story = update(update(Story().content(1).skip(), 1).restart(), 1)
    (finding,) = story.findings(detector)
    assert "Compaction removed the record of an earlier start" in finding.explanation


def test_other_contents_after_the_second_restart_are_no_flapping() -> None:
    story = update(update(Story().content(1).content(2, b"two").restart(), 1).restart(), 2, b"two")
    assert story.findings(detector) == []


def test_the_newer_form_written_once_more_after_each_start() -> None:
    story = Story().content_v2(1).restart().content_v2(1)
    assert story.findings(detector) == []
    assert len(story.restart().content_v2(1).findings(detector)) == 1


def test_it_is_a_consequence_of_the_updates_without_content() -> None:
    story = update(update(Story().content(1).artifact("a").restart(), 1).restart(), 1)
    (cause,), (symptom,) = story.findings(content_null_update), story.findings(detector)
    assert cause.entities & symptom.entities


def slow(waits: int, apart_ms: int) -> Story:
    story = Story()
    for number in range(waits + 1):
        story.content(number, b"%d" % number)
    story.restart()
    for number in range(waits + 1):
        update(story.second(100 + number * apart_ms / 1000), number, b"%d" % number)
    return story


@pytest.mark.parametrize(
    ("apart_ms", "found"),
    [(WAIT_MS[0] - 1, 0), (WAIT_MS[0], 1), (30_000, 1), (WAIT_MS[1], 1), (WAIT_MS[1] + 1, 0)],
)
def test_updates_half_a_minute_apart_are_a_slow_start(apart_ms: int, found: int) -> None:
    assert len(slow(4, apart_ms).findings(detector)) == found


@pytest.mark.parametrize(("waits", "found"), [(MIN_WAITS - 1, 0), (MIN_WAITS, 1)])
def test_one_wait_may_be_chance(waits: int, found: int) -> None:
    assert len(slow(waits, 30_000).findings(detector)) == found


def test_a_slow_start_says_how_long_it_took() -> None:
    (finding,) = slow(4, 30_000).findings(detector)
    assert "in 120 s or more: 5 content updates" in finding.title
    assert "30 s" in finding.explanation
    assert (
        plain(detector.headline([finding]))
        == "the registry starts slowly: about 30 s for each content update"
    )
