"""Contents without users: given up half-way, left by a loss, or only seeming so."""

from __future__ import annotations

import pyarrow as pa
import pytest

from spark.detectors.apicurio.content_null_update import detector as content_null_update
from spark.detectors.apicurio.orphan_content import detector
from spark.tables import GAPS
from spark.terms.marked import plain
from tests.spark.apicurio_stories import REFERENCES, UPDATE, Story, sha256


def first() -> Story:
    """Content, GlobalId and artifact of one version, at offsets 0 to 2."""
    return Story().content(1, b"one").global_id().artifact("a", b"one", 1)


def gap(first: int, last: int, cause: str) -> pa.Table:
    """The one gap of a log."""
    row = {
        "topic": "kafkasql-journal",
        "partition": 0,
        "replica": "",
        "first_offset": first,
        "last_offset": last,
    }
    return pa.Table.from_pylist([{**row, "cause": cause, "proof": ""}], schema=GAPS.schema)


def test_a_content_that_was_given_up_half_way_is_a_remark() -> None:
    (finding,) = first().content(2, b"two").global_id().artifact("b", b"one", 2).findings(detector)
    assert (finding.severity, finding.first_offset) == ("low", 3)
    assert plain(detector.headline([finding])) == "no artifact uses some content"


def test_with_an_unused_global_id_it_is_the_trace_of_a_loss() -> None:
    story = first().content(2, b"two").global_id().skip().content(3, b"three").global_id()
    (finding,) = story.artifact("c", b"three", 3).findings(detector)
    assert (finding.severity, finding.confidence) == ("medium", "likely")
    assert "globalId 2 either, drawn at offset 4" in finding.explanation
    assert (
        plain(detector.headline([finding]))
        == "1 artifact version is lost: no artifact record uses its content"
    )


def test_with_meta_data_of_a_version_without_record_as_well() -> None:
    story = first().content(2, b"two").skip().describe_version("a", "2").artifact("b", b"one", 7)
    (finding,) = story.findings(detector)
    assert finding.severity == "medium"
    assert "pay/a/2" in finding.explanation
    assert "artifact:pay/a" in finding.entities


def test_a_secondary_loss_hangs_on_its_cause() -> None:
    lost = Story().content(4, b"gone", action=UPDATE, empty=True).global_id().artifact("a", b"gone", 1)
    story = lost.content(2, b"two").global_id().skip().content(3, b"three").global_id()
    story.artifact("c", b"three", 3)
    (cause,), (symptom,) = story.findings(content_null_update), story.findings(detector)
    assert cause.entities & symptom.entities
    assert content_null_update.id in detector.follows


def test_ids_that_were_shifted_by_an_import_prove_nothing() -> None:
    story = first().global_id(action=6).content(2, b"two").global_id().skip()
    (finding,) = story.content(3, b"three").global_id().artifact("c", b"three", 90).findings(detector)
    assert finding.severity == "low"


def test_content_of_a_deleted_artifact_is_no_orphan() -> None:
    story = first().delete_artifact("a").content(2, b"two").artifact("b", b"two", 2)
    assert story.findings(detector) == []


def test_a_delete_that_compaction_removed_later_explains_an_unused_content_and_its_id() -> None:
    """The artifact's record went with its DELETE, whose key was written again; a repair that keeps artifacts deleted does so."""
    story = first().content(2, b"two").global_id().skip().content(3, b"three").global_id()
    story = story.artifact("c", b"three", 3).skip().content(4, b"four")
    assert [one.severity for one in story.findings(detector, gaps=gap(5, 5, "compaction"))] == ["medium"]
    assert story.findings(detector, gaps=gap(9, 9, "compaction")) == []


def test_a_delete_that_stands_explains_an_unused_content_and_its_id() -> None:
    story = first().content(2, b"two").global_id().skip().content(3, b"three").global_id()
    assert story.artifact("c", b"three", 3).delete_artifact("b").findings(detector) == []


def test_the_last_content_may_still_wait_for_its_artifact() -> None:
    assert first().content(2, b"two").findings(detector) == []


def test_an_imported_artifact_names_its_content_by_id() -> None:
    story = Story().content(5, b"five", REFERENCES, content_hash=sha256(b"five"), action=5)
    key = story.artifact("a").rows.pop()["key"]
    story.record(key, b'\x03{"action":5,"globalId":1,"contentId":5,"artifactType":"JSON"}')
    assert story.artifact("b", b"five", 2).findings(detector) == []


@pytest.mark.parametrize(("cause", "found"), [("damage", 0), ("unexplained", 0), ("compaction", 1)])
def test_a_gap_behind_it_may_have_held_the_artifact(cause: str, found: int) -> None:
    story = first().content(2, b"two").skip().artifact("b", b"one", 2)
    assert len(story.findings(detector, gaps=gap(4, 4, cause))) == found


def test_an_unreadable_record_behind_it_may_have_been_the_artifact() -> None:
    story = first().content(2, b"two").record(b"\x03{", b"\x03{}").artifact("b", b"one", 2)
    assert story.findings(detector) == []
