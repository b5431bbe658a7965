"""Reading result tables with DuckDB."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from spark.storage import room
from spark.storage.address import refusal_of
from spark.storage.stored_path import StoredPath
from spark.tables.replica import PartitionReplica
from spark.tables.store import RestrictedTable
from tests.builders import records_table
from tests.spark.storage.stores import bucket_in
from tests.webapp.reports.result_folder import write_results
from webapp.reports.results import (
    WHERE_REPLICA,
    PartitionResults,
    ResultsGone,
    all_of,
    open_results,
    remembered,
)


def test_only_files_of_the_manifest_are_read(tmp_path: Path) -> None:
    folder = write_results(tmp_path, records=records_table({}, {}))
    leftover = folder / "records" / "0000-b.parquet"
    leftover.write_bytes((folder / "records" / "0000-a.parquet").read_bytes())
    with open_results(folder) as results:
        assert results.rows("SELECT count(*) AS n FROM records") == [{"n": 2}]


def test_a_topic_with_a_quote_is_a_value_and_not_sql(tmp_path: Path) -> None:
    topic = "it's; DROP"
    with open_results(write_results(tmp_path, records=records_table({}, topic=topic))) as results:
        row = results.row('SELECT "topic" FROM records WHERE "topic" = $topic', parameters={"topic": topic})
        assert row == {"topic": topic}


@pytest.mark.parametrize("missing", ["report.json", "tables.json"])
def test_a_folder_without_its_documents_is_gone(tmp_path: Path, missing: str) -> None:
    (write_results(tmp_path) / missing).unlink()
    with pytest.raises(ResultsGone), open_results(tmp_path):
        pass


def test_what_was_remembered_is_forgotten_when_the_folder_is_written_anew(tmp_path: Path) -> None:
    folder = write_results(tmp_path)
    with open_results(folder) as results:
        assert results.remembered(("answer",), lambda: 1) == 1
        assert results.remembered(("answer",), lambda: 2) == 1
    os.utime(folder / "tables.json", ns=(1, 1))
    with open_results(folder) as results:
        assert results.remembered(("answer",), lambda: 3) == 3


def test_a_query_is_remembered_by_its_partition_and_its_arguments(tmp_path: Path) -> None:
    calls = []

    @remembered
    def counted(partition: PartitionResults, first: int) -> int:
        calls.append((partition.replica.partition, first))
        return partition.value(
            f'SELECT count(*) FROM records WHERE {WHERE_REPLICA} AND "offset" >= $first', {"first": first}
        )

    with open_results(write_results(tmp_path, records=records_table({}, {}, {}))) as results:
        one, other = (results.of(PartitionReplica("journal", number)) for number in (0, 1))
        assert [counted(one, 1), counted(one, 1), counted(one, 2), counted(other, 1)] == [2, 2, 1, 0]
    assert calls == [(0, 1), (0, 2), (1, 1)]


def test_a_page_has_its_rows_in_order_and_the_number_of_all(tmp_path: Path) -> None:
    sql = f'SELECT "offset" FROM records WHERE {WHERE_REPLICA} AND "offset" > $after'
    with open_results(write_results(tmp_path, records=records_table({}, {}, {}, {}))) as results:
        partition = results.of(PartitionReplica("journal", 0))
        pages = [partition.page(sql, '"offset" DESC', {"after": 0}, number, size=2) for number in (1, 2, 3)]
    assert [([row["offset"] for row in rows], total) for rows, total in pages] == [
        ([3, 2], 3),
        ([1], 3),
        ([], 3),
    ]


def test_filters_without_a_value_are_left_out_and_zero_is_a_value() -> None:
    assert all_of(kind=("kind = $kind", ""), first=("x >= $first", None)) == ("true", {})
    assert all_of(kind=("kind = $kind", "a"), first=("x >= $first", 0)) == (
        "kind = $kind AND x >= $first",
        {"kind": "a", "first": 0},
    )


def test_rows_that_were_read_before_are_the_callers_own(tmp_path: Path) -> None:
    asked = "SELECT count(*) AS n FROM records"
    with open_results(write_results(tmp_path, records=records_table({}))) as results:
        results.rows(asked)[0]["n"] = "changed"
        assert results.rows(asked) == [{"n": 1}]


def test_rows_of_other_values_or_of_a_restricted_table_are_others(tmp_path: Path) -> None:
    asked = 'SELECT "offset" FROM records WHERE "offset" <= $last ORDER BY ALL'
    with open_results(write_results(tmp_path, records=records_table({}, {}))) as results:
        assert [len(results.rows(asked, {"last": last})) for last in (0, 1)] == [1, 2]
        one = RestrictedTable('SELECT * FROM whole_records WHERE "offset" = $it', {"it": 1})
        part = results.restricted({"records": one})
        assert part.rows(asked, {"last": 1}) == [{"offset": 1}]


def test_rows_are_read_again_when_the_folder_is_written_anew(tmp_path: Path) -> None:
    asked = "SELECT count(*) AS n FROM records"
    with open_results(write_results(tmp_path, records=records_table({}))) as results:
        assert results.rows(asked) == [{"n": 1}]
    folder = write_results(tmp_path, records=records_table({}, {}))
    os.utime(folder / "tables.json", ns=(1, 1))
    with open_results(folder) as results:
        assert results.rows(asked) == [{"n": 2}]


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StoredPath:
    """Results in a store, whose objects are in `objects`; this machine has no copies."""
    monkeypatch.setenv("CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "objects").mkdir()
    write_results(tmp_path / "objects" / "1", records=records_table({}, {}))
    return StoredPath(bucket_in(tmp_path / "objects", monkeypatch)) / "1"


def test_results_in_a_store_are_read_and_the_second_time_without_it(
    stored: StoredPath, tmp_path: Path
) -> None:
    for _ in range(2):
        with open_results(stored) as results:
            assert results.rows("SELECT count(*) AS n FROM records") == [{"n": 2}]
            assert results.document["schema"] == 1
        (tmp_path / "objects").rename(tmp_path / "away") if (tmp_path / "objects").exists() else None


def test_an_open_report_keeps_its_files_whatever_the_bound(stored: StoredPath, tmp_path: Path) -> None:
    asked = "SELECT count(*) AS n FROM records WHERE $number > 0"
    with open_results(stored) as results:
        results.rows(asked, {"number": 1})
        for path in (path for path in (tmp_path / "cache").rglob("*") if path.is_file()):
            os.utime(path, (1, 1))
        room.make(tmp_path / "cache", 0)
        shutil.rmtree(tmp_path / "objects")
        assert results.rows(asked, {"number": 2}) == [{"n": 2}]


def test_results_that_are_not_in_the_store_are_gone(stored: StoredPath, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "objects" / "1")
    with pytest.raises(ResultsGone), open_results(stored):
        pass


def test_a_store_that_refuses_is_named_with_its_cause(stored: StoredPath, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "objects")
    (tmp_path / "objects").write_text("no folder")
    with pytest.raises(OSError) as caught, open_results(stored):
        pass
    assert refusal_of(caught.value).startswith("s3://bucket/1/tables.json cannot be opened: ")
