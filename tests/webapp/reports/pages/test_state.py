"""The State page: what is held where, differences, slider, readers, and the latest values of a plain journal."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.builders import entries_table, other_table, records_table
from tests.webapp.reports.registry import registry
from tests.webapp.reports.result_folder import finding, write_results


def text_of(response: Any) -> str:
    assert response.status_code == 200
    bare = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s*/\s*", "/", " ".join(bare.split()))


@pytest.fixture
def state(inspected: Any, get: Any) -> Any:
    """`state(at=10)`: the text of the State page of the registry's journal."""
    inspection = inspected(registry)
    return lambda **query: text_of(get(inspection, "report-state", **query))


def test_the_end_is_shown_first_with_counts_by_type(state: Any) -> None:
    page = state()
    assert "8 entities at offset 16 , the end of the journal" in page
    assert "artifact 1 config 1 connector 1 content item 2 global rule 1 version 2" in page
    assert "Showing" not in page


def test_an_offset_shows_what_was_held_then(state: Any) -> None:
    page = state(at=10, **{"as": "list"})
    assert "6 entities at offset 10" in page
    assert "group gone" in page
    assert "COMPATIBILITY config" not in page
    assert "config FULL" in state(at=12)
    assert "config NONE" in state(at=13)


def test_previous_and_next_change_step_along_the_journal(state: Any) -> None:
    page = state(at=11)
    assert "Previous change: 10" in page
    assert "Next change: 12" in page
    assert "Next change" not in state(at=13)
    assert "Previous change: 4" in state(at=16, under="pay/money", type="artifact")


def test_the_slider_has_restarts_and_findings_as_ticks_and_as_links(inspected: Any, get: Any) -> None:
    page = get(inspected(registry), "report-state").content.decode()
    assert 'type="range" id="state-at" name="at" min="0" max="16" step="1" value="16"' in page
    assert '<line class="strip-restart" x1="0.0"' in page
    assert '<line class="strip-finding flag-critical" x1="1000.0"' in page
    assert re.search(r'<a href="[^"]*at=0[^"]*">Offset 0</a>', page)


def test_an_offset_that_is_not_there_is_said_and_the_nearest_is_shown(state: Any) -> None:
    assert "Offset 99 is not in this dump, which contains 0 – 16; the nearest is shown." in state(at=99)
    assert "is not a whole number" in state(at="ten")


def test_a_type_a_name_and_an_id_narrow_the_list(state: Any) -> None:
    assert "Showing 2 entities matching the filters" in state(type="version")
    assert "Showing 3 entities matching the filters" in state(q="MONEY")
    assert "Showing 3 entities matching the filters" in state(under="pay/money")
    assert "No match" in state(q="nobody")


def test_versions_are_ordered_by_number(inspected: Any, get: Any) -> None:
    from tests.builders import other_table

    rows = [
        {"profile": "", "is_own": True, "view": "log", "entity_type": "version", "entity_id": f"a/{n}",
         "attributes": "{}", "valid_from_offset": 0, "origin_offset": 0}
        for n in (10, 2, 1)
    ]  # fmt: skip
    inspection = inspected(
        lambda folder: write_results(folder, records=records_table({}), state=other_table("state", *rows))
    )
    names = re.findall(
        r"<th scope=\"row\".*?>(\d+)</a></th>",
        get(inspection, "report-state", **{"as": "list"}).content.decode(),
    )
    assert names == ["1", "2", "10"]


def test_what_is_gone_and_what_is_rejected_can_be_asked_for(state: Any) -> None:
    assert "Showing 1 deleted entity" in state(show="gone")
    page = state(show="refused")
    assert "Showing 1 rejected entry" in page
    assert "No record of the journal contains the content; it needs the content item abc" in page
    assert "No rejected entries" in state(show="refused", at=13)


def test_the_outlook_counts_what_compaction_loses_revives_and_changes(state: Any) -> None:
    page = state()
    assert "lost: 1 content item, 1 version; reappear: 1 group; changed: 1 global rule" in page


