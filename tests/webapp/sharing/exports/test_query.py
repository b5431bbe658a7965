"""The answer of a query as a file."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.urls import reverse

from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from webapp.audit.models import Event
from webapp.sharing.exports import query
from webapp.sharing.exports.query import SqlBounds

pytestmark = pytest.mark.django_db
TEXT = 'SELECT "offset", key, value, value_is_null FROM records ORDER BY ALL'


def three_records(folder: Path) -> Path:
    """A key that is a formula; values of text, of no text, and null."""
    rows = [
        {"offset": n, "key": b"=1+1", "value": value} for n, value in enumerate((b"text", b"\xff\x00", None))
    ]
    return write_results(folder, records=records_table(*rows))


@pytest.fixture
def download(owner: Any, sign_in: Any) -> Any:
    def posted(inspection: Any, layout: str, text: str = TEXT, user: Any = owner) -> Any:
        address = reverse("report-sql-export", args=[inspection.pk, layout])
        return sign_in(user).post(address, {"query": text})

    return posted


def test_csv_is_for_spreadsheets_which_run_nothing_of_it(inspected: Any, download: Any) -> None:
    response = download(inspected(three_records), "csv")
    assert response["Content-Disposition"] == 'attachment; filename="kafkasql-journal-sql.csv"'
    first, *rows = csv.reader(io.StringIO(response.content.decode()))
    assert first == ["offset", "key", "value_base64", "value_is_null"]
    assert rows == [
        ["0", "'=1+1", "dGV4dA==", "False"],
        ["1", "'=1+1", "/wA=", "False"],
        ["2", "'=1+1", "", "True"],
    ]
    event = Event.objects.get(action="export.made")
    assert (event.detail["what"], event.detail["layout"]) == ("sql", "csv")
    assert "records" not in str(event.detail)


def test_json_has_an_object_for_each_row(inspected: Any, download: Any) -> None:
    text = "SELECT sum(\"offset\") AS sum, [1.5, 'nan'::DOUBLE] AS list, {'a': DATE '2024-01-31'} AS struct, NULL AS none FROM records"
    assert json.loads(download(inspected(three_records), "json", text).content) == [
        {"sum": 3, "list": [1.5, "nan"], "struct": {"a": "2024-01-31"}, "none": None}
    ]


def test_parquet_has_the_types_of_the_answer(inspected: Any, download: Any) -> None:
    response = download(inspected(three_records), "parquet", "SELECT key, INTERVAL 1 DAY AS day FROM records")
    table = pq.read_table(io.BytesIO(response.content))
    assert table.to_pylist()[0] == {"key": b"=1+1", "day": "0 months 1 days 0 seconds"}


def test_a_file_that_is_cut_has_it_in_its_name(
    inspected: Any, download: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query, "IN_FILE", SqlBounds(rows=2, seconds=20, size_bytes=1 << 20))
    response = download(inspected(three_records), "csv")
    assert 'filename="kafkasql-journal-sql-first-2-rows.csv"' in response["Content-Disposition"]


def test_a_mistake_is_a_sentence(inspected: Any, download: Any) -> None:
    response = download(inspected(three_records), "csv", "SELECT * FROM nothing")
    assert response.status_code == 400
    assert response.content.decode() == "Line 1, column 15: The report has no table nothing.\n"


def test_viewers_and_strangers_take_nothing_along(
    inspected: Any, download: Any, viewer: Any, stranger: Any
) -> None:
    inspection = inspected(three_records)
    assert download(inspection, "csv", user=viewer).status_code == 403
    assert download(inspection, "csv", user=stranger).status_code == 404
    assert download(inspection, "xlsx").status_code == 404
