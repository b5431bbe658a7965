"""`manage.py sql`, as somebody types it: the answer in each format, mistakes, the tables."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from spark.tables.sql.ask import NAMES
from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from tests.workers.commands import manage

pytestmark = pytest.mark.slow
COUNT = "SELECT value_is_null, count(*) AS records FROM records GROUP BY ALL ORDER BY ALL"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    rows = [{"offset": n, "key": b"k", "value": None if n == 3 else b"\x1b[2J"} for n in range(4)]
    return write_results(folder, records=records_table(*rows))


def test_an_answer_is_a_table_of_text(results: Path) -> None:
    done = manage("sql", results, COUNT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "value_is_null  records",
        "false                3",
        "true                 1",
    ]


def test_results_are_named_as_they_lie_in_the_folder_at_hand(results: Path) -> None:
    done = manage("sql", results.name, "SELECT count(*) AS n FROM records", folder=results.parent)
    assert done.stdout.split() == ["n", "4"], done.stderr


def test_what_a_terminal_would_obey_is_escaped(results: Path) -> None:
    assert "\\x1b[2J" in manage("sql", results, "SELECT value FROM records LIMIT 1").stdout


@pytest.mark.parametrize(
    ("name", "first"),
    [("csv", "value_is_null,records"), ("json", '[{"value_is_null": false, "records": 3},')],
)
def test_files_may_go_through_a_pipe(results: Path, name: str, first: str) -> None:
    assert manage("sql", results, "--format", name, COUNT).stdout.splitlines()[0] == first


def test_parquet_goes_into_a_file(results: Path, tmp_path: Path) -> None:
    done = manage("sql", results, COUNT, "--format", "parquet", "--out", tmp_path / "a.parquet")
    assert (done.returncode, done.stdout) == (0, "")
    assert pq.read_table(tmp_path / "a.parquet").num_rows == 2


def test_what_is_left_out_is_said(results: Path) -> None:
    done = manage("sql", results, "-", "--limit", 2, standard_input="SELECT key FROM records")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 3)
    assert done.stderr.strip() == "The answer has more than 2 rows (--limit 2)."


def test_a_mistake_is_marked(results: Path) -> None:
    done = manage("sql", results, "SELECT * FROM record")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "Line 1, column 15: The report has no table record. Did you mean records?",
        "  SELECT * FROM record",
        "                ^^^^^^",
    ]


def test_the_tables_are_listed(results: Path) -> None:
    lines = manage("sql", results, "tables").stdout.splitlines()
    assert (
        "records  4 rows, one row per record, control records included; sorted by place in the file" in lines
    )
    assert "  value  BLOB  value bytes as the broker stored them" in lines
    assert any(line.startswith('  "offset"  BIGINT') for line in lines)
    assert "live_state" in lines[-1].removeprefix("Without rows: ").split(", ")


def test_the_tables_of_every_report_are_listed() -> None:
    done = manage("sql", "tables")
    names = [line.partition("  ")[0] for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert (done.returncode, sorted(names)) == (0, sorted(NAMES))
    assert "live_state  view, one row per entity that exists at the end of the log" in done.stdout


@pytest.mark.spark
def test_an_input_is_inspected_first(tmp_path: Path) -> None:
    rows = [
        {"topic": "orders", "partition": 0, "offset": n, "key": f"k{n}", "payload": "v"} for n in range(3)
    ]
    (tmp_path / "dump.json").write_text("\n".join(map(json.dumps, rows)))
    done = manage("sql", tmp_path / "dump.json", "SELECT count(*) AS n FROM keys", "--format", "json")
    assert (done.returncode, json.loads(done.stdout)) == (0, [{"n": 3}])


def test_what_is_no_report_is_told(tmp_path: Path) -> None:
    done = manage("sql", tmp_path / "nothing", "SELECT 1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "does not exist" in done.stderr
