"""The tab SQL: its answers, its mistakes, who has it, and what is written down about it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from spark.tables.sql.examples import EXAMPLES
from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from tests.webapp.sharing.conftest import guest, share
from webapp.audit.models import Event
from webapp.reports.pages import sql

__all__ = ["guest", "share"]

pytestmark = pytest.mark.django_db


def hostile_records(folder: Path) -> Path:
    """Values that are markup, no text, empty, and null."""
    values = (b"<script>alert(1)</script>", b"\x00\xff", b"", None)
    rows = [{"offset": n, "key": b"k%d" % n, "value": value} for n, value in enumerate(values)]
    return write_results(folder, records=records_table(*rows))


@pytest.fixture
def run(owner: Any, sign_in: Any) -> Any:
    """`run(inspection, text)`: the page with the answer, as the owner sees it."""

    def posted(inspection: Any, text: str, user: Any = owner) -> Any:
        return sign_in(user).post(reverse("report-sql-run", args=[inspection.pk]), {"query": text})

    return posted


def text_of(response: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_the_page_has_the_tables_and_the_questions(inspected: Any, get: Any) -> None:
    page = get(inspected(hostile_records), "report-sql")
    said = text_of(page)
    assert "records 4" in said
    assert "&quot;offset&quot; BIGINT" in said
    assert "value bytes as the broker stored them" in said
    assert page.context["tables"][0].name == "records"
    assert "transactions" in [table.name for table in page.context["empty_tables"]]
    assert [title for title, _, _ in page.context["examples"]] == [example.title for example in EXAMPLES]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_a_question_is_one_click_away_and_has_an_answer(
    example: Any, inspected: Any, get: Any, run: Any
) -> None:
    inspection = inspected(hostile_records)
    page = get(inspection, "report-sql", example=example.name)
    assert page.context["text"] == example.text
    assert "answer" in run(inspection, page.context["text"]).context


def test_an_answer_is_shown_safely(inspected: Any, run: Any) -> None:
    page = run(inspected(hostile_records), 'SELECT "offset", value FROM records ORDER BY ALL')
    rows = [[cell.text for cell, _ in row] for row in page.context["answer"].rows]
    assert rows == [["0", "<script>alert(1)</script>"], ["1", "\\x00\\xff"], ["2", "(empty)"], ["3", "null"]]
    assert "<script>alert" not in page.content.decode()
    assert "4 rows" in text_of(page)
    assert page.context["text"] in page.content.decode().replace("&quot;", '"')


def test_an_offset_is_a_link_where_its_row_names_the_partition(inspected: Any, run: Any) -> None:
    inspection = inspected(hostile_records)
    page = run(inspection, 'SELECT topic, partition, "offset" FROM records WHERE "offset" = 2')
    assert f"{reverse('report-records', args=[inspection.pk])}?record=2" in page.content.decode()
    for topic in ("'other'", "[1]", "NULL"):
        other = run(inspection, f'SELECT "offset", {topic} AS topic, 0 AS partition FROM records')
        assert "record=2" not in other.content.decode()


def test_what_is_left_out_is_said(inspected: Any, run: Any) -> None:
    page = run(inspected(hostile_records), "SELECT * FROM range(1000000000000)")
    assert len(page.context["answer"].rows) == 500
    assert "Showing the first 500 rows. The answer has more." in text_of(page)


def test_a_mistake_is_a_sentence_with_its_place(inspected: Any, run: Any) -> None:
    page = run(inspected(hostile_records), "SELECT key\r\nFROM recrods WHERE true")
    assert page.status_code == 200
    assert "Line 2, column 6: The report has no table recrods. Did you mean records?" in text_of(page)
    assert page.context["excerpt"] == ("FROM ", "recrods", " WHERE true")


def test_the_audit_log_has_that_it_ran_and_not_what(inspected: Any, run: Any) -> None:
    inspection = inspected(hostile_records)
    run(inspection, "SELECT 'a secret'")
    event = Event.objects.get(action="sql.ran")
    assert event.target_id == str(inspection.pk)
    assert event.detail["characters"] == len("SELECT 'a secret'")
    assert len(event.detail["sha256"]) == 16
    assert "secret" not in str(event.detail)


def test_a_query_is_in_no_address(inspected: Any, get: Any) -> None:
    inspection = inspected(hostile_records)
    assert get(inspection, "report-sql-run", query="SELECT 1").status_code == 405
    page = get(inspection, "report-sql", query="SELECT 'from the address'")
    assert "from the address" not in page.content.decode()


def test_a_viewer_asks_and_takes_nothing_along(inspected: Any, run: Any, viewer: Any) -> None:
    page = run(inspected(hostile_records), "SELECT count(*) FROM records", viewer)
    assert page.context["answer"].rows[0][0][0].text == "4"
    assert page.context["downloads"] == []
    assert "Download" not in text_of(page)


def test_others_do_not_have_it(inspected: Any, run: Any, stranger: Any) -> None:
    assert run(inspected(hostile_records), "SELECT 1", stranger).status_code == 404
    assert not Event.objects.filter(action="sql.ran").exists()


def test_a_share_has_no_sql(inspected: Any, share: Any, guest: Client) -> None:
    _, token = share(inspected(hostile_records))
    assert "SQL" not in text_of(guest.get(f"/s/{token}/"))
    for path in ("sql/", "sql/run/", "sql/export/csv/"):
        assert guest.get(f"/s/{token}/{path}").status_code == 404
        assert guest.post(f"/s/{token}/{path}", {"query": "SELECT 1"}).status_code in (404, 405)


def test_more_than_two_queries_wait_and_then_are_sent_away(
    inspected: Any, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "WAIT_SECONDS", 0.01)
    inspection = inspected(hostile_records)
    with sql._a_turn(), sql._a_turn():
        assert "Other queries are running." in text_of(run(inspection, "SELECT 1"))
    assert "1 row" in text_of(run(inspection, "SELECT 1"))


def test_the_server_lives_after_a_query_that_explodes(inspected: Any, run: Any, get: Any) -> None:
    inspection = inspected(hostile_records)
    assert "The query was stopped" in text_of(run(inspection, "SELECT list(range) FROM range(100000000000)"))
    assert get(inspection, "report-sql").status_code == 200
