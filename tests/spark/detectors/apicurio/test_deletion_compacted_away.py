"""Groups whose deletion compaction has taken."""

from __future__ import annotations

from spark.detectors.apicurio.deletion_compacted_away import detector
from tests.generator.apicurio import healthy
from tests.spark.apicurio_journals import generated, real_journal
from tests.spark.apicurio_views import artifact, content, found, group, views

MADE = [content(1), artifact("a", 1, group="g")]


def test_a_deletion_that_no_creation_precedes() -> None:
    (finding,) = found(detector, *MADE, group("g", 3), offsets=[3, 5, 8])
    assert (finding.severity, finding.confidence) == ("high", "proven")
    assert (finding.first_offset, finding.evidence) == (8, [5, 8])
    assert "g/a version 1" in finding.title


def test_a_group_made_behind_its_artifacts() -> None:
    (finding,) = found(detector, *MADE, group("g", 1), offsets=[3, 5, 8])
    assert (finding.first_offset, finding.last_offset, finding.confidence) == (5, 8, "likely")


def test_without_a_missing_record_between_nothing_was_taken() -> None:
    assert found(detector, *MADE, group("g", 1), offsets=[3, 5, 6]) == []


def test_a_log_that_is_whole_has_lost_no_creation() -> None:
    assert found(detector, *MADE, group("g", 3)) == []


def test_a_group_without_artifacts_is_innocent() -> None:
    assert found(detector, content(1), group("g", 3), offsets=[3, 8]) == []


def test_artifacts_deleted_one_by_one_are_innocent() -> None:
    assert found(detector, *MADE, artifact("a", 1, 3, group="g"), group("g", 3), offsets=[3, 5, 6, 9]) == []


def test_artifacts_behind_the_creation_are_innocent() -> None:
    assert found(detector, group("g", 1), *MADE, offsets=[2, 5, 7]) == []


def test_healthy_journals_have_none() -> None:
    assert list(detector.find(views(generated(healthy(2))))) == []
    assert list(detector.find(views(real_journal("healthy-c-compacted")))) == []


def test_real_compacted_journals() -> None:
    rows = list(detector.find(views(real_journal("latent-a-after-compaction"))))
    assert [(row["name"], list(row["offsets"])) for row in rows] == [("temporary", [15, 19])]
