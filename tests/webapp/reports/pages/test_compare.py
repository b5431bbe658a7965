"""Comparing from a report: what may be chosen, who may ask, what the page shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.builders import files_table, other_table, records_table
from tests.webapp.reports.result_folder import write_results
from webapp.journals.models import Comparison, Inspection

pytestmark = pytest.mark.django_db

RESULT = {
    "schema": 1,
    "equal": False,
    "sentence": "before and after contain different records of journal-0 at offset 2.",
    "left": "before",
    "right": "after",
    "only_left": ["gone-0"],
    "only_right": [],
    "partitions": [
        {
            "topic": "journal",
            "partition": 0,
            "left": {
                "topic": "journal",
                "partition": 0,
                "replica": "a",
                "label": "a",
                "last_offset": 2,
                "first_offset": 0,
            },
            "right": {
                "topic": "journal",
                "partition": 0,
                "replica": "",
                "label": "after",
                "last_offset": 7,
                "first_offset": 0,
            },
            "sentence": "",
            "record_sentence": "Before and After contain different records of journal-0 at offset 2.",
            "counts": {"equal": 2, "different": 1, "damaged": 0, "left": 0, "right": 5},
            "ranges": [
                {"kind": "equal", "first_offset": 0, "last_offset": 1, "records": 2},
                {"kind": "different", "first_offset": 2, "last_offset": 2, "records": 1},
                {"kind": "right", "first_offset": 3, "last_offset": 7, "records": 5},
            ],
            "ranges_left_out": 0,
            "examples": [
                {
                    "offset": 2,
                    "kind": "different",
                    "left": {"key": "k", "value": "<b>"},
                    "right": {"key": "k", "value": None},
                    "differs": ["value"],
                }
            ],
        }
    ],
}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What was put into the queue."""
    messages: list[tuple[Any, ...]] = []
    monkeypatch.setattr("webapp.celery_client.send", lambda *message: messages.append(message))
    return messages


def done(left: Any, right: Any) -> Comparison:
    return Comparison.objects.create(
        left=left, right=right, state="done", result=RESULT, requested_at=timezone.now()
    )


def one_partition_twice(folder: Path) -> Path:
    rows = [{"offset": 0, "replica": name} for name in ("a", "b")]
    return write_results(folder, records=records_table(*rows))


def test_the_report_leads_to_the_choice_and_the_choice_to_other_finished_inspections(
    inspected: Any, get: Any
) -> None:
    here, other, running = inspected(), inspected(), inspected(state="running")
    assert reverse("report-compare", args=[here.pk]) in get(here, "report-overview").content.decode()
    page = get(here, "report-compare").content.decode()
    assert reverse("report-comparison-start", args=[here.pk, other.pk]) in page
    assert str(running.pk) not in page
    assert "more than once" not in page


def test_a_name_narrows_the_choice(inspected: Any, get: Any) -> None:
    here, other = inspected(), inspected()
    assert str(other.pk) in get(here, "report-compare", q="SQL-journal").content.decode()
    assert str(other.pk) not in get(here, "report-compare", q="nothing like it").content.decode()


def test_inspections_of_other_topics_are_folded(inspected: Any, get: Any) -> None:
    here, other, same = inspected(), inspected(), inspected()
    for inspection, topics in ((here, ["a"]), (other, ["b"]), (same, ["a"])):
        inspection.summary = {"topics": topics}
        inspection.save()
    page = get(here, "report-compare").content.decode()
    first, fold = page.split("1 inspection of other topics")
    assert str(same.pk) in first
    assert str(other.pk) not in first
    assert str(other.pk) in fold
    assert '<details class="section-foot">' in first
    assert '<details class="section-foot" open>' in get(here, "report-compare", q="journal").content.decode()


def test_of_each_journal_only_the_newest_inspection_is_offered(inspected: Any, get: Any) -> None:
    here, older, newer = inspected(), inspected(), inspected()
    Inspection.objects.filter(pk=newer.pk).update(journal=older.journal)
    page = get(here, "report-compare").content.decode()
    assert str(newer.pk) in page
    assert str(older.pk) not in page
    assert str(newer.pk) in get(older, "report-compare").content.decode()
    assert str(older.pk) not in get(newer, "report-compare").content.decode()


def test_copies_within_one_inspection_may_be_compared(inspected: Any, get: Any) -> None:
    here = inspected(one_partition_twice)
    page = get(here, "report-compare").content.decode()
    assert "journal-0" in page
    assert reverse("report-comparison-start", args=[here.pk, here.pk]) in page


