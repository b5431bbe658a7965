"""Hollow marks lead to the record in the report of the dump that has it: not into other projects, and from no share."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.builders import other_table, records_table
from tests.webapp.reports.pages.test_repair import BROKEN, OF_THE_SAME, done
from tests.webapp.reports.result_folder import write_results
from webapp.accounts.models import Project
from webapp.journals.models import Journal

OLDER = {
    "topic": "journal", "partition": 0, "replica": "", "entity_type": "content", "entity_id": "48", "dump": "monday.json",
    "dumped_at_ms": 5, "attributes": "{}", "origin_offset": 3,
}  # fmt: skip
PINNED = {"lanes": "entity", "pin": "entity:content:48"}


def compacted(folder: Path) -> Path:
    """What is left of the journal: the record at offset 3 is only in the older dump."""
    rows = [{"key": b"k%d" % offset, "offset": offset} for offset in (0, 1, 7)]
    return write_results(
        folder, records=records_table(*rows), older_entities=other_table("older_entities", OLDER)
    )


def whole(folder: Path) -> Path:
    """The older dump."""
    return write_results(folder, records=records_table(*({"key": b"k%d" % offset} for offset in range(5))))


@pytest.fixture
def dumps(inspected: Any) -> tuple[Any, Any]:
    """The older dump's inspection and the newer one's."""
    older, newer = inspected(whole), inspected(compacted)
    begun = newer.journal.created_at - timedelta(days=1)
    Journal.objects.filter(pk=older.journal_id).update(
        name="monday.json", lineage=newer.journal.lineage, created_at=begun
    )
    return older, newer


def hollow(answer: Any) -> list[dict[str, Any]]:
    """The marks of other dumps in the answer of a figure."""
    return [point for point in answer.json()["points"] if point["kind"] == "other-dump"]


def test_a_hollow_mark_leads_to_the_record_in_the_older_dump(dumps: tuple[Any, Any], get: Any) -> None:
    older, newer = dumps
    (point,) = hollow(get(newer, "report-timeline-figure", **PINNED))
    assert (point["x"], point["words"]) == (3, "offset 3, only in monday.json")
    assert point["url"] == reverse("report-record", args=[older.pk, 3])
    assert get(older, "report-record", 3).status_code == 200


def test_an_older_dump_that_was_moved_to_another_project_gets_no_link(
    dumps: tuple[Any, Any], get: Any
) -> None:
    older, newer = dumps
    elsewhere = Project.objects.create(name="Elsewhere", slug="elsewhere")
    Journal.objects.filter(pk=older.journal_id).update(project=elsewhere)
    (point,) = hollow(get(newer, "report-timeline-figure", **PINNED))
    assert "url" not in point


def test_an_older_dump_whose_results_are_gone_gets_no_link(dumps: tuple[Any, Any], get: Any) -> None:
    older, newer = dumps
    (older.results / "tables.json").unlink()
    (point,) = hollow(get(newer, "report-timeline-figure", **PINNED))
    assert "url" not in point


def test_a_share_has_the_mark_and_no_link(dumps: tuple[Any, Any], share: Any, guest: Client) -> None:
    _, token = share(dumps[1], payloads=True, keys=True, names=True)
    answer = guest.get(f"/s/{token}/timeline/figure.json", PINNED)
    (point,) = hollow(answer)
    assert point["x"] == 3
    assert "url" not in point


def test_a_share_says_nothing_of_the_dumps_of_a_repair(inspected: Any, share: Any, guest: Client) -> None:
    broken, older = inspected(BROKEN, **OF_THE_SAME), inspected(BROKEN)
    Journal.objects.filter(pk=older.journal_id).update(name="the dump that has it")
    done(broken, older)
    _, token = share(broken, payloads=True, keys=True, names=True)
    pages = [guest.get(f"/s/{token}/{path}", follow=True) for path in ("", "findings/", "timeline/")]
    assert any("is lost" in page.content.decode() for page in pages)
    for page in pages:
        assert "the dump that has it" not in page.content.decode()
