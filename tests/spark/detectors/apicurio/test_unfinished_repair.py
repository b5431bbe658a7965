"""A repair that ended before its last record, by the header of its records or by the request id of another record."""

from __future__ import annotations

import json

from spark.detectors.apicurio.unfinished_repair import detector
from spark.terms.marked import plain
from tests.spark.apicurio_stories import Story

REPAIR = "5b1c0d6a-3f0e-4d57-9d5a-0c8f0f1f2a11"


def marked(story: Story, number: int, total: int, repair: str = REPAIR, after: str = "") -> Story:
    """The last record of a story as one of a repair."""
    return headed(story, "journalscope-repair", f"{repair} {number}/{total}{after}")


def headed(story: Story, name: str, value: str) -> Story:
    """The last record of a story with one header more."""
    row = story.rows[-1]
    row["headers"] = [*(row.get("headers") or []), {"key": name.encode(), "value": value.encode()}]
    return story


def invoice() -> Story:
    return Story().content(1).artifact("invoice", uuid="one")


def test_the_delete_alone_is_critical_and_names_what_it_took() -> None:
    (finding,) = marked(invoice().delete_artifact("invoice"), 1, 3).findings(detector)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("critical", 2, 2)
    assert plain(finding.title) == "Unfinished repair: 2 of 3 records are missing, at offset 2"
    assert {(effect.kind, effect.entity_id) for effect in finding.effects} == {
        ("lost", "pay/invoice"),
        ("lost", "pay/invoice/1"),
    }
    assert "ApplyRepair.java resume-append" in finding.remedy


def test_it_is_finished_with_its_last_record() -> None:
    story = marked(invoice().delete_artifact("invoice"), 1, 3)
    story = marked(marked(story.content(1), 2, 3).artifact("invoice", uuid="one"), 3, 3)
    assert story.findings(detector) == []


def test_a_later_finished_repair_makes_up_for_it() -> None:
    story = marked(invoice().delete_artifact("invoice"), 1, 3)
    story = marked(story.content(1), 1, 2, "later")
    assert marked(story.artifact("invoice", uuid="one"), 2, 2, "later").findings(detector) == []


def test_an_unfinished_repair_after_a_finished_one_is_found() -> None:
    story = marked(invoice().content(2, b"two"), 1, 1)
    (finding,) = marked(story.delete_artifact("invoice"), 1, 2, "later").findings(detector)
    assert (finding.first_offset, finding.last_offset) == (3, 3)


def test_last_records_that_compaction_may_have_removed_are_innocent_where_nothing_is_missing() -> None:
    story = marked(invoice().content(2, b"two"), 1, 2).skip().content(3, b"three")
    assert story.findings(detector) == []


def test_a_record_that_keeps_something_deleted_is_a_wish() -> None:
    story = (
        marked(invoice().delete_artifact("invoice"), 1, 2, after=" stays-deleted").skip().content(2, b"two")
    )
    assert story.findings(detector) == []


def test_a_delete_with_the_request_id_of_the_create_is_a_repairs() -> None:
    story = headed(invoice(), "req", "one")
    (finding,) = headed(story.delete_artifact("invoice"), "req", "one").findings(detector)
    assert plain(finding.title) == "Unfinished repair: 2 entities are missing, at offset 2"


def test_a_delete_with_a_request_id_of_its_own_is_a_wish() -> None:
    story = headed(invoice(), "req", "one")
    assert headed(story.delete_artifact("invoice"), "req", "two").findings(detector) == []


def test_a_copy_of_a_record_with_its_headers_is_no_repair() -> None:
    story = headed(headed(invoice(), "req", "one").delete_artifact("invoice"), "req", "two")
    story.record(story.rows[-1]["key"], story.rows[-1]["value"])
    assert headed(story, "req", "two").findings(detector) == []


def test_a_header_of_another_form_is_no_mark() -> None:
    for value in ("", "x", f"{REPAIR} 1/", f"{REPAIR} one/two", json.dumps({"repair": 1})):
        story = headed(invoice().delete_artifact("invoice"), "journalscope-repair", value)
        assert story.findings(detector) == []
