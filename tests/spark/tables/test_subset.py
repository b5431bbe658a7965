"""Subsets of partitions: each row of a table is in exactly one, and none has more records than it may."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.tables import Manifest, Part
from spark.tables.store import ResultTables
from spark.tables.subset import PartitionSubset, bundled, subsets
from tests.builders import files_table, records_table

COUNTS = {("a", 0): 5, ("a", 1): 5, ("it's", 0): 30, ("z", 0): 1, ("z", 7): 1}


def test_small_items_share_a_bundle() -> None:
    assert bundled([3, 3, 9, 1, 1], int, 6) == [[3, 3], [9], [1, 1]]


def test_partitions_go_together_until_they_are_too_many() -> None:
    first, second, rest = subsets(COUNTS, 10)
    assert (first.partitions, first.is_rest) == (frozenset({("a", 0), ("a", 1)}), False)
    assert (second.partitions, second.is_rest) == (frozenset({("it's", 0)}), False)
    assert (rest.partitions, rest.is_rest) == (first.partitions | second.partitions, True)
    assert [one.number for one in (first, second, rest)] == [0, 1, 2]


@pytest.mark.parametrize("counts", [{}, {("a", 0): 99}, {("a", 0): 4, ("b", 0): 6}])
def test_what_one_task_can_hold_is_not_divided(counts: dict[tuple[str, int], int]) -> None:
    [everything] = subsets(counts, 10)
    assert everything.is_everything


def folder(path: Path, **tables: pa.Table) -> Manifest:
    parts = []
    for name, rows in tables.items():
        (path / name).mkdir()
        pq.write_table(rows, path / name / "0.parquet")
        parts.append(Part(name, f"{name}/0.parquet", rows.num_rows))
    return Manifest(path, {}, {}).with_parts(parts)


@pytest.mark.parametrize("most", [1, 2, 10, 1000])
def test_each_row_is_in_one_subset_also_of_partitions_that_nobody_counted(most: int, tmp_path: Path) -> None:
    rows = records_table(*({"topic": topic, "partition": n} for topic, n in [*COUNTS, ("unknown", 3)]))
    manifest = folder(tmp_path, records=rows)
    found = [
        (row["topic"], row["partition"])
        for subset in subsets(COUNTS, most)
        for row in ResultTables.open(manifest.of(subset)).rows("SELECT topic, partition FROM records")
    ]
    assert sorted(found) == sorted([*COUNTS, ("unknown", 3)])


def test_files_of_a_broker_and_dumps_are_in_every_subset(tmp_path: Path) -> None:
    rows = files_table(
        {"file": 0, "topic": "a", "kind": "segment"},
        {"file": 1, "topic": "b", "kind": "segment"},
        {"file": 2, "topic": "b", "kind": "companion"},
        {"file": 3, "topic": "?", "kind": "companion"},
        {"file": 4, "topic": "b", "kind": "export"},
        {"file": 5, "topic": "?", "kind": "segment"},
    )
    tables = ResultTables.open(folder(tmp_path, files=rows).of(PartitionSubset(0, frozenset({("a", 0)}))))
    assert [row["file"] for row in tables.rows("SELECT file FROM files ORDER BY file")] == [0, 3, 4]


def test_a_table_that_is_not_restricted_is_whole(tmp_path: Path) -> None:
    manifest = folder(tmp_path, records=records_table({"topic": "a"}, {"topic": "b"}))
    subset = PartitionSubset(0, frozenset({("a", 0)}), tables=frozenset({"batches"}))
    assert len(ResultTables.open(manifest.of(subset)).rows("FROM records")) == 2
