"""Records exported and read again: the same records, in bounded portions, for those who may."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.test import Client

from spark.sources.kcat_json import source
from tests.builders import entries_table, other_table, records_table
from tests.generator.segment import SOME_TIME_MS
from tests.spark.sources.json_files import read
from tests.webapp.reports.result_folder import write_results
from tests.webapp.sharing.marked import found_in, marked
from webapp.audit.models import Event
from webapp.sharing.exports import chosen

pytestmark = pytest.mark.django_db
LAYOUTS = ("csv", "ndjson", "parquet")
SAME = ("topic", "partition", "offset", "timestamp_ms", "timestamp_type", "key", "value", "key_is_null",
        "value_is_null", "key_size_bytes", "value_size_bytes", "headers")  # fmt: skip
ODD = (
    {"key": b"plain", "value": b'{"a": "b\\n"}', "headers": [{"key": b"h", "value": b"v"}]},
    {"key": None, "value": None},
    {"key": b"", "value": b""},
    {"key": b"\xff\x00", "value": bytes(range(256)), "headers": [{"key": b"h", "value": b"\xff"}, {"key": b"h", "value": None}]},
    {"key": b"QUJDREVGR0g=", "value": b"QUJDREVGR0hJSktMTU5PUA==", "headers": [{"key": b"h", "value": b""}]},
    {"key": "ключ\u2028é".encode(), "value": b"null", "offset": 2**40, "timestamp_ms": None, "timestamp_type": None},
    {"key": b"=1+1", "value": b"\t@cmd", "timestamp_type": "log_append"},
    {"key": b"'quoted", "value": b"a,b\r\nc\"d"},
)  # fmt: skip


def odd(folder: Path) -> Path:
    return write_results(folder, records=records_table(*ODD, {"control_type": "commit", "key": b"\0\0\0\1"}))


def members(response: Any) -> dict[str, bytes]:
    assert response.status_code == 200
    with zipfile.ZipFile(io.BytesIO(b"".join(response))) as bundle:
        assert bundle.testzip() is None
        return {name: bundle.read(name) for name in bundle.namelist()}


@pytest.fixture
def exported(inspected: Any, get: Any) -> Callable[..., dict[str, bytes]]:
    """`exported("csv", make, key="a")`: the members of the zip."""

    def export(layout: str, make: Any = odd, **query: Any) -> dict[str, bytes]:
        return members(get(inspected(make), "report-records-export", layout, **query))

    return export


def test_what_is_exported_for_kcat_is_read_again_byte_by_byte(exported: Any, tmp_path: Path) -> None:
    data = exported("ndjson")["records.ndjson"]
    reading = read(source, data, tmp_path, "records.ndjson")
    expected = records_table(*ODD).to_pylist()
    assert reading.damage == []
    assert [{name: row[name] for name in SAME} for row in reading.records] == [
        {name: row[name] for name in SAME} for row in expected
    ]


def test_values_that_are_base64_themselves_are_not_decoded(exported: Any, tmp_path: Path) -> None:
    words = [b"QUJDREVGR0hJSktMTU5PUA==", b"eyJhIjoiYiJ9", b"AAAAAAAAAAAAAAAA"]
    rows = [{"key": word, "value": word} for word in words]
    data = exported("ndjson", lambda folder: write_results(folder, records=records_table(*rows)))
    assert read(source, data["records.ndjson"], tmp_path).column("value") == words


def test_the_sheet_keeps_null_empty_text_and_bytes_apart(exported: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(exported("csv")["records.csv"].decode(), newline="")))
    assert [row["key_is"] for row in rows[:6]] == ["text", "null", "empty", "base64", "text", "text"]
    assert rows[3]["key"] == "/wA="
    assert rows[7]["value"] == 'a,b\r\nc"d'
    assert [row["headers_are"] for row in rows[:4]] == ["text", "none", "none", "base64"]
    assert rows[3]["headers"] == '["h", "/w==", "h", null]'
    assert rows[5]["time_utc"] == ""
    assert rows[-1]["control_type"] == "commit"


def test_no_cell_begins_as_a_formula_and_the_text_can_be_had_back(exported: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(exported("csv")["records.csv"].decode(), newline="")))
    assert (rows[6]["key"], rows[6]["value"], rows[7]["key"]) == ("'=1+1", "'\t@cmd", "''quoted")
    texts = [row[name] for row in rows for name in ("topic", "key", "value", "entry_type")]
    assert not [text for text in texts if text.startswith(("=", "+", "-", "@", "\t", "\r"))]


ENTRIES = {"offset": 1, "entity_id": "48", "attributes": '{"contentId":48}'}


def decodable(folder: Path) -> Path:
    """A value that is JSON itself, one that only the dialect reads, one behind a prefix."""
    rows = [{"value": b'{"a":1}'}, {"value": b"\xff\x02"}, {"key": b'\x02{"id":1}', "value": b"text"}]
    return write_results(folder, records=records_table(*rows), entries=entries_table(ENTRIES))


def test_what_the_bytes_do_not_say_themselves_is_decoded(exported: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(exported("csv", decodable)["records.csv"].decode(), newline="")))
    decoded = [("", ""), ("", '{"contentId":48}'), ('{"id":1}', "")]
    assert [(row["decoded_key"], row["decoded_value"]) for row in rows] == decoded
    lines = [json.loads(line) for line in exported("ndjson", decodable)["records.ndjson"].splitlines()]
    assert [(line.get("decoded_key"), line.get("decoded_payload")) for line in lines] == [
        (None, None), (None, {"contentId": 48}), ({"id": 1}, None),
    ]  # fmt: skip
    table = pq.read_table(io.BytesIO(exported("parquet", decodable)["records.parquet"]))
    assert table.column("decoded_value").to_pylist() == [None, '{"contentId":48}', None]


def test_a_share_that_hides_payloads_decodes_none(inspected: Any, share: Any, guest: Client) -> None:
    _, token = share(inspected(decodable), payloads=False)
    data = members(guest.get(f"/s/{token}/records/export/csv/"))["records.csv"].decode()
    rows = list(csv.DictReader(io.StringIO(data, newline="")))
    assert [row["decoded_value"] for row in rows] == ["", "", ""]
    page = guest.get(f"/s/{token}/records/").content.decode()
    assert "contentId" not in page
    assert 'class="d-number">1<' not in page


def test_parquet_has_the_bytes_and_says_what_it_is(exported: Any) -> None:
    found = exported("parquet", key="plain")
    table = pq.read_table(io.BytesIO(found["records.parquet"]))
    assert table.column("value").to_pylist() == [b'{"a": "b\\n"}']
    said = table.schema.metadata[b"journalscope"].decode()
    assert "Filter: key contains “plain”." in said
    assert "Hidden: nothing." in said
    assert "ab" * 32 in said


def test_no_record_fits_and_the_file_is_still_whole(exported: Any) -> None:
    for layout in LAYOUTS:
        found = exported(layout, key="nowhere")
        assert "0 records in this file." in found["README.txt"].decode()
    assert pq.read_table(io.BytesIO(found["records.parquet"])).num_rows == 0


@pytest.mark.parametrize(
    ("query", "offsets"),
    [
        ({"first": 2, "last": 4}, [2, 3, 4]),
        ({"key": "plain"}, [0]),
        ({"value": "null"}, [2**40]),
        ({"kind": "tombstone"}, [1]),
    ],
    ids=["offsets", "key", "value", "kind"],
)
def test_the_filters_are_those_of_the_page(exported: Any, query: dict[str, Any], offsets: list[int]) -> None:
    lines = exported("ndjson", **query)["records.ndjson"].splitlines()
    assert [json.loads(line)["offset"] for line in lines] == offsets


def test_a_reader_of_committed_data_gets_no_aborted_record(exported: Any) -> None:
    def aborted(folder: Path) -> Path:
        rows = [{"producer_id": 5}, {"producer_id": 5}, {"control_type": "abort", "producer_id": 5}, {}]
        spans = other_table(
            "transactions",
            {"producer_id": 5, "first_offset": 0, "last_offset": 1, "marker_offset": 2, "outcome": "aborted"},
        )
        return write_results(folder, records=records_table(*rows), transactions=spans)

    seen = {
        level: len(exported("ndjson", aborted, isolation=level)["records.ndjson"].splitlines())
        for level in ("read_uncommitted", "read_committed")
    }
    assert seen == {"read_uncommitted": 3, "read_committed": 1}
    assert (
        "Read as: read_committed"
        in exported("ndjson", aborted, isolation="read_committed")["README.txt"].decode()
    )


def test_the_limit_is_said(exported: Any, settings: Any) -> None:
    settings.EXPORT_MAX_RECORDS = 3
    found = exported("ndjson")
    assert "Limit: the first 3 of 9 records that match." in found["README.txt"].decode()
    assert len(found["records.ndjson"].splitlines()) == 3


def test_portions_are_small_and_hold_whole_offsets(exported: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chosen, "PORTION_RECORDS", 2)
    sizes = []

    def watched(*args: Any) -> Any:
        for portion in real(*args):
            sizes.append(len(portion))
            yield portion

    real = chosen.portions
    monkeypatch.setattr("webapp.sharing.exports.views.portions", watched)
    offsets = [0, 1, 2, 2, 2, 3, 4]
    rows = [{"offset": offset, "timestamp_ms": SOME_TIME_MS} for offset in offsets]
    found = exported("ndjson", lambda folder: write_results(folder, records=records_table(*rows)))
    lines = found["records.ndjson"].splitlines()
    assert [json.loads(line)["offset"] for line in lines] == offsets
    assert sizes == [2, 3, 2]


def test_who_may_only_read_exports_nothing_and_strangers_see_nothing(
    inspected: Any, sign_in: Any, viewer: Any, stranger: Any
) -> None:
    page = f"/inspections/{inspected(odd).pk}/report/records/"
    for layout in LAYOUTS:
        assert sign_in(viewer).get(f"{page}export/{layout}/").status_code == 403
        assert sign_in(stranger).get(f"{page}export/{layout}/").status_code == 404
    assert "export/csv" not in sign_in(viewer).get(page).content.decode()
    assert Event.objects.filter(action="export.made").count() == 0


def test_the_page_offers_the_layouts_with_its_filters_and_others_are_404(inspected: Any, get: Any) -> None:
    inspection = inspected(odd)
    page = get(inspection, "report-records", key="plain").content.decode()
    for layout in LAYOUTS:
        assert f"records/export/{layout}/?key=plain" in page
    assert get(inspection, "report-records-export", "xlsx").status_code == 404


def test_an_export_is_kept_with_its_filter_and_count_and_without_what_was_searched(
    inspected: Any, get: Any, owner: Any
) -> None:
    response = get(inspected(odd), "report-records-export", "csv", first=2, key="plain")
    assert response["Content-Disposition"].endswith('-records-filtered.csv.zip"')
    event = Event.objects.get(action="export.made")
    assert (event.actor_name, event.detail["records"], event.detail["first"]) == ("owner", 0, "2")
    assert event.detail["searched"] == ["key"]
    assert "plain" not in json.dumps(event.detail)


def test_a_share_exports_what_it_holds_and_says_what_is_hidden(
    inspected: Any, share: Any, guest: Client
) -> None:
    _, token = share(inspected(marked), names=False)
    page = guest.get(f"/s/{token}/records/").content.decode()
    for layout in LAYOUTS:
        assert f"/s/{token}/records/export/{layout}/" in page
        found = members(guest.get(f"/s/{token}/records/export/{layout}/"))
        assert [found_in(data) for data in found.values()] == [[], []]
        assert "Hidden: Payloads are hidden" in found["README.txt"].decode()
        table = pq.read_table(io.BytesIO(found[f"records.{layout}"])) if layout == "parquet" else None
        assert table is None or found_in(repr(table.to_pylist()).encode()) == []
    assert Event.objects.filter(action="export.made", actor_id=None, target_kind="share").count() == 3
