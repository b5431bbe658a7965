"""Tables of a whole journal are those of an inspection, made by one task, and bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.datasource import inspected
from spark.datasource.planning import planned
from spark.datasource.rows import rows_of_task
from spark.datasource.tables import FINDINGS
from spark.tables import TABLES, Manifest
from spark.tables.store import ResultTables
from spark.terms.errors import UnreadableInput
from tests.spark.datasource.journals import broken_sample, request, rows
from tests.spark.whole_pipeline import report_of


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return broken_sample(tmp_path_factory.mktemp("sample"))


@pytest.mark.pipeline
def test_tables_are_those_of_an_inspection(sample: Path, tmp_path: Path) -> None:
    report = report_of(sample, tmp_path)
    tables = ResultTables.open(Manifest.load(tmp_path))
    for table in ("state", "gaps"):
        names = ", ".join(f'"{name}"' for name in TABLES[table].schema.names)
        inspected_here = tables.rows(f"SELECT {names} FROM {table}")
        assert sorted(map(str, rows(request(sample, table)).to_pylist())) == sorted(map(str, inspected_here))
    findings = rows(request(sample, "findings"))
    assert findings.schema == FINDINGS.schema
    assert findings.to_pylist() == [
        {name: finding[name] for name in FINDINGS.schema.names} for finding in report["findings"]
    ]


def test_a_journal_too_large_for_one_task_says_what_to_run(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspected, "ALONE_BYTES", 1024)
    asked = request(sample, "state")
    with pytest.raises(
        UnreadableInput, match=r"The table state needs the whole journal.*inspect PATH --out FOLDER"
    ):
        planned(asked, asked.selection)


def test_a_machine_that_cannot_see_a_file_is_named(tmp_path: Path) -> None:
    asked = request(broken_sample(tmp_path), "gaps")
    [task] = planned(asked, asked.selection)
    gone = next(tmp_path.rglob("*.log"))
    gone.unlink()
    with pytest.raises(UnreadableInput, match=f"cannot read {gone}: No such file or directory"):
        list(rows_of_task(task, "gaps"))
