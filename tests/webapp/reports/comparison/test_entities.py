"""Entities of a comparison: grouped by consequence, with what each side has of them and the incident that explains them."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from tests.webapp.reports.comparison.results import difference, noted, page_of, with_state

pytestmark = pytest.mark.django_db


def test_what_was_lost_goes_before_the_records_and_names_its_cause_of_the_later_report(
    inspected: Any, get: Any
) -> None:
    incident = {
        "id": "i1", "title": "A restart emptied 1 content item", "findings": ["f1"],
        "victims": [{"finding": "f1", "kind": "lost", "entity_type": "content", "entity_id": "4", "when": "already"}],
    }  # fmt: skip
    left, right = inspected(with_state()), inspected(with_state(incidents=(incident,)))
    shown = [
        difference("lost", "4", 3, None, before='{"format":"PROTOBUF"}'),
        difference("lost", "9", 4, None),
        difference("changed", "x", 1, 12, before='{"config":"FULL"}', after='{"config":"NONE"}'),
    ]
    page = page_of(left, right, noted(shown, lost=2, changed=1, same=7), get)
    assert "<h1" in page
    assert page.index("Between these dumps content 4 was lost.") < page.index("Before and After contain")
    assert page.index("severity-critical") < page.index("proven by both states")
    overview = reverse("report-overview", args=[right.pk])
    assert f'<a href="{overview}?finding=f1#finding-f1">A restart emptied 1 content item</a>' in page
    assert "format PROTOBUF" in page
    assert "No record of After deletes it." in page
    assert "<del>FULL</del>" in page
    assert "the same <strong>7</strong>" in page
    assert page.index("Lost</h3>") < page.index("Changed</h3>") < page.index("Records</h3>")


def test_a_count_shows_its_kind_alone(inspected: Any, get: Any) -> None:
    left, right = inspected(with_state()), inspected(with_state())
    shown = [difference("lost", "4", 3, None), difference("new", "5", None, 12)]
    page = page_of(left, right, noted(shown, lost=1, new=1), get, kind="new")
    assert "Lost</h3>" not in page
    assert '<details class="compare-group" open> <summary><h3 class="h4"><span class="severity-info"' in page


def test_a_lost_content_is_shown_by_the_record_that_has_its_bytes(inspected: Any, get: Any) -> None:
    left, right = inspected(with_state()), inspected(with_state())
    members = f'{{"contentHash":"{"ab" * 32}","content_size_bytes":656}}'
    shown = [
        difference("lost", "48", 9, None, before=members, bytes_offset=3, rejected_offset=11),
        difference("lost", "g/a", 5, None, before="{}", entity_type="artifact"),
        difference(
            "lost",
            "g/a/1",
            5,
            None,
            before=f'{{"contentHash":"{"ab" * 32}","state":"ENABLED"}}',
            entity_type="version",
        ),
    ]
    page = page_of(left, right, noted(shown, lost=3), get)
    table = page[page.index("compare-entities") : page.index("</table>")]
    assert "content 656 bytes" in table
    assert "abab" not in table
    assert 'offset=3">3</a>' in table
    assert 'offset=11">11</a>' in table
    assert "Offset 9 supersedes it and has no content." in table
    assert "Needs content 48." in table
    assert "Version 1 needs content 48." in table


def test_a_deletion_says_which_record_deleted_and_when(inspected: Any, get: Any) -> None:
    left, right = inspected(with_state()), inspected(with_state())
    shown = [difference("deleted", "4", 3, None, deleted_offset=12, deleted_ms=1_700_000_000_000)]
    page = page_of(left, right, noted(shown, deleted=1), get)
    assert "Deleted at offset 12, 2023-11-14 22:13:20 UTC." in page


def test_a_change_by_a_record_that_both_contain_names_the_record_that_compaction_removed(
    inspected: Any, get: Any
) -> None:
    left, right = inspected(with_state()), inspected(with_state())
    rule = {"before": '{"config":"BACKWARD"}', "after": '{"config":"FULL"}', "entity_type": "global-rule"}
    shown = [
        difference("changed", "COMPATIBILITY", 3, 7, **rule),
        difference("changed", "VALIDITY", 4, 12, **rule),
    ]
    result = noted(shown, changed=2)
    result["partitions"][0]["ranges"] = [
        {"kind": "left", "first_offset": 3, "last_offset": 3, "records": 1},
        {"kind": "equal", "first_offset": 4, "last_offset": 9, "records": 6},
    ]
    page = page_of(left, right, result, get)
    assert "Compaction removed offset 3. The service now applies offset 7." in page
    assert "Changed at offset 12." in page
    assert '<span class="quiet">config BACKWARD</span>' in page


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (71, "The sequence itself stays at 71, so the registry does not give out ID 71 again."),
        (70, "The sequence is at 70: the registry gives out the IDs up to 71 again."),
    ],
)
def test_a_sequence_says_whose_id_was_the_highest_and_whether_it_is_given_out_again(
    inspected: Any, get: Any, value: int, reason: str
) -> None:
    left, right = inspected(with_state()), inspected(with_state())
    shown = [
        difference("lost", "g/a/1", 5, None, before='{"globalId":71}', entity_type="version"),
        difference(
            "changed",
            "globalId",
            8,
            8,
            before='{"value":71,"highest":71}',
            after=f'{{"value":{value},"highest":70}}',
            entity_type="sequence",
        ),
    ]
    page = page_of(left, right, noted(shown, lost=1, changed=1), get)
    assert f"The highest ID in use was 71, of the lost version g/a/1. {reason}" in page
    assert '<span class="quiet">highest ID in use 71</span>' in page
    assert '<span class="member-name">highest ID in use</span> <del>71</del>' in page


def test_a_reason_that_all_entities_of_a_group_share_is_said_once_and_by_which_report(
    inspected: Any, get: Any
) -> None:
    victims = [
        {"finding": "f1", "kind": "revived", "entity_type": "content", "entity_id": name, "when": "next_compaction"}
        for name in ("4", "5")
    ]  # fmt: skip
    incident = {
        "id": "i1",
        "title": "The next compaction will undo 2 deletes",
        "findings": ["f1"],
        "victims": victims,
    }
    left, right = inspected(with_state(incidents=(incident,))), inspected(with_state())
    shown = [difference("reappeared", name, None, 6, after="{}") for name in ("4", "5")]
    page = page_of(left, right, noted(shown, reappeared=2), get)
    group = page[page.index("Reappeared</h3>") : page.index("</table>")]
    assert group.count("Before reports: The next compaction will undo 2 deletes") == 1
    assert ">Why</th>" not in group
