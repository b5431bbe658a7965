"""Ids that are given twice."""

from __future__ import annotations

from spark.detectors.apicurio.id_collision import detector
from tests.generator.apicurio import healthy
from tests.spark.apicurio_journals import generated, real_journal
from tests.spark.apicurio_views import artifact, content, found, views

HELD = [content(1), artifact("a", 1)]


def test_one_global_id_for_two_artifacts() -> None:
    (finding,) = found(detector, *HELD, content(2), artifact("b", 2, globalId=1))
    assert (finding.severity, finding.evidence) == ("critical", [1, 3])
    assert (
        "default/b version 1 cannot be read: its globalId 1 (offset 3) already belongs to default/a version 1"
        in finding.title
    )


def test_one_content_id_for_two_hashes() -> None:
    (finding,) = found(detector, content(1), content(1, content_hash="another"))
    assert (
        "Content another... is not stored: its contentId 1 (offset 1) already belongs to content hash-1..."
        in finding.title
    )


def test_one_hash_under_two_ids_that_a_version_asks_for() -> None:
    imported = artifact("a", 1, 5, contentHash=None, contentId=9, version="1")
    (finding,) = found(detector, content(1), content(9, content_hash="hash-1"), imported)
    assert finding.evidence == [0, 1]
    assert "has two contentIds: 1 and 9 (offset 1)" in finding.title


def test_one_hash_under_two_ids_that_nobody_asks_for_is_a_race() -> None:
    assert found(detector, *HELD, content(9, content_hash="hash-1")) == []


def test_an_id_given_again_after_a_delete_is_innocent() -> None:
    assert found(detector, *HELD, artifact("a", 1, 3), artifact("b", 1)) == []


def test_the_same_record_again_is_innocent() -> None:
    assert found(detector, *HELD, artifact("a", 1)) == []


def test_an_artifact_created_twice_with_ids_of_their_own_is_innocent() -> None:
    assert found(detector, *HELD, content(2), artifact("a", 2)) == []


def test_healthy_and_racing_journals_have_none() -> None:
    assert list(detector.find(views(generated(healthy(2))))) == []
    assert list(detector.find(views(real_journal("two-nodes-a")))) == []


def test_within_one_artifact_it_is_a_collision_unless_the_content_is_the_same() -> None:
    other = artifact("a", 2, 2, globalId=1)
    (finding,) = found(detector, *HELD, content(2), other)
    assert finding.evidence == [1, 3]
    same = artifact("a", 2, 2, globalId=1, contentHash="hash-1")
    assert found(detector, *HELD, same) == []
