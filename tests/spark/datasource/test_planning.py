"""A query is planned into small, importable pieces: only the splits that may have rows of its table."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from spark.datasource.planning import FileRows, SplitBundle, planned
from spark.datasource.selection import ReadSelection
from spark.terms.errors import UnreadableInput
from tests.generator.segment import Record, segment, segment_name
from tests.spark.datasource.journals import broken_sample, orders, request

BATCH_BYTES = 2_000_000


def bundles(folder: Path, table: str, **options: str) -> list[SplitBundle]:
    made = planned(chosen := request(folder, table, **options), chosen.selection)
    assert all(isinstance(task, SplitBundle) for task in made)
    return [task for task in made if isinstance(task, SplitBundle)]


def files(tasks: list[SplitBundle]) -> set[str]:
    return {split.name for task in tasks for split in task.splits}


def test_small_files_are_one_task_and_large_ones_several(tmp_path: Path) -> None:
    assert len(bundles(orders(tmp_path / "small"), "records")) == 1
    (tmp_path / "large-0").mkdir()
    records = [Record(b"key", b"v" * BATCH_BYTES)] * 40
    (tmp_path / "large-0" / segment_name(0)).write_bytes(segment(records, records_per_batch=1))
    assert [len(task.splits) for task in bundles(tmp_path / "large-0", "records")] == [1, 1, 1]


def test_segments_of_other_partitions_are_not_even_cut(tmp_path: Path) -> None:
    tasks = bundles(orders(tmp_path / "d"), "records", topic="orders", partition="1")
    assert {name.split("/")[1] for name in files(tasks)} == {"orders-1"}
    assert bundles(tmp_path / "d", "records", topic="nothing") == []


@pytest.mark.parametrize(
    ("table", "has_segments", "has_companions"),
    [
        ("records", True, False),
        ("entries", True, False),
        ("batches", True, False),
        ("damage", True, True),
        ("index_entries", False, True),
        ("properties", False, True),
    ],
)
def test_only_files_that_may_have_rows_of_the_table_are_read(
    table: str, has_segments: bool, has_companions: bool, tmp_path: Path
) -> None:
    names = files(bundles(broken_sample(tmp_path), table))
    assert any(name.endswith(".log") for name in names) is has_segments
    assert any(not name.endswith(".log") for name in names) is has_companions


def test_a_range_of_offsets_goes_with_the_segments(tmp_path: Path) -> None:
    [task] = bundles(orders(tmp_path), "records", first_offset="25")
    assert {split.detail["offsets"] for split in task.splits} == {(25, 2**63 - 1)}
    [task] = bundles(tmp_path, "damage", first_offset="25")
    assert not any("offsets" in split.detail for split in task.splits)


def test_dialects_go_along_only_where_entries_are_read(tmp_path: Path) -> None:
    folder = broken_sample(tmp_path)
    assert bundles(folder, "entries")[0].dialect_ids == {"kafkasql-journal": "apicurio-v2"}
    assert bundles(folder, "records")[0].dialect_ids == {"kafkasql-journal": "apicurio-v2"}
    assert bundles(folder, "records", columns="offset,key")[0].dialect_ids == {}
    assert bundles(folder, "entries", dialect="plain")[0].dialect_ids == {"kafkasql-journal": "plain"}


def test_a_task_is_small(tmp_path: Path) -> None:
    [task] = bundles(orders(tmp_path, partitions=1), "records")
    assert len(pickle.dumps(task)) < 400 * (1 + len(task.splits))


def test_files_are_rows_of_the_plan(tmp_path: Path) -> None:
    [task] = planned(request(orders(tmp_path), "files"), ReadSelection())
    assert isinstance(task, FileRows)


def test_a_folder_without_a_journal_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no journal")
    with pytest.raises(UnreadableInput, match=r"notes\.txt"):
        planned(request(tmp_path, "records"), ReadSelection())
