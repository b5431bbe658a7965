"""An entity's page, and what a record's page says of entities."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.webapp.reports.registry import registry


def text_of(response: Any) -> str:
    assert response.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).replace("&quot;", '"').split())


@pytest.fixture
def entity(inspected: Any, get: Any) -> Any:
    """`entity("version", "pay/money/1")`: the text of its page."""
    inspection = inspected(registry)
    return lambda kind, name, **query: text_of(get(inspection, "report-entity", type=kind, id=name, **query))


def test_a_life_in_stages_says_what_changed_and_which_records_did_it(entity: Any) -> None:
    page = entity("global-rule", "COMPATIBILITY")
    assert "Present since offset 12 , changed 1 time." in page
    assert "Showing 2 versions, oldest first" in page
    assert "by GlobalRule" not in page  # no entry of offset 12 is told
    assert "config FULL → NONE" in page
    assert "until offset 13" in page


def test_what_compaction_does_to_it_is_said(entity: Any) -> None:
    assert "After the next compaction lost : the service will no longer have it" in entity("content", "1")
    assert "reappears : the service will have it again" in entity("group", "gone")
    assert "After the next compaction changes config NONE → FULL" in entity("global-rule", "COMPATIBILITY")
    assert "After the next compaction unchanged" in entity("version", "pay/money/2")


def test_an_entity_that_is_gone_says_from_when_to_when(entity: Any) -> None:
    assert "Deleted at offset 11 . Created at offset 10" in entity("group", "gone")


def test_a_version_is_compared_with_the_one_before_by_the_text_of_its_content(entity: Any) -> None:
    page = entity("version", "pay/money/2")
    assert "Text compared with pay/money/1" in page
    assert '+ "name": "nanos"' in page
    assert "Value of its record Offset 6" in page


def test_an_artifact_lists_its_versions_with_differences(entity: Any) -> None:
    page = entity("artifact", "pay/money")
    assert "Showing 2 entities present at the end" in page
    assert "Text compared with pay/money/1" in page
    assert "createdOn 1700000000000 (2023-11-14 22:13:20 UTC)" in page


def test_relatives_are_linked_both_ways(entity: Any) -> None:
    assert "belongs to artifact pay/money names content item 1" in entity("version", "pay/money/1")
    assert "is named by version pay/money/1" in entity("content", "1")


def test_an_entity_that_was_only_ever_dropped_says_why(entity: Any) -> None:
    page = entity("version", "pay/invoice/1")
    assert "A start on this journal does not give it: the service rejects every entry for it." in page
    assert "Offset 14 : no record of the journal contains the content. It needs the content item abc" in page


def test_services_that_read_it_differently_stand_side_by_side(entity: Any) -> None:
    page = entity("content", "2")
    assert "State by service" in page
    assert "Other not present" in page


def test_an_empty_id_has_a_page(inspected: Any, get: Any) -> None:
    inspection = inspected(registry)
    listed = get(inspection, "report-state", type="config").content.decode()
    address = re.search(r'href="[^"]*/state/entity/\?([^"]*)"', listed)
    assert address is not None
    assert address[1] == "type=config"
    assert "(all)" in text_of(get(inspection, "report-entity", type="config"))


def test_an_entity_that_nobody_knows_is_404(inspected: Any, get: Any) -> None:
    assert get(inspected(registry), "report-entity", type="group", id="nobody").status_code == 404


def test_a_record_says_what_it_does_to_the_state_and_links_there(inspected: Any, get: Any) -> None:
    inspection = inspected(registry)
    page = get(inspection, "report-record", 4)
    assert "sets artifact pay/money" in text_of(page)
    assert "state/entity/?type=version&amp;id=pay%2Fmoney%2F1" in page.content.decode()
    assert "ends group gone" in text_of(get(inspection, "report-record", 11))


def test_a_dropped_record_says_why_in_words(inspected: Any, get: Any) -> None:
    page = text_of(get(inspected(registry), "report-record", 14))
    (entity,) = re.findall(
        "The service rejects this entry of (.+?) when it starts. No record of the journal contains the content",
        page,
    )
    assert entity == "version pay/invoice/1"


def test_an_entry_that_cannot_be_read_says_what_the_service_does(inspected: Any, get: Any) -> None:
    inspection = inspected(registry)
    assert "The value is cut off. The service skips the record." in text_of(
        get(inspection, "report-record", 16)
    )
    listed = text_of(get(inspection, "report-records"))
    assert "cannot be read: The value is cut off." in listed
    assert "create Artifact pay/money" in listed


def test_a_secret_that_the_replay_left_out_does_not_come_back_as_text(entity: Any) -> None:
    page = entity("connector", "sink")
    assert "hunter2" not in page
    assert "Journalscope leaves out a secret" in page


def test_the_proof_of_a_finding_links_to_what_its_records_are_about(inspected: Any, get: Any) -> None:
    page = get(inspected(registry), "report-overview").content.decode()
    proofs = page.split('<table class="table table-sm folds proof">')[1].split("</table>")[0]
    assert 'state/entity/?type=content&amp;id=1">1</a>' in proofs


def test_findings_about_its_records_lead_to_their_cards(inspected: Any, get: Any) -> None:
    inspection = inspected(registry)
    page = get(inspection, "report-entity", type="content", id="1").content.decode()
    assert re.search(r'<a href="[^"]*/report/\?finding=lost#finding-lost">Content 1 will be lost</a>', page)
    assert "#finding-" not in get(inspection, "report-entity", type="group", id="gone").content.decode()


def test_the_record_of_a_start_is_a_start_mark_everywhere(inspected: Any, get: Any) -> None:
    inspection = inspected(registry)
    drawer = text_of(get(inspection, "report-record", 0))
    assert "Entry Bootstrap start mark" in drawer
    assert "Kind start mark" in drawer
    assert re.search(
        r'<span title="[^"]*">start mark</span>', get(inspection, "report-records").content.decode()
    )
    assert "restart" not in text_of(get(inspection, "report-record", 0)).lower()
