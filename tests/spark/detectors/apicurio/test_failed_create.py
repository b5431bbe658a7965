"""Null under the key of a record that lost its race; null that means something else."""

from __future__ import annotations

from spark.detectors.apicurio.concurrent_create import detector as concurrent_create
from spark.detectors.apicurio.failed_create import detector
from spark.terms.marked import plain
from tests.spark.apicurio_stories import Story


def race() -> Story:
    return Story().content(1).artifact("same", uuid="one").artifact("same", global_id=2, uuid="two")


def test_null_from_each_node_is_one_finding() -> None:
    (finding,) = race().artifact_null("same", "two").artifact_null("same", "two").findings(detector)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("info", 2, 4)
    assert finding.evidence == [2, 3, 4]
    assert "pay/same" in finding.title
    assert plain(detector.headline([finding])) == "1 create failed"


def test_it_is_a_consequence_of_the_race() -> None:
    story = race().artifact_null("same", "two")
    (cause,), (symptom,) = story.findings(concurrent_create), story.findings(detector)
    assert cause.entities & symptom.entities
    assert concurrent_create.id in detector.follows


def test_a_record_that_is_not_answered_yet_is_told_by_the_race_alone() -> None:
    assert race().findings(detector) == []


def test_null_for_a_version_that_fell_with_the_first_is_a_loss() -> None:
    story = Story().content(2, b"two").artifact("a", b"gone").artifact("a", b"two", 2, action=2, uuid="two")
    assert story.artifact_null("a", "two").findings(detector) == []


def test_null_without_its_record_says_nothing() -> None:
    assert Story().content(1).artifact("a").artifact_null("a", "other").findings(detector) == []


def test_a_deleted_artifact_is_no_failed_create() -> None:
    assert Story().content(1).artifact("a").delete_artifact("a").findings(detector) == []
