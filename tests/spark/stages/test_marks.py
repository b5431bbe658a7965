"""Marks: every record of a partition that a service reads, once, in the order of offsets, with what the service does."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from spark.stages import marks
from spark.stages.marks import portions
from spark.tables import Manifest
from spark.tables.replica import is_of
from spark.tables.service_kinds import kinds_of
from spark.tables.store import ResultTables
from tests.builders import records_table
from tests.generator import long_apicurio, long_log
from tests.generator.registry import TOPIC
from tests.spark.whole_pipeline import report_of
from tests.webapp.reports.result_folder import add_marks, write_results

JOURNAL = (TOPIC, 0, "")


def test_an_inspection_writes_what_the_service_does_with_each_record(tmp_path: Path) -> None:
    long_log.write_segments(tmp_path / "input", TOPIC, long_apicurio.journal(3_000))
    report_of(tmp_path / "input", tmp_path / "results")
    manifest = Manifest.load(tmp_path / "results")
    tables = ResultTables.open(manifest)
    columns = (
        '"offset", kind, timestamp_ms, entry_type, key_size_bytes, value_size_bytes, key_hash_1, key_hash_2'
    )
    written = tables.tuples(f"SELECT {columns} FROM marks")
    bounds = {"first_offset": 0, "last_offset": 2_999}
    assert written == tables.tuples(
        f'SELECT {columns} FROM ({kinds_of(is_of(JOURNAL))}) ORDER BY "offset"', bounds
    )
    assert [row[0] for row in written[1:]] == list(range(3_000))
    assert {row[1] for row in written[1:]} >= {"create", "update", "restart"}


def test_portions_divide_a_partition_without_overlap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"key": b"k", "offset": n * n} for n in range(1000)]
    folder = write_results(tmp_path, records=records_table(*rows))
    path = folder / "lifelines" / "0000-a.parquet"
    pq.write_table(pq.read_table(path), path, row_group_size=90)
    monkeypatch.setattr(marks, "PORTION_GROUPS", 5)
    bounds = list(portions(("journal", 0, ""), Manifest.load(folder)))
    assert (bounds[0][0], bounds[-1][1]) == (0, 999 * 999)
    assert len(bounds) == 3
    assert all(before[1] + 1 == after[0] for before, after in pairwise(bounds))
    add_marks(folder)
    assert pq.read_table(folder / "marks")["offset"].to_pylist() == [n * n for n in range(1000)]


def test_a_partition_without_records_has_no_portions(tmp_path: Path) -> None:
    folder = write_results(tmp_path, records=records_table({"key": b"k"}))
    assert list(portions(("other", 0, ""), Manifest.load(folder))) == []