def test_a_record_that_only_moved_is_no_difference(state: Any) -> None:
    page = state(against="next")
    assert "4 entities differ" in page
    assert "pay/money/2" not in page
    assert "Lost: 1 version pay/money/1" in page
    assert "Reappears: 1 group gone" in page
    assert "Changed: 1 global rule COMPATIBILITY config NONE → FULL" in page


def test_a_difference_of_two_offsets_says_added_removed_changed(state: Any) -> None:
    page = state(**{"from": 10, "to": 16})
    assert "Differences between offset 10 and offset 16" in page
    assert "Removed: 1 group gone" in page
    assert "Added: 1 global rule COMPATIBILITY config NONE" in page
    assert "Changed: 1 global rule COMPATIBILITY config FULL → NONE" in state(**{"from": 13, "to": 12})
    assert "Nothing changed" in state(**{"from": 14, "to": 16})


def test_differences_can_be_narrowed_and_say_of_how_many(state: Any) -> None:
    page = state(**{"from": 10, "to": 16, "type": "group", "difference": "removed"})
    assert "Showing 1 difference matching the filters, of 4" in page


def test_another_reading_is_chosen_by_the_address(state: Any) -> None:
    page = state(view="next")
    assert "7 entities at offset 16" in page
    assert ", after the next compaction." in page
    assert "7 entities at offset 16" in state(profile="other")


def test_readers_that_disagree_are_counted_and_compared(state: Any) -> None:
    assert "1 entity differs by the rules of 2 services. Compare with Other" in state()
    assert "Only here: 1 content item 2" in state(against="other")


def test_a_journal_with_one_reader_has_no_switch_of_readers(inspected: Any, get: Any) -> None:
    from tests.builders import other_table

    row = {"profile": "", "is_own": True, "view": "log", "entity_type": "a", "entity_id": "b",
           "attributes": "{}", "valid_from_offset": 0, "origin_offset": 0}  # fmt: skip
    inspection = inspected(
        lambda folder: write_results(folder, records=records_table({}), state=other_table("state", row))
    )
    page = text_of(get(inspection, "report-state"))
    assert "Read by" not in page
    assert "1 entity at offset" in page


def test_a_page_of_many_says_how_many_there_are(inspected: Any, get: Any) -> None:
    from tests.builders import other_table

    rows = [
        {"profile": "", "is_own": True, "view": "log", "entity_type": "a", "entity_id": f"{n:04}",
         "attributes": "{}", "valid_from_offset": 0, "origin_offset": 0}
        for n in range(450)
    ]  # fmt: skip
    inspection = inspected(
        lambda folder: write_results(folder, records=records_table({}), state=other_table("state", *rows))
    )
    assert "Showing 1 – 200 of 450 entities" in text_of(get(inspection, "report-state", **{"as": "list"}))
    last = get(inspection, "report-state", page=3, **{"as": "list"})
    assert "Showing 401 – 450 of 450 entities" in text_of(last)
    assert 'rel="next"' not in last.content.decode().split("</table>")[1]


def plain(folder: Path) -> Path:
    rows = [
        {"offset": 0, "key": b"a", "value": b"one"},
        {"offset": 1, "key": b"b", "value": b"two"},
        {"offset": 2, "key": b"a", "value": b"three"},
        {"offset": 3, "key": b"b", "value": None},
        {"offset": 4, "key": None, "value": b"no key"},
    ]
    return write_results(folder, records=records_table(*rows))


def test_a_plain_journal_shows_the_latest_value_of_each_key(inspected: Any, get: Any) -> None:
    inspection = inspected(plain)
    page = text_of(get(inspection, "report-state"))
    assert "A plain journal: the latest value of each key at the end" in page
    assert "Showing 1 key with a value" in page
    assert "a Record three" in page
    assert "Showing 2 keys" in text_of(get(inspection, "report-state", at=1))
    assert "No key matches" in text_of(get(inspection, "report-state", q="zzz"))


