"""A stream gives each record of a growing folder once, by its offset, and says what was removed before it was read."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.datasource.options import request_of
from spark.datasource.rows import batches_of
from spark.datasource.stream import GrowingFolder, end_of, require_streamed
from spark.datasource.tables import LOADED
from spark.terms.errors import UnreadableInput
from tests.generator.segment import Record, segment, segment_name
from tests.spark.datasource.journals import damaged, orders

Offsets = dict[str, int]


def growing(folder: Path, **options: str) -> GrowingFolder:
    return GrowingFolder(request_of({"path": str(folder), **options}))


def write(partition: Path, base_offset: int, records: int, segment_base: int | None = None) -> Path:
    """A segment, or more batches at the end of one."""
    partition.mkdir(parents=True, exist_ok=True)
    path = partition / segment_name(base_offset if segment_base is None else segment_base)
    content = segment([Record(b"k", b"v")] * records, base_offset, records_per_batch=3)
    with path.open("ab") as file:
        file.write(content)
    return path


def read(folder: GrowingFolder, start: Offsets, end: Offsets) -> list[tuple[str, int, int]]:
    """Topic, partition and offset of each record, as executors read them."""
    table = folder.request.table
    schema = LOADED[table].schema
    return sorted(
        (row["topic"], row["partition"], row["offset"])
        for task, selection in folder.tasks(start, end)
        for batch in batches_of(task, table, selection, schema)
        for row in batch.to_pylist()
    )


def test_batches_that_come_between_are_given_once(tmp_path: Path) -> None:
    folder = growing(tmp_path / "data")
    write(tmp_path / "data/orders-0", 0, 7)
    start = folder.starts()
    first = folder.ends()
    assert (start, first) == ({"data/orders-0": 0}, {"data/orders-0": 7})
    write(tmp_path / "data/orders-0", 7, 4, segment_base=0)
    write(tmp_path / "data/orders-0", 11, 2)
    write(tmp_path / "data/orders-1", 5, 3)
    second = folder.ends()
    assert second == {"data/orders-0": 13, "data/orders-1": 8}
    assert read(folder, start, first) == [("orders", 0, n) for n in range(7)]
    appended = [("orders", 0, n) for n in range(7, 13)] + [("orders", 1, n) for n in range(5, 8)]
    assert read(folder, first, second) == appended
    assert read(folder, second, folder.ends()) == []
    assert read(growing(tmp_path / "data"), first, second) == appended


def test_everything_at_once_is_what_a_load_gives(tmp_path: Path) -> None:
    folder = growing(orders(tmp_path / "data"), topic="orders")
    assert read(folder, folder.starts(), folder.ends()) == [
        ("orders", p, n) for p in (0, 1) for n in range(40)
    ]


def test_segments_before_the_position_are_not_read(tmp_path: Path) -> None:
    folder = growing(orders(tmp_path / "data", partitions=1), topic="orders")
    [(task, selection)] = folder.tasks({"data/orders-0": 25}, {"data/orders-0": 30})
    assert [split.name for split in task.splits] == [f"data/orders-0/{segment_name(20)}"]
    assert (selection.first_offset, selection.last_offset) == (25, 29)


def test_a_batch_is_read_when_it_is_whole(tmp_path: Path) -> None:
    path = write(tmp_path / "orders-0", 0, 6)
    whole = path.read_bytes()
    half = len(whole) // 2
    for size in range(half, len(whole)):
        path.write_bytes(whole[:size])
        assert end_of(str(path), 0) == 3, size
        path.write_bytes(whole[:size] + bytes(len(whole) - size))  # a preallocated file
        assert end_of(str(path), 0) in (3, 6), size
    path.write_bytes(whole + bytes(4096))
    assert end_of(str(path), 0) == 6
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert end_of(str(path), 0) == 3


def test_damage_in_the_middle_hides_no_end(tmp_path: Path) -> None:
    [path] = damaged(tmp_path).rglob("*.log")
    folder = growing(tmp_path)
    assert 0 < end_of(str(path), 0) == next(iter(folder.ends().values()))


@pytest.mark.parametrize("content", [b"", bytes(4096), b"\0" * 7])
def test_a_segment_without_a_batch_ends_where_it_begins(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / segment_name(42)
    path.write_bytes(content)
    assert end_of(str(path), 42) == 42


def test_a_log_that_was_truncated_or_cut_off_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "data/orders-0", 20, 5)
    folder = growing(tmp_path / "data")
    with pytest.raises(
        UnreadableInput, match="data/orders-0 begins at offset 20, and the query has read up to offset 7"
    ):
        folder.tasks({"data/orders-0": 7}, {"data/orders-0": 25})
    with pytest.raises(UnreadableInput, match="ends at offset 25, and the query has read up to offset 30"):
        folder.tasks({"data/orders-0": 30}, {"data/orders-0": 25})
    with pytest.raises(
        UnreadableInput, match=r"data/gone-0 no longer exists\. .* Start the query with a new"
    ):
        folder.tasks({"data/gone-0": 1}, {"data/gone-0": 2})
    assert folder.tasks({"data/gone-0": 2}, {"data/gone-0": 2}) == []


def test_folders_that_brokers_delete_are_no_logs(tmp_path: Path) -> None:
    write(tmp_path / "data/orders-0", 0, 3)
    write(tmp_path / "data/orders-1.0a1b2c-delete", 0, 3)
    assert growing(tmp_path / "data").ends() == {"data/orders-0": 3}


def test_an_empty_folder_waits_and_one_without_segments_says_so(tmp_path: Path) -> None:
    assert growing(tmp_path).starts() == {}
    (tmp_path / "dump.json").write_text("{}")
    with pytest.raises(UnreadableInput, match=f"no partition folder with log segments below {tmp_path}"):
        growing(tmp_path).starts()
    with pytest.raises(UnreadableInput, match="nowhere does not exist"):
        growing(tmp_path / "nowhere").starts()


def test_entries_are_read_by_the_journal_type_that_the_user_names(tmp_path: Path) -> None:
    folder = growing(orders(tmp_path / "data"), table="entries", dialect="orders=plain")
    assert {str(task.dialect_ids) for task, _ in folder.tasks(folder.starts(), folder.ends())} == {
        "{'orders': 'plain'}",
        "{}",
    }


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"table": "damage"},
            "The table damage cannot be streamed. Stream one of records, entries and batches",
        ),
        ({"table": "findings"}, "The table findings cannot be streamed"),
        ({"table": "entries"}, "A stream does not detect journal types. Set the option dialect"),
        ({"path": "s3://bucket/data"}, "s3://bucket/data cannot be streamed"),
    ],
)
def test_what_cannot_be_streamed_is_said(options: dict[str, str], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=sentence):
        require_streamed(request_of({"path": str(tmp_path), **options}))
