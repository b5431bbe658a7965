"""Records, keys, their lives, State and a record's own page say what became of the transaction that a record belongs to."""

from __future__ import annotations

import re
from html import unescape
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.spark.transaction_logs import abort, data, plain
from tests.spark.transaction_logs import commit as committed
from tests.spark.transaction_logs import log as write_log
from tests.spark.whole_pipeline import report_of

BATCHES = [plain(0), data(1), abort(2), data(3), committed(4), data(5)]


@pytest.fixture
def pages(inspected: Any, get: Any, tmp_path: Path) -> Any:
    """`pages("report-records")`: the text of a page of a log with an aborted, a committed and an open transaction."""
    inspection = inspected(lambda results: report_of(write_log(tmp_path / "input", BATCHES), results))

    def text(name: str, *args: Any, tags: bool = False, **query: Any) -> str:
        response = get(inspection, name, *args, **query)
        if response.status_code == HTTPStatus.FOUND:
            response = get(
                inspection, "report-key", response.url.rstrip("/").rpartition("/")[2].partition("?")[0]
            )
        page = response.content.decode()
        if tags:
            return page
        return " ".join(re.sub(r"<[^>]+>", " ", page[page.index("<main") :]).split())

    return text


def test_the_list_marks_each_record_of_a_transaction(pages: Any) -> None:
    page = pages("report-records")
    rows = re.findall(r"(\d) 2024-02-08 [\d:.]+ (.*?)(?= \d 2024|$)", page)
    outcomes = [re.search(r"\b(aborted|committed|open)$|\b(open) ", row) for _, row in rows]
    assert [outcome and outcome.group().strip() for outcome in outcomes] == [
        None, "aborted", None, "committed", None, "open",
    ]  # fmt: skip


def test_a_reader_of_committed_data_sees_committed_ones_alone(pages: Any) -> None:
    page = pages("report-records", isolation="read_committed")
    assert "B committed" in page
    assert "B open" not in page


def test_a_records_page_says_it_beside_its_producer(pages: Any) -> None:
    assert "in an aborted transaction" in pages("report-record", 1)
    assert "in a committed transaction" in pages("report-record", 3)
    assert "in an open transaction" in pages("report-record", 5)


def test_a_records_page_says_the_outcome_at_its_head(pages: Any) -> None:
    assert "Outcome aborted Same key" in pages("report-record", 1)
    assert re.search(
        r"Outcome open · hidden from read_committed consumers ?: the last stable offset .*?is 5 Same key",
        pages("report-record", 5),
    )
    assert "Outcome" not in pages("report-record", 0)


def test_a_markers_page_says_what_it_ends_and_what_its_bytes_mean(pages: Any) -> None:
    page = pages("report-record", 4)
    assert "Kind COMMIT marker: ends the transaction of producer 0, producer epoch 0" in page
    assert "version 0, type COMMIT" in page
    assert "version 0, coordinator epoch 0" in page
    assert "in a transaction" not in page
    assert "version 0, type ABORT" in pages("report-record", 2)


def test_a_records_link_to_the_timeline_stays_in_the_journal_with_the_record_open(pages: Any) -> None:
    address = re.search(r'href="([^"]*/timeline/[^"]*record=[^"]*)"', pages("report-record", 3, tags=True))
    assert address
    assert dict(parse_qsl(urlsplit(unescape(address[1])).query)) == {"from": "0", "to": "5", "record": "3"}


def test_a_keys_life_says_it_of_each_version(pages: Any) -> None:
    life = pages("report-keys", key="a")
    assert re.search(r"offset 1 .*? aborted .*?offset 3 .*? committed .*?offset 5 .*? open ", life)


def test_the_lists_of_keys_and_values_say_it_of_the_newest_record(pages: Any) -> None:
    for name, as_it_is in (("report-keys", {}), ("report-state", {"isolation": "read_uncommitted"})):
        assert re.search(r" 5 open ", pages(name, **as_it_is)), name
        page = pages(name, isolation="read_committed")
        assert re.search(r" 3 committed ", page), name
        assert not re.search(r"\d open ", page), name
