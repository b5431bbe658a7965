"""The table of records: its columns, one line a record, the lines across it, the record that the address names."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builders import entries_table, other_table, records_table
from tests.spark.transaction_logs import abort, data, plain
from tests.spark.transaction_logs import commit as committed
from tests.spark.transaction_logs import log as write_log
from tests.spark.whole_pipeline import report_of
from tests.webapp.reports.result_folder import write_results
from webapp.reports.record_table.columns import COOKIE

BATCHES = [plain(0), data(1), abort(2), data(3), committed(4), data(5), plain(6)]
TOPIC, PLACE = "kafkasql-journal", {"topic": "kafkasql-journal", "partition": 0}
Cells = dict[str, str]


def rows_of(page: str) -> dict[int, Cells]:
    """By offset, the text of each cell by its column."""
    rows = {}
    for offset, row in re.findall(r'<tr id="offset-(\d+)"[^>]*>(.*?)</tr>', page, re.DOTALL):
        cells = re.findall(r'<t[dh][^>]*class="c-([a-z]+)[^"]*">(.*?)</t[dh]>', row, re.DOTALL)
        rows[int(offset)] = {name: text_of(content) for name, content in cells}
    return rows


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", html).split())


def limits_of(page: str) -> list[str]:
    """Each line across the table with the offset of the row below it."""
    found = re.findall(
        r'<tr class="read-limit[^"]*">.*?<strong>(.*?)</strong>.*?</tr>\s*(?:<tr id="offset-(\d+)")?',
        page,
        re.DOTALL,
    )
    return [f"{name} > {offset}" for name, offset in found]


@pytest.fixture
def ledger(inspected: Any, get: Any, tmp_path: Path) -> Callable[..., str]:
    """The page of a log with an aborted, a committed and an open transaction."""
    inspection = inspected(lambda results: report_of(write_log(tmp_path / "input", BATCHES), results))
    return lambda **query: get(inspection, "report-records", **query).content.decode()


def made(*rows: dict[str, Any], **tables: Any) -> Callable[[Path], Path]:
    return lambda folder: write_results(folder, records=records_table(*rows), **tables)


def test_each_record_says_its_outcome(ledger: Callable[..., str]) -> None:
    rows = rows_of(ledger())
    assert {offset: row["outcome"] for offset, row in rows.items()} == {
        0: "", 1: "aborted", 2: "", 3: "committed", 4: "", 5: "open", 6: "hidden",
    }  # fmt: skip
    assert rows[2]["what"] == "ABORT marker"
    assert rows[4]["value"].startswith("ends the transaction of producer")


def test_the_last_stable_offset_is_a_line(ledger: Callable[..., str]) -> None:
    assert limits_of(ledger()) == ["read_committed stops here > 5"]
    assert limits_of(ledger(isolation="read_committed")) == ["read_committed stops here > "]
    assert limits_of(ledger(last=3)) == ["read_committed stops here > "]


def test_the_high_watermark_is_a_line_where_a_file_knows_it(inspected: Any, get: Any) -> None:
    checkpoints = other_table("checkpoints", {"topic": "journal", "kind": "replication", "offset": 2})
    inspection = inspected(made(*({"key": b"k"} for _ in range(4)), checkpoints=checkpoints))
    assert limits_of(get(inspection, "report-records").content.decode()) == ["high watermark 2 > 2"]
    assert limits_of(get(inspected(made({"key": b"k"})), "report-records").content.decode()) == []


def test_columns_are_those_of_the_address_then_the_remembered_ones(
    inspected: Any, sign_in: Any, owner: Any
) -> None:
    inspection = inspected(made({"key": b"k", "value": b'{"a":1}'}))
    client, address = sign_in(owner), f"/inspections/{inspection.pk}/report/records/"

    def columns(query: str = "") -> list[str]:
        return list(rows_of(client.get(address + query).content.decode())[0])

    assert columns() == ["offset", "time", "what", "key", "value", "size"]
    assert columns("?columns=value.partition.nonsense.value") == ["offset", "value", "partition"]
    client.cookies[COOKIE] = "size.offset.key"
    assert columns() == ["offset", "size", "key"]
    assert columns("?columns=time") == ["offset", "time"]
    assert columns("?columns=standard")[:3] == ["offset", "time", "what"]
    assert 'name="columns" value="time"' in client.get(address + "?columns=time").content.decode()


def test_every_column_has_its_content(inspected: Any, get: Any) -> None:
    record = {
        "key": b"k", "value": b'{"a": 1.5}', "producer_id": 7, "producer_epoch": 2, "sequence": 4,
        "headers": [{"key": b"trace", "value": b"x1"}], "entry_type": "Account", "entry_action": "create",
    }  # fmt: skip
    batches = other_table(
        "batches", {"topic": "journal", "base_offset": 0, "last_offset": 3, "leader_epoch": 9, "position": 0}
    )
    entries = entries_table({"offset": 0, "entity_id": "17", "entry_type": "Account"})
    inspection = inspected(made(record | {"batch_position": 0}, batches=batches, entries=entries))
    every = "time.what.entity.key.value.size.outcome.producer.sequence.leader.headers.partition.batch"
    row = rows_of(get(inspection, "report-records", columns=every).content.decode())[0]
    assert row.pop("time").startswith("20")
    assert row == {
        "offset": "0", "what": "create", "entity": "Account 17", "key": "k", "value": "a 1.5", "size": "11 B", "outcome": "",
        "producer": "7, producer epoch 2", "sequence": "4", "leader": "9", "headers": "trace x1", "partition": "journal-0", "batch": "0 – 3",
    }  # fmt: skip


def test_records_of_a_batch_that_fails_its_checksum_are_marked(inspected: Any, get: Any) -> None:
    batches = other_table(
        "batches",
        {"base_offset": 0, "last_offset": 1, "position": 0, "crc_ok": False},
        {"base_offset": 2, "last_offset": 2, "position": 90, "crc_ok": True},
        topic="journal",
    )
    records = [{"key": b"k", "batch_position": position} for position in (0, 0, 90)]
    inspection = inspected(made(*records, batches=batches))
    table = get(inspection, "report-records").content.decode()
    rows = re.findall(r"<tr.*?</tr>", table, re.DOTALL)
    assert ["corrupt</span>" in row for row in rows if "record=" in row or "/records/" in row] == [
        True,
        True,
        False,
    ]
    assert "any byte of this record can be wrong" in get(inspection, "report-record", 1).content.decode()
    assert "any byte of this record can be wrong" not in get(inspection, "report-record", 2).content.decode()


def test_the_record_sought_is_marked_with_few_rows_above_it(inspected: Any, get: Any) -> None:
    inspection = inspected(made(*({"key": b"k%d" % (n % 3), "offset": n * 3} for n in range(450))))
    page = get(inspection, "report-records", offset=900).content.decode()
    offsets = list(rows_of(page))
    assert offsets[:9] == list(range(900 - 24, 901, 3))
    assert re.findall(r'<tr id="offset-(\d+)" class="[^"]*is-sought', page) == ["900"]
    assert next(iter(rows_of(get(inspection, "report-records", offset=3).content.decode()))) == 0
    few = get(inspection, "report-records", record=900, key="k1").content.decode()
    assert 900 not in rows_of(few)


def test_a_value_that_cannot_be_read_says_so_and_shows_its_bytes(inspected: Any, get: Any) -> None:
    entries = entries_table({"offset": 0, "entity_id": "1", "decode_error": "The value is not JSON."})
    inspection = inspected(made({"key": b"k", "value": b"\xff\x00"}, entries=entries))
    page = get(inspection, "report-records").content.decode()
    assert rows_of(page)[0]["value"] == "cannot be read: The value is not JSON. bytes \\xff\\x00"
    assert 'title="The value is not JSON."' in page


def test_a_value_is_shown_as_text_whatever_it_contains(inspected: Any, get: Any) -> None:
    inspection = inspected(made({"key": b"<b>", "value": b'{"<i>":"<script>"}'}, {"value": None}))
    page = get(inspection, "report-records").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    assert rows_of(page)[1]["value"] == "no value"


def test_a_line_says_where_the_file_has_another_order(inspected: Any, get: Any) -> None:
    runs = [
        {
            "topic": "journal",
            "partition": 0,
            "file": 0,
            "position": position,
            "first_offset": first,
            "last_offset": last,
        }
        for position, first, last in ((0, 0, 1), (100, 4, 4), (200, 2, 3), (300, 5, 6))
    ]
    rows = ({"key": b"k"} for _ in range(7))
    inspection = inspected(made(*rows, runs=other_table("runs", *runs)))
    text = get(inspection, "report-records").content.decode()
    assert limits_of(text) == ["Order in the file > 4"]
    assert "In the file, offset 4 comes before offsets 2-3. This table is in the order of offsets." in text
    record = get(inspection, "report-record", 2).content.decode()
    assert "<dt>By offset</dt>" in record
    assert "the file has another order" in record
    notes = get(inspection, "report-timeline-figure").json()["notes"]
    assert "In the file, offset 4 comes before offsets 2-3. This figure is in the order of offsets." in notes


def test_missing_offsets_stand_above_the_record_behind_them(inspected: Any, get: Any) -> None:
    rows = [{"offset": offset} for offset in (0, 3, 4, 6)]
    gaps = [
        {"first_offset": 1, "last_offset": 2, "cause": "unexplained"},
        {"first_offset": 5, "last_offset": 5, "cause": "likely compaction"},
    ]
    page = get(inspected(made(*rows, gaps=other_table("gaps", *gaps))), "report-records").content.decode()
    found = re.findall(r'<span class="gap-before">(.*?)</span><a[^>]*>(\d+)<', page)
    assert found == [
        ("offsets 1-2 missing: unexplained", "3"),
        ("offset 5 missing: likely compacted", "6"),
    ]


def test_of_many_gaps_those_that_compaction_left_are_not_named(inspected: Any, get: Any) -> None:
    gaps = [{"first_offset": n, "last_offset": n, "cause": "likely compaction"} for n in range(1, 23, 2)]
    rows = [{"offset": offset} for offset in range(0, 24, 2)]
    lost = {"first_offset": 23, "last_offset": 29, "cause": "unexplained"}
    table = made(*rows, {"offset": 30}, gaps=other_table("gaps", *gaps, lost))
    page = get(inspected(table), "report-records").content.decode()
    assert re.findall(r'class="gap-before"[^>]*>(.*?)<', page) == ["offsets 23-29 missing: unexplained"]
