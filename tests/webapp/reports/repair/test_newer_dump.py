"""A report knows a newer dump of its log, proven by the records that both have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.builders import records_table
from tests.webapp.reports.pages.test_repair import OF_THE_SAME, done, finding, words
from tests.webapp.reports.pages.test_repair import journal as journal_of
from tests.webapp.reports.result_folder import write_results
from webapp.accounts.models import Project
from webapp.journals.models import Inspection, Journal

pytestmark = pytest.mark.django_db

NEWER = "A newer dump of this topic is here"
START_MS = 1_000


def log(offsets: Iterable[int], start_ms: int = START_MS) -> Callable[[Path], Path]:
    """Results of a journal at risk with a record at each of these offsets, a millisecond apart."""

    def make(folder: Path) -> Path:
        made = journal_of(finding("content-null-update"))(folder)
        rows = ({"offset": n, "timestamp_ms": start_ms + n, "key": b"key %d" % n} for n in offsets)
        return write_results(folder, report=_document(made), records=records_table(*rows))

    return make


def _document(folder: Path) -> Any:
    import json

    return json.loads((folder / "report.json").read_text())


@pytest.fixture
def dump(inspected: Any) -> Callable[..., Inspection]:
    """`dump(offsets)`: an inspected dump with a record at each of them; `last_ms`: time of the newest."""

    def inspect(offsets: Iterable[int], start_ms: int = START_MS) -> Inspection:
        numbers = list(offsets)
        summary = {
            **OF_THE_SAME["summary"],
            "last_timestamp_ms": start_ms + max(numbers),
            "first_timestamp_ms": start_ms + min(numbers),
            "headline": "4 artifacts are lost. 1 note.",
        }
        one: Inspection = inspected(log(numbers, start_ms), summary=summary, verdict_level="critical")
        return one

    return inspect


def test_a_newer_dump_is_named_above_a_report_and_its_repair(dump: Any, get: Any) -> None:
    newer, older = dump([0, 2, 3, 5, 6]), dump(range(5))  # the newer one was uploaded first, and is compacted
    Journal.objects.filter(pk=newer.journal_id).update(name="later")
    done(older, older)
    for page in ("report-overview", "report-repair"):
        shown = get(older, page).content.decode()
        assert "here: later (dump of" in words(shown)
        assert (
            "4 artifacts are lost. 1 note. The newer dump has 2 records after offset 4, the last one of this dump."
            in words(shown)
        )
        assert NEWER not in get(newer, page).content.decode()
    assert 'class="btn" href' in shown.partition("Download the repair")[0][-200:]
    assert "Recommended" not in shown


def test_the_banner_of_an_overview_has_the_button_too(dump: Any, get: Any) -> None:
    """A phone shows it: What to do is below its first screen."""
    newer, older = dump(range(7)), dump(range(5))
    banner = (
        get(older, "report-overview")
        .content.decode()
        .partition('class="newer-dump')[2]
        .partition("</div>")[0]
    )
    assert f'<a class="newer-open" href="/inspections/{newer.pk}/report/">Open the newer dump</a>' in banner
    assert "btn-primary" not in banner, "What to do has the page's one filled button"


def test_the_plan_leads_to_the_newer_dump(dump: Any, get: Any) -> None:
    newer, older = dump(range(7)), dump(range(5))
    done(older, older)
    plan = get(older, "report-overview").content.decode().partition('class="incident-plan"')[2]
    assert (
        f'<a class="btn btn-primary" href="/inspections/{newer.pk}/report/">Open the newer dump</a>' in plan
    )
    assert plan.count("btn-primary") == 1
    assert "A repair of this dump is for the topic as it was up to offset 4." in plan


@pytest.mark.parametrize(
    ("offsets", "start_ms"),
    [(range(9), START_MS + 3), ([0, 4, 7, 8], START_MS), (range(5), START_MS), (range(9, 20), START_MS)],
    ids=["another cluster", "two records of both", "no record more", "no record of both"],
)  # fmt: skip
def test_what_is_not_proven_to_be_a_newer_dump_of_the_log_is_not_named(
    dump: Any, get: Any, offsets: Iterable[int], start_ms: int
) -> None:
    older = dump(range(5))
    dump(offsets, start_ms)
    assert NEWER not in get(older, "report-overview").content.decode()


def test_one_record_of_another_time_shows_another_log(dump: Any, inspected: Any, get: Any) -> None:
    older, newer = dump(range(5)), dump(range(9))
    write_results(
        newer.results,
        report=_document(newer.results),
        records=records_table(
            *({"offset": n, "timestamp_ms": START_MS + n + (n == 2), "key": b"key %d" % n} for n in range(9))
        ),
    )
    assert NEWER not in get(older, "report-overview").content.decode()


def test_a_dump_that_the_reader_may_not_see_is_not_named(dump: Any, get: Any) -> None:
    older, newer = dump(range(5)), dump(range(9))
    elsewhere = Project.objects.create(name="Elsewhere", slug="elsewhere")
    Journal.objects.filter(pk=newer.journal_id).update(project=elsewhere)
    assert NEWER not in get(older, "report-overview").content.decode()


def test_a_ticket_of_an_older_dump_leads_to_the_newer_one(dump: Any, get: Any) -> None:
    newer, older = dump(range(7)), dump(range(5))
    Journal.objects.filter(pk=newer.journal_id).update(name="later")
    newer.summary |= {"headline": "4 artifacts return 404"}
    newer.verdict_level = "critical"
    newer.save()
    page = words(get(older, "report-overview").content.decode())
    assert "The newer dump later: Critical. 4 artifacts return 404." in page
    assert (
        "Follow the steps of the newer dump. "
        "A repair of this dump is for the topic as it was up to offset 4. Report of the newer dump: http://testserver/"
        in page
    )
