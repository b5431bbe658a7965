"""Leader epochs and message formats along a log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from spark.log.epochs import write_epochs
from spark.tables import TABLES, Manifest
from spark.tables.parquet import PartWriter
from tests.builders import batches_table
from tests.generator.segment import SOME_TIME_MS

Rows = list[dict[str, Any]]


def entries(*pairs: tuple[int, int], **where: Any) -> pa.Table:
    """Lines of a leader-epoch-checkpoint."""
    place = {"topic": "journal", "partition": 0, "replica": "", "file": 9, **where}
    rows = [{**place, "epoch": epoch, "start_offset": start} for epoch, start in pairs]
    return pa.Table.from_pylist(rows, schema=TABLES["epoch_entries"].schema)


def written(folder: Path, **tables: pa.Table) -> dict[str, Rows]:
    """What the step writes over these tables."""
    writer = PartWriter(folder, "0")
    for name, rows in tables.items():
        writer.write(name, rows)
    manifest = Manifest(folder, {}, {}).with_parts(writer.finish())
    parts = {part.table: pq.read_table(folder / part.name).to_pylist() for part in write_epochs(manifest)}
    return {"epochs": [], "formats": [], **parts}


def spans(rows: Rows) -> list[tuple[Any, ...]]:
    return [(row["number"], row["magic"], row["first_offset"], row["last_offset"]) for row in rows]


def old(**row: Any) -> dict[str, Any]:
    return {"magic": 1, "leader_epoch": -1, **row}


def test_batches_and_checkpoint_stand_side_by_side(tmp_path: Path) -> None:
    batches = batches_table({"leader_epoch": 3, "last_offset": 4}, {"leader_epoch": 3}, {"leader_epoch": 5})
    found = written(tmp_path, batches=batches, epoch_entries=entries((3, 0), (7, 7)))["epochs"]
    told = [(row["epoch"], row["first_offset"], row["last_offset"], row["batches"]) for row in found]
    assert told == [(3, 0, 5, 2), (5, 6, 6, 1), (7, None, None, 0)]
    assert [row["checkpoint_offset"] for row in found] == [0, None, 7]
    assert found[0]["first_timestamp_ms"] == SOME_TIME_MS + 4000


def test_batches_without_an_epoch_have_no_row(tmp_path: Path) -> None:
    assert written(tmp_path, batches=batches_table({"leader_epoch": -1}, old()))["epochs"] == []


def test_a_batch_with_a_wrong_checksum_says_nothing(tmp_path: Path) -> None:
    batches = batches_table({}, {"magic": 1, "leader_epoch": 9, "crc_computed": 1}, {})
    found = written(tmp_path, batches=batches)
    assert [row["epoch"] for row in found["epochs"]] == [0]
    assert spans(found["formats"]) == [(0, 2, 0, 2)]


def test_each_switch_of_the_format_begins_a_stretch(tmp_path: Path) -> None:
    batches = batches_table(
        {"magic": 0, "leader_epoch": -1, "max_timestamp_ms": -1}, old(), {}, old(), old(), {}
    )
    found = written(tmp_path, batches=batches)["formats"]
    assert spans(found) == [(0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 1, 3, 4), (4, 2, 5, 5)]
    assert [row["first_timestamp_ms"] is None for row in found] == [True, False, False, False, False]
    assert [row["last_leader_epoch"] for row in found] == [-1, -1, 0, -1, 0]
    assert (found[3]["batches"], found[3]["last_timestamp_ms"]) == (2, SOME_TIME_MS + 4000)


def test_segments_are_taken_in_the_order_of_their_offsets_not_of_the_upload(tmp_path: Path) -> None:
    batches = batches_table({"base_offset": 10, "file": 1}, old(base_offset=0, file=2, position=0))
    assert spans(written(tmp_path, batches=batches)["formats"]) == [(0, 1, 0, 0), (1, 2, 10, 10)]


def test_partitions_and_replicas_are_apart(tmp_path: Path) -> None:
    batches = batches_table({}, old(partition=1, file=1), old(replica="b", file=2))
    found = written(tmp_path, batches=batches)["formats"]
    assert [(row["partition"], row["replica"], row["number"], row["magic"]) for row in found] == [
        (0, "", 0, 2), (0, "b", 0, 1), (1, "", 0, 1),
    ]  # fmt: skip


def test_without_batches_nothing_is_written(tmp_path: Path) -> None:
    assert write_epochs(Manifest(tmp_path, {}, {})) == []
