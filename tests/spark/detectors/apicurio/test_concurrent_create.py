"""Two records that create one thing at once, and what only looks like it."""

from __future__ import annotations

import json

import pytest

from spark.detectors.apicurio.concurrent_create import TOGETHER_MS, detector
from spark.terms.marked import plain
from tests.spark.apicurio_journals import corpus, real_cases, real_journal
from tests.spark.apicurio_stories import Story


def offsets(story: Story) -> list[tuple[int | None, int | None]]:
    return [(finding.first_offset, finding.last_offset) for finding in story.findings(detector)]


def test_one_hash_with_two_content_ids() -> None:
    (finding,) = Story().content(1).content(2).findings(detector)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("low", 0, 1)
    assert "contentId 1 and contentId 2" in finding.explanation


def test_the_newer_form_of_a_content_as_well() -> None:
    assert offsets(Story().content_v2(1).content_v2(2)) == [(0, 1)]


def test_one_group_twice() -> None:
    (finding,) = Story().group("pay").group("pay").findings(detector)
    assert "Group pay" in finding.title


def test_one_artifact_twice_under_two_uuids() -> None:
    story = Story().content(1).artifact("same", global_id=1).artifact("same", global_id=2)
    (finding,) = story.findings(detector)
    assert (finding.first_offset, finding.last_offset) == (1, 2)
    assert "globalId 2 does not exist" in finding.explanation


def test_two_versions_one_after_the_other_are_no_race() -> None:
    story = Story().content(1).content(2, b"two")
    assert offsets(story.artifact("a").artifact("a", b"two", global_id=2, action=2)) == []


@pytest.mark.parametrize(("late_s", "pairs"), [(0, 1), (1, 0)], ids=["within the time", "after it"])
def test_a_second_create_long_after_is_no_race(late_s: float, pairs: int) -> None:
    story = Story().content(1).second(TOGETHER_MS / 1000 + late_s).content(2)
    assert len(offsets(story)) == pairs


def test_created_again_after_a_deletion_is_no_race() -> None:
    assert offsets(Story().group("pay").group("pay", action=3).group("pay")) == []
    again = Story().content(1).artifact("a").delete_artifact("a").artifact("a", global_id=2)
    assert offsets(again) == []


def test_the_same_record_again_is_a_repair() -> None:
    assert offsets(Story().content(1).content(1).artifact("a", uuid="u").artifact("a", uuid="u")) == []


def test_an_import_over_what_is_there_is_no_race() -> None:
    assert offsets(Story().content(1).content(2, action=5)) == []


@pytest.mark.parametrize("case", real_cases())
def test_real_journals_give_what_their_truth_says(case: str) -> None:
    truth = json.loads(corpus("apicurio-real", case, "case.json").read_text())
    expected = [e for e in truth["expect"] if e["finding"] == detector.id]
    story = Story()
    story.rows = [
        {name: row[name] for name in ("offset", "key", "value", "timestamp_ms")}
        for row in real_journal(case).to_pylist()
    ]
    seen = sorted(offsets(story), key=str)
    asked = [pair for pair in seen if any(e["first_offset"] == pair[0] for e in expected)]
    assert asked == sorted([(e["first_offset"], e["last_offset"]) for e in expected], key=str)
    assert bool(seen) == bool(expected)


def test_the_headline_has_the_right_plural() -> None:
    (finding,) = Story().group("pay").group("pay").findings(detector)
    assert plain(detector.headline([finding])) == "1 entity was created twice concurrently"
    assert plain(detector.headline([finding] * 2)) == "2 entities were created twice concurrently"