def test_asking_sends_one_task_and_asking_again_sends_none(
    inspected: Any, owner: Any, sign_in: Any, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    left, right = inspected(), inspected()
    address = reverse("report-comparison-start", args=[left.pk, right.pk])
    with django_capture_on_commit_callbacks(execute=True):
        answer = sign_in(owner).post(address)
        sign_in(owner).post(address)
    comparison = Comparison.objects.get()
    assert answer.url == reverse("report-comparison", args=[left.pk, right.pk])
    assert sent == [("journalscope.compare", str(comparison.pk))]


def test_a_failed_comparison_may_be_asked_for_again(
    inspected: Any, owner: Any, sign_in: Any, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    left, right = inspected(), inspected()
    failed = done(left, right)
    Comparison.objects.filter(pk=failed.pk).update(state="failed", error="No results.", result=None)
    page = sign_in(owner).get(reverse("report-comparison", args=[left.pk, right.pk])).content.decode()
    assert "No results." in page
    assert "Compare again" in page
    with django_capture_on_commit_callbacks(execute=True):
        sign_in(owner).post(reverse("report-comparison-start", args=[left.pk, right.pk]))
    assert len(sent) == 1
    assert Comparison.objects.get().state == "queued"


def test_the_page_polls_until_it_is_done(inspected: Any, get: Any) -> None:
    left, right = inspected(), inspected()
    comparison = done(left, right)
    state = reverse("report-comparison-state", args=[left.pk, right.pk])
    assert state not in get(left, "report-comparison", right.pk).content.decode()
    Comparison.objects.filter(pk=comparison.pk).update(state="running", result=None)
    assert state in get(left, "report-comparison", right.pk).content.decode()
    assert state in get(left, "report-comparison-state", right.pk).content.decode()


def test_the_result_begins_with_the_sentence_and_links_the_records_of_both_sides(
    inspected: Any, get: Any
) -> None:
    left, right = inspected(), inspected()
    done(left, right)
    page = get(left, "report-comparison", right.pk).content.decode()
    assert RESULT["partitions"][0]["record_sentence"] in page
    assert "Only in Before: <span" in page
    records = [reverse("report-records", args=[one.pk]) for one in (left, right)]
    assert f"{records[0]}?topic=journal&amp;partition=0&amp;replica=a&amp;offset=2" in page
    assert f"{records[1]}?topic=journal&amp;partition=0&amp;offset=2" in page
    assert f"{records[0]}?topic=journal&amp;partition=0&amp;replica=a&amp;offset=3" not in page
    assert page.count('class="compare-different" x="250.00" y="0" width="125.00"') == 2
    assert page.count('class="compare-new" x="375.00" y="0" width="625.00"') == 1
    assert "&lt;b&gt;" in page


def test_a_ticket_is_created_from_the_comparison_too(inspected: Any, get: Any, project: Any) -> None:
    project.ticket_template = "https://tickets.example.org/new?title={summary}&u={url}"
    project.save()
    left, right = inspected(), inspected()
    assert "Create ticket" not in get(left, "report-comparison", right.pk).content.decode()
    done(left, right)
    address = reverse("report-comparison", args=[left.pk, right.pk])
    sentence, url = (
        quote(RESULT["partitions"][0]["record_sentence"]),
        quote(f"http://testserver{address}", safe=""),
    )
    page = get(left, "report-comparison", right.pk).content.decode()
    assert f'href="https://tickets.example.org/new?title={sentence}&amp;u={url}" target="_blank"' in page


def test_a_viewer_reads_and_does_not_start(
    inspected: Any, viewer: Any, sign_in: Any, sent: list[Any]
) -> None:
    left, right = inspected(), inspected()
    assert (
        "<form method"
        not in sign_in(viewer)
        .get(reverse("report-comparison", args=[left.pk, right.pk]))
        .content.decode()
        .split("<main")[-1]
    )
    assert (
        sign_in(viewer).post(reverse("report-comparison-start", args=[left.pk, right.pk])).status_code == 403
    )
    assert sent == []


@pytest.mark.parametrize("name", ["report-comparison", "report-comparison-state", "report-comparison-start"])
def test_a_stranger_gets_404_everywhere(name: str, inspected: Any, stranger: Any, sign_in: Any) -> None:
    left, right = inspected(), inspected()
    client, address = sign_in(stranger), reverse(name, args=[left.pk, right.pk])
    assert (client.post(address) if name.endswith("start") else client.get(address)).status_code == 404
    assert sign_in(stranger).get(reverse("report-compare", args=[left.pk])).status_code == 404


def test_an_inspection_that_is_not_there_is_404(inspected: Any, get: Any) -> None:
    here = inspected()
    unknown = "00000000-0000-0000-0000-000000000000"
    assert get(here, "report-comparison", unknown).status_code == 404


NAMES = ("n1", "n1-later", "n2", "journal-0.51c8c1c3-delete")
BUTTON = "Compare the copies with each other"


def copied(*names: str, topic: str = "journal", layouts: tuple[str, ...] = ("log-segment",)) -> Any:
    """A record in each of these copies; n1 and n1-later lie on one broker."""
    ids = {"n1": "1", "n1-later": "1", "n2": "2"}
    files = [
        {"file": number, "replica": name, "topic": topic, "layout": layouts[number % len(layouts)]}
        for number, name in enumerate(names)
    ]
    properties = [{"replica": name, "name": "broker.id", "value": ids[name]} for name in names if name in ids]
    return lambda folder: write_results(
        folder,
        files=files_table(*files),
        records=records_table(*({"replica": name, "topic": topic} for name in names)),
        properties=other_table("properties", *properties, topic="?"),
    )


def test_replicas_are_offered_for_comparison(inspected: Any, get: Any) -> None:
    page = get(inspected(copied(*NAMES)), "report-compare").content.decode()
    assert BUTTON in page
    assert "journal-0</span>" in page


@pytest.mark.parametrize(
    "make",
    [
        copied("n1", "n1-later"),
        copied("n1", "journal-0.51c8c1c3-delete"),
        copied("n1 (cluster A)", "n2 (cluster B)"),
        copied("n1", "n2", topic="?"),
        copied("n1", "n2", layouts=("log-segment", "kcat-json")),
    ],
    ids=["one broker twice", "left over", "two clusters", "no topic", "segments and a print"],
)
def test_copies_that_are_no_replicas_are_not_offered(inspected: Any, get: Any, make: Any) -> None:
    assert BUTTON not in get(inspected(make), "report-compare").content.decode()


def test_the_page_has_a_table_of_what_the_cleaning_did(inspected: Any, get: Any) -> None:
    left, right = inspected(), inspected()
    model = {"families": ["3.1 and later"], "removed": 4, "lost": 1, "lost_offsets": [3], "lost_keys": ["<key-7>"],
             "ahead": 0, "overdue": 0, "waiting": {"horizon": 2}, "last_horizon_ms": 1_700_000_000_000,
             "map_was_full": False, "defect": None}  # fmt: skip
    cleaned = {"side": "right", "gone": {"superseded": 4}, "gone_offsets": {"superseded": [1]}, "point_offset": 1234,
               "point_is_from": "checkpoint", "stayed": 0, "stayed_offsets": [], "model": model}  # fmt: skip
    result = RESULT | {"partitions": [RESULT["partitions"][0] | {"cleaned": [cleaned]}]}
    comparison = done(left, right)
    comparison.result = result
    comparison.save()
    page = get(left, "report-comparison", right.pk).content.decode()
    assert "The clean section ends at offset 1234, according to the checkpoint." in page
    assert "&lt;key-7&gt;" in page
    assert "2023-11-14 22:13:20.000" in page
    assert "and 3 more" in page
    assert "The log cleaner works like that of brokers 3.1 and later." in page
    model["families"] = ["3.0 and earlier", "3.1 and later"]
    comparison.save()
    assert "The log cleaner works like" not in get(left, "report-comparison", right.pk).content.decode()


def test_a_side_names_its_first_and_last_record_not_the_bounds_of_its_log(inspected: Any, get: Any) -> None:
    left, right = inspected(), inspected()
    copy = {
        "topic": "journal",
        "partition": 0,
        "replica": "",
        "first_offset": 0,
        "last_offset": 9,
        "records": 5,
    }
    sides = {"left": copy | {"first_record_offset": 1, "last_record_offset": 7}, "right": copy}
    comparison = done(left, right)
    comparison.result = RESULT | {"partitions": [RESULT["partitions"][0] | sides]}
    comparison.save()
    page = get(left, "report-comparison", right.pk).content.decode()
    assert ", offsets 1-7" in page
    assert ", offsets 0-9" not in page


def test_the_headline_of_several_partitions_is_what_they_lost(inspected: Any, get: Any) -> None:
    left, right = inspected(), inspected()
    one = RESULT["partitions"][0]
    lost = {
        "before": "left", "counts": dict.fromkeys(("lost", "same"), 1), "shown": [],
        "sentence": "Between these dumps content 4 was lost.",
    }  # fmt: skip
    comparison = done(left, right)
    comparison.result = RESULT | {"partitions": [one, one | {"entities": lost}]}
    comparison.save()
    page = get(left, "report-comparison", right.pk).content.decode()
    heading = page[page.index('id="comparison-sentence"') : page.index("</h1>")]
    assert "Between these dumps content 4 was lost." in heading
    assert RESULT["sentence"] not in heading
    assert f"<p>{RESULT['sentence']}</p>" in page


def test_the_headline_counts_what_the_table_names_and_a_reason_of_all_is_said_once(
    inspected: Any, get: Any
) -> None:
    left, right = inspected(), inspected()
    one = RESULT["partitions"][0]
    rows = [
        {"kind": "lost", "entity_type": "content", "entity_id": str(number), "before": "{}", "after": None,
         "before_offset": number, "after_offset": None}
        for number in (61, 63, 48)
    ]  # fmt: skip
    lost = {
        "before": "left", "counts": {"lost": 3, "same": 1}, "shown": rows,
        "sentence": "Between these dumps 3 content items (61, 63 and 48) were lost.",
    }  # fmt: skip
    comparison = done(left, right)
    comparison.result = RESULT | {"partitions": [one | {"entities": lost}]}
    comparison.save()
    page = get(left, "report-comparison", right.pk).content.decode()
    heading = page[page.index('id="comparison-sentence"') : page.index("</h1>")]
    assert "Between these dumps 3 content items were lost." in heading
    assert "61, 63" not in heading
    group = page[page.index("Lost</h3>") :]
    assert group[: group.index("</table>")].count("No record of After deletes it.") == 1
    assert "rowspan" not in page
