"""Missing offsets and the cause that can be proven."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.log.gaps import CAUSES, KEYS_ONCE, absent, unexplained, write_gaps
from spark.tables import TABLES, Manifest
from spark.tables.parquet import PartWriter

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
    manifest = Manifest(folder, {}, {}).with_parts(parts)
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


def test_offsets_below_zero_are_not_said_to_be_deleted_by_retention(tmp_path: Path) -> None:
    assert gaps(tmp_path, {("t", 0, ""): -9}, runs=[run(-9, -7), run(-3, 0)]) == [(0, -6, -4, "unexplained")]


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
    assert gaps(tmp_path, {("t", 0, ""): 10}, runs=runs) == [
        (0, 5, 8, "likely compaction"),
        (0, 13, 19, "unexplained"),
    ]


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


def test_missing_offsets_are_known_only_where_their_cause_is_proven(tmp_path: Path) -> None:
    by_header, by_keys = CAUSES[1], KEYS_ONCE
    rows = [
        {**PLACE, "first_offset": first, "last_offset": last, "cause": cause, "proof": proof}
        for first, last, (cause, proof) in ((1, 2, by_header), (5, 5, by_keys), (7, 9, CAUSES[-1]))
    ]
    rows += [row | {"replica": "broker-2"} for row in rows]
    writer = PartWriter(tmp_path, "0")
    writer.write("gaps", pa.Table.from_pylist(rows, schema=TABLES["gaps"].schema))
    (part,) = writer.finish()
    assert absent(Manifest(tmp_path, {"gaps": [part.name]}, {})) == {
        "t-0": {"known": 2, "unknown": 4, "likely": 1}
    }


SEGMENTS = [
    {"file": 0, "kind": "segment", "layout": "log-segment", "base_offset": 3},
    {"file": 1, "kind": "segment", "layout": "log-segment", "base_offset": 20},
]


def cleaned(
    first_dirty: int | None, compacted: str = "proven", dirty_from: str = "checkpoint"
) -> list[dict[str, Any]]:
    return [{"compacted": compacted, "first_dirty_offset": first_dirty, "dirty_from": dirty_from}]


def test_below_the_cleaners_point_anything_may_be_missing_and_above_it_nothing(tmp_path: Path) -> None:
    runs = [run(0, 4), run(9, 12), run(20, 30)]
    found = gaps(tmp_path, {("t", 0, ""): 99}, runs=runs, cleanings=cleaned(15))
    assert found == [(0, 5, 8, "compaction"), (0, 13, 14, "compaction"), (0, 15, 19, "unexplained")]


@pytest.mark.parametrize(("compacted", "cause"), [("proven", "compaction"), ("likely", "likely compaction")])
def test_keys_prove_a_compaction_only_of_a_log_that_is_proven_to_be_compacted(
    tmp_path: Path, compacted: str, cause: str
) -> None:
    runs = [run(0, 4), run(9, 12), run(20, 30)]
    found = gaps(tmp_path, {("t", 0, ""): 99}, runs=runs, cleanings=cleaned(15, compacted, "keys"))
    assert found == [(0, 5, 8, cause), (0, 13, 14, cause), (0, 15, 19, "unexplained")]


def test_a_log_that_was_never_cleaned_may_lack_nothing(tmp_path: Path) -> None:
    found = gaps(tmp_path, {("t", 0, ""): 99}, runs=[run(0, 4), run(9, 12)], cleanings=cleaned(0, "no"))
    assert found == [(0, 5, 8, "unexplained")]


def test_a_record_without_a_key_below_the_hole_was_not_cleaned(tmp_path: Path) -> None:
    keyless = [{"offset": 3, "key_hash_1": 0, "key_hash_2": 0, "kind": "create"}]
    assert gaps(tmp_path, {}, runs=[run(0, 4), run(9, 12)], lifelines=keyless) == [(0, 5, 8, "unexplained")]


def test_the_head_of_a_folder_was_taken_by_retention_or_by_the_cleaner(tmp_path: Path) -> None:
    found = gaps(
        tmp_path, REPEAT, runs=[run(7, 19), run(20, 25, file=1)], files=SEGMENTS, cleanings=cleaned(20)
    )
    assert found == [(0, 0, 2, "retention"), (0, 3, 6, "compaction")]


def test_an_export_that_begins_later_lacks_no_head(tmp_path: Path) -> None:
    files = [{"file": 0, "kind": "export", "layout": "kcat-json"}]
    assert gaps(tmp_path, REPEAT, runs=[run(7, 19)], files=files) == []


@pytest.mark.parametrize(
    ("kinds", "cause"), [(["export", "export"], "capture limit"), (["segment", "segment"], "unexplained")]
)
def test_between_two_files_of_a_capture_nothing_was_captured(
    tmp_path: Path, kinds: list[str], cause: str
) -> None:
    layout = "log-segment" if "segment" in kinds else "plain-json"
    files = [{"file": n, "kind": kind, "layout": layout, "base_offset": n} for n, kind in enumerate(kinds)]
    found = gaps(tmp_path, REPEAT, runs=[run(0, 4), run(9, 12, file=1)], files=files)
    assert found == [(0, 5, 8, cause)]


def test_damage_of_which_only_the_start_is_known_explains_its_hole(tmp_path: Path) -> None:
    damage = [{"size_bytes": 10, "reason": "truncated", "first_offset": 5}]
    assert gaps(tmp_path, REPEAT, runs=[run(0, 4), run(9, 12)], damage=damage) == [(0, 5, 8, "damage")]


@pytest.mark.parametrize(
    ("position", "cause"), [(50, "damage"), (150, "unexplained")], ids=["in it", "behind it"]
)
def test_damage_of_unknown_offsets_explains_the_hole_it_lies_in(
    tmp_path: Path, position: int, cause: str
) -> None:
    damage = [{"size_bytes": 10, "reason": "not_a_batch", "position": position}]
    runs = [run(0, 4), run(9, 12, position=100)]
    assert gaps(tmp_path, REPEAT, runs=runs, damage=damage) == [(0, 5, 8, cause)]


def test_a_companion_that_cannot_be_read_explains_nothing(tmp_path: Path) -> None:
    damage = [{"size_bytes": 10, "reason": "bad_companion"}]
    assert gaps(tmp_path, REPEAT, runs=[run(0, 4), run(9, 12, position=100)], damage=damage) == [
        (0, 5, 8, "unexplained")
    ]


def test_a_hole_is_cut_where_a_batch_header_ends(tmp_path: Path) -> None:
    batches = [{"base_offset": 3, "last_offset": 6}]
    found = gaps(tmp_path, REPEAT, runs=[run(0, 4), run(9, 12)], batches=batches)
    assert found == [(0, 5, 6, "compaction"), (0, 7, 8, "unexplained")]


@pytest.mark.parametrize(
    ("batches", "cause"), [([], "capture limit"), ([{"base_offset": 0, "last_offset": 4}], "unexplained")]
)
def test_a_print_without_the_lines_of_batches_was_picked_from(
    tmp_path: Path, batches: list[dict[str, Any]], cause: str
) -> None:
    files = [{"layout": "dump-log-text", "kind": "export"}]
    found = gaps(tmp_path, REPEAT, runs=[run(0, 4), run(9, 12)], batches=batches, files=files)
    assert found == [(0, 5, 8, cause)]
