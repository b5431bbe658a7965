"""Missing offsets and the cause that can be proven."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from spark.parquet import PartWriter
from spark.stages.gaps import unexplained, write_gaps
from spark.tables import TABLES, Manifest

PLACE = {"topic": "t", "partition": 0, "replica": "", "file": 0, "position": 0}


def gaps(
    folder: Path, first_repeat: dict[Any, int] | None = None, **tables: list[dict[str, Any]]
) -> list[tuple]:
    writer = PartWriter(folder, "0")
    for name, rows in tables.items():
        writer.write(
            name, pa.Table.from_pylist([{**PLACE, **row} for row in rows], schema=TABLES[name].schema)
        )
    parts = writer.finish()
    manifest = Manifest(folder, {part.table: [part.name] for part in parts}, {})
    written = write_gaps(manifest, first_repeat or {})
    found = [row for part in written for row in pq.read_table(folder / part.name).to_pylist()]
    return [(row["partition"], row["first_offset"], row["last_offset"], row["cause"]) for row in found]


def run(first: int, last: int, **other: Any) -> dict[str, Any]:
    return {"first_offset": first, "last_offset": last, **other}


REPEAT = {("t", 0, ""): 2}


def test_no_gap_in_runs_that_touch_overlap_or_stand_out_of_order(tmp_path: Path) -> None:
    assert gaps(tmp_path, REPEAT, runs=[run(5, 9), run(0, 4), run(3, 6), run(10, 12)]) == []


def test_a_hole_without_a_cause_is_unexplained(tmp_path: Path) -> None:
    assert gaps(tmp_path, REPEAT, runs=[run(0, 4), run(9, 12)]) == [(0, 5, 8, "unexplained")]


def test_neighbours_in_another_partition_close_no_hole(tmp_path: Path) -> None:
    found = gaps(tmp_path, REPEAT, runs=[run(0, 4), run(9, 12), run(5, 8, partition=1)])
    assert found == [(0, 5, 8, "unexplained")]


def test_damage_that_fell_on_the_hole_explains_it(tmp_path: Path) -> None:
    damage = [{"size_bytes": 10, "reason": "not_a_batch", "first_offset": 5, "last_offset": 8}]
    assert gaps(tmp_path, REPEAT, runs=[run(0, 4), run(9, 12)], damage=damage) == [(0, 5, 8, "damage")]


def test_a_batch_header_that_spans_the_hole_proves_compaction(tmp_path: Path) -> None:
    batches = [{"base_offset": 3, "last_offset": 9}]
    assert gaps(tmp_path, REPEAT, runs=[run(0, 4), run(9, 12)], batches=batches) == [(0, 5, 8, "compaction")]


def test_unique_keys_below_the_hole_mean_compaction(tmp_path: Path) -> None:
    runs = [run(0, 4), run(9, 12), run(20, 30)]
    assert gaps(tmp_path, {("t", 0, ""): 10}, runs=runs) == [(0, 5, 8, "compaction"), (0, 13, 19, "unexplained")]


def test_offsets_without_a_cause_are_counted_by_partition(tmp_path: Path) -> None:
    rows = [
        {**PLACE, "first_offset": first, "last_offset": last, "cause": cause, "proof": ""}
        for first, last, cause in ((1, 2, "unexplained"), (5, 5, "unexplained"), (7, 9, "compaction"))
    ]
    table = pa.Table.from_pylist(rows, schema=TABLES["gaps"].schema)
    writer = PartWriter(tmp_path, "0")
    writer.write("gaps", table)
    (part,) = writer.finish()
    assert unexplained(Manifest(tmp_path, {"gaps": [part.name]}, {})) == {"t-0": 3}