def test_a_plain_journal_shows_what_changed_between_two_offsets(inspected: Any, get: Any) -> None:
    page = text_of(get(inspected(plain), "report-state", **{"from": 1, "to": 4}))
    assert "2 keys differ." in page
    assert "removed b 1 two gone at 3" in page
    assert "changed a 0 one 2 three" in page


def test_a_journal_whose_replay_gave_nothing_says_so(inspected: Any, get: Any) -> None:
    from tests.webapp.reports.result_folder import report_document

    journals = [{"topic": "journal", "dialect": "some", "dialect_title": "Some language"}]
    inspection = inspected(
        lambda folder: write_results(folder, report_document(journals=journals), records=records_table({}))
    )
    page = text_of(get(inspection, "report-state"))
    assert "Replaying this journal (Some language) gave no entities" in page


def test_a_journal_type_that_is_not_replayed_says_so(inspected: Any, get: Any) -> None:
    from tests.webapp.reports.result_folder import report_document

    journals = [
        {"topic": "journal", "dialect": "some", "dialect_title": "Some language", "is_replayed": False}
    ]
    inspection = inspected(
        lambda folder: write_results(folder, report_document(journals=journals), records=records_table({}))
    )
    page = text_of(get(inspection, "report-state"))
    assert "Some language: Journalscope does not replay this journal type" in page
    assert "gave no entities" not in page


def test_a_partition_without_records_says_what_to_do(inspected: Any, get: Any) -> None:
    assert "No record of this partition could be read" in text_of(
        get(inspected(write_results), "report-state")
    )


def test_no_state_page_has_inline_styles_or_scripts(inspected: Any, get: Any) -> None:
    inspection = inspected(registry)
    queries: list[dict[str, Any]] = [{}, {"from": 1, "to": 9}, {"against": "next"}, {"show": "refused"}]
    for query in queries:
        html = get(inspection, "report-state", **query).content.decode()
        assert not re.search(r'\sstyle="|<style|<script>|\son\w+="', html)


def test_of_several_healthy_topics_the_one_with_a_state_is_shown_first(inspected: Any, get: Any) -> None:
    events = records_table(
        *({"topic": "events", "offset": offset} for offset in range(3)), {"topic": "journal"}
    )
    row = {"profile": "", "is_own": True, "view": "log", "entity_type": "artifact", "entity_id": "a", "topic": "journal",
           "attributes": "{}", "valid_from_offset": 0, "origin_offset": 0}  # fmt: skip
    held = other_table("state", row)
    inspection = inspected(lambda folder: write_results(folder, records=events, state=held))
    assert "1 entity at offset" in text_of(get(inspection, "report-state"))


def test_a_service_that_does_not_start_is_said_to(inspected: Any, get: Any) -> None:
    row = {"profile": "", "is_own": True, "view": "log", "entity_type": "artifact", "entity_id": "a",
           "attributes": "{}", "valid_from_offset": 0, "origin_offset": 0}  # fmt: skip
    weird = {"offset": 1, "decode_error": "Odd.", "attributes": {"effect": "fatal"}}
    inspection = inspected(
        lambda folder: write_results(
            folder,
            records=records_table({}, {"offset": 1}),
            entries=entries_table({"offset": 0}, weird),
            state=other_table("state", row),
        )
    )
    assert "it does not get past offset 1 of this journal" in text_of(get(inspection, "report-state"))
    assert "does not get past" not in text_of(get(inspection, "report-state", at=0))


def test_what_rejected_entries_lack_is_counted_and_leads_to_its_finding(inspected: Any, get: Any) -> None:
    def results(folder: Path) -> Path:
        registry(folder)
        path = folder / "report.json"
        document = json.loads(path.read_text())
        document["findings"] = [finding("gone", title="Content abc is lost", evidence=[14])]
        path.write_text(json.dumps(document))
        return folder

    inspection = inspected(results)
    page = text_of(get(inspection, "report-state"))
    assert (
        "1 content item is missing, which rejected entries need. The incident is “ Content abc is lost ”."
        in page
    )
    assert "present 8 deleted 1 rejected 1" in page
    assert "is missing" not in text_of(get(inspection, "report-state", at=13))
