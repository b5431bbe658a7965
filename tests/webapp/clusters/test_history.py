"""A journal's history: dumps of one lineage over time, and what changed since one of them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.builders import records_table
from tests.webapp.reports.conftest import inspected
from tests.webapp.reports.result_folder import write_results
from webapp.clusters.history import a_day_before, changes, points
from webapp.journals.models import Inspection, Journal

__all__ = ["inspected"]


def holding(*keys: bytes) -> Any:
    """Writes results of so many records."""

    def make(folder: Path) -> Path:
        rows = [{"offset": at, "key": key} for at, key in enumerate(keys)]
        return write_results(folder, records=records_table(*rows))

    return make


@pytest.fixture
def dumps(inspected: Any) -> list[Inspection]:
    """Two dumps of one log, of yesterday and of today."""
    summary = {"records": 2, "keys": 2, "open_findings": {"high": 1}}
    first = inspected(holding(b"a", b"b"), summary=summary, verdict_level="ok", verdict_sentence="Fine.")
    second = inspected(
        holding(b"a", b"b", b"a", b"c"), summary=summary, verdict_level="ok", verdict_sentence="Fine."
    )
    yesterday = timezone.now() - timedelta(hours=25)
    Journal.objects.filter(pk=first.journal_id).update(created_at=yesterday, complete_at=yesterday)
    Journal.objects.filter(pk=second.journal_id).update(lineage=first.journal.lineage)
    return [Inspection.objects.get(pk=one.pk) for one in (first, second)]


def test_the_dumps_of_the_lineage_in_their_order(dumps: list[Inspection], owner: Any) -> None:
    assert [point.inspection for point in points(dumps[1].journal, owner)] == dumps


def test_dumps_of_other_journals_are_no_part_of_it(dumps: Any, inspected: Any, owner: Any) -> None:
    assert len(points(inspected().journal, owner)) == 1


def test_a_day_ago_is_the_newest_dump_that_is_a_day_old_or_the_oldest(dumps: Any, owner: Any) -> None:
    first, second = points(dumps[1].journal, owner)
    assert a_day_before([first, second]) == first
    assert a_day_before([second]) is None


def test_what_changed_is_counted_by_key_and_leads_to_the_difference_of_state(dumps: Any, owner: Any) -> None:
    found = changes(*points(dumps[1].journal, owner))
    (row,) = found.rows
    assert (row.offsets, row.added, row.changed, row.removed) == (2, 1, 1, 0)
    assert "from=1&to=3" in row.state_url
    assert str(dumps[1].pk) in row.state_url


def test_results_that_are_gone_are_named(dumps: Any, owner: Any) -> None:
    (dumps[0].results / "tables.json").unlink()
    assert "no longer exist" in changes(*points(dumps[1].journal, owner)).note


def test_the_page_its_figure_and_the_way_to_it(dumps: Any, owner: Any, sign_in: Any) -> None:
    journal = dumps[1].journal_id
    client = sign_in(owner)
    address = reverse("journal-history", args=[journal])
    assert address.encode() in client.get(reverse("journal", args=[journal])).content
    page = client.get(address).content.decode()
    assert "What changed since" in page
    assert client.get(reverse("report-state", args=[dumps[1].pk]), {"from": 1, "to": 3}).status_code == 200
    figure = client.get(reverse("journal-history-figure", args=[journal])).json()["figure"]
    assert [trace["name"] for trace in figure["data"]] == ["size", "keys", "high"]
    assert figure["data"][1]["y"] == [2, 2]
    assert figure["layout"]["xaxis"]["title"]["text"] == "captured or uploaded, UTC"
    local = client.get(reverse("journal-history-figure", args=[journal]), {"zone": "Asia/Tokyo"}).json()[
        "figure"
    ]
    assert local["layout"]["xaxis"]["title"]["text"] == "captured or uploaded, UTC+09:00"
    hours = [int(shown["data"][0]["x"][0][11:13]) for shown in (figure, local)]
    assert (hours[1] - hours[0]) % 24 == 9


def test_a_journal_alone_has_no_way_to_a_history(inspected: Any, owner: Any, sign_in: Any) -> None:
    journal = inspected().journal_id
    assert b"/history/" not in sign_in(owner).get(reverse("journal", args=[journal])).content


def test_a_stranger_sees_no_history(dumps: Any, stranger: Any, sign_in: Any) -> None:
    for name in ("journal-history", "journal-history-figure"):
        assert sign_in(stranger).get(reverse(name, args=[dumps[0].journal_id])).status_code == 404
