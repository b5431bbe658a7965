"""Pages Transactions and Log, and the switches of isolation level and cleaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.builders import files_table
from tests.webapp.reports.ledger import ledger
from tests.webapp.reports.result_folder import incident, write_results

pytestmark = pytest.mark.django_db
Get = Callable[..., Any]


def test_the_transactions_page_says_where_committed_readers_stop(
    inspected: Callable[..., Any], get: Get
) -> None:
    page = get(inspected(ledger), "report-transactions").content.decode()
    assert "3 transactions: 1 committed, 1 aborted, 1 open." in page
    assert "stop at offset 6" in page
    assert "not in the broker&#x27;s index" in page or "not in the broker's index" in page


def test_transactions_are_filtered_by_outcome(inspected: Callable[..., Any], get: Get) -> None:
    page = get(inspected(ledger), "report-transactions", outcome="aborted").content.decode()
    assert "Showing 1 transaction matching the filters, of 3" in page


def test_the_figure_of_transactions_has_a_span_for_each(inspected: Callable[..., Any], get: Get) -> None:
    figure = get(inspected(ledger), "report-transactions-figure").json()["figure"]
    spans = {trace["meta"]: trace["x"] for trace in figure["data"]}
    assert spans == {"committed": [0, 2], "aborted": [3, 4], "open": [6, 8.5]}
    assert figure["layout"]["shapes"][0]["x0"] == 5.5


def test_the_isolation_level_leaves_what_its_readers_get(inspected: Callable[..., Any], get: Get) -> None:
    inspection = inspected(ledger)
    page = get(inspection, "report-transactions", isolation="read_committed").content.decode()
    assert "Showing 1 transaction matching the filters, of 3" in page
    figure = get(inspection, "report-transactions-figure", isolation="read_committed").json()["figure"]
    assert [trace["meta"] for trace in figure["data"]] == ["committed"]


def test_a_journal_without_transactions_says_so(inspected: Callable[..., Any], get: Get) -> None:
    inspection = inspected(incident)
    assert "No transactions" in get(inspection, "report-transactions").content.decode()
    assert get(inspection, "report-transactions-figure").json()["figure"] is None
    assert "Isolation" not in get(inspection, "report-records").content.decode()


def test_the_log_page_shows_epochs_of_both_origins_and_the_cleaner(
    inspected: Callable[..., Any], get: Get
) -> None:
    page = get(inspected(ledger), "report-log").content.decode()
    assert "no batch carries it" in page
    assert "Cleaned up to offset 2." in page
    assert "The next cleaning ends before offset 6 (open transaction) and removes 2 records." in page


def test_the_map_of_the_log_has_its_lanes(inspected: Callable[..., Any], get: Get) -> None:
    figure = get(inspected(ledger), "report-log-figure").json()["figure"]
    lanes = figure["layout"]["yaxis"]["ticktext"]
    assert lanes == ["Segments", "Format", "Leader epoch", "Missing", "Cleaner"]
    cleaner = figure["data"][lanes.index("Cleaner")]
    assert cleaner["base"] == [-0.5, 1.5, 5.5]
    assert cleaner["x"] == [2, 4, 3]


def test_a_source_without_batches_says_what_to_bring(inspected: Callable[..., Any], get: Get) -> None:
    inspection = inspected(lambda folder: write_results(folder, files=files_table({"kind": "export"})))
    assert "tar -czf TOPIC-0.tar.gz -C LOG_DIR TOPIC-0" in get(inspection, "report-log").content.decode()


@pytest.mark.parametrize("name", ["report-records", "report-keys", "report-timeline"])
def test_the_switches_keep_the_other_choice(inspected: Callable[..., Any], get: Get, name: str) -> None:
    page = get(inspected(ledger), name, isolation="read_committed").content.decode()
    assert "isolation=read_committed&amp;cleaned=1" in page
    assert 'aria-current="true">read_committed' in page


def test_the_timeline_draws_what_the_reader_sees(inspected: Callable[..., Any], get: Get) -> None:
    inspection = inspected(ledger)
    drawn = {
        isolation: get(inspection, "report-timeline-figure", isolation=isolation).json()["total"]
        for isolation in ("read_uncommitted", "read_committed")
    }
    assert drawn == {"read_uncommitted": 8, "read_committed": 3}


@pytest.mark.parametrize(
    "name",
    ["report-transactions", "report-transactions-figure", "report-log", "report-log-figure"],
)
def test_a_stranger_finds_nothing(
    inspected: Callable[..., Any], sign_in: Any, stranger: Any, name: str
) -> None:
    from django.urls import reverse

    assert sign_in(stranger).get(reverse(name, args=[inspected(ledger).id])).status_code == 404
