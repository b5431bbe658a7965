"""The rows of the data source are those of the pipeline's tables; what is broken is a row of `damage`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from spark.datasource.planning import planned
from spark.datasource.rows import batches_of
from spark.datasource.tables import READ
from spark.tables import TABLES
from spark.terms.errors import UnreadableInput
from tests.generator.segment import Codec
from tests.spark.datasource.journals import broken_sample, damaged, orders, request, rows
from tests.spark.log_folders import tables_of

FOLDERS: dict[str, Callable[[Path], Path]] = {"sample": broken_sample, "damaged": damaged, "orders": orders}


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_table_is_that_of_an_inspection(folder: str, tmp_path: Path) -> None:
    journal = FOLDERS[folder](tmp_path / "journal")
    tables = tables_of(journal, tmp_path / "results")
    for table in READ:
        names = [name for name in TABLES[table].schema.names if name not in {"name", "note", "file"}]
        read = rows(request(journal, table, columns=",".join(names)))
        inspected = tables.rows(f"SELECT {', '.join(map(quoted, names))} FROM {table}")
        assert sorted(map(str, read.to_pylist())) == sorted(map(str, inspected)), table


def quoted(name: str) -> str:
    return f'"{name}"'


def test_broken_bytes_are_rows_of_damage_and_raise_nothing(tmp_path: Path) -> None:
    damage = rows(request(damaged(tmp_path), "damage"))
    assert {"zeros", "truncated"} <= set(damage.column("reason").to_pylist())
    assert rows(request(tmp_path, "records")).num_rows > 0


@pytest.mark.parametrize("codec", ["none", "zstd"])
@pytest.mark.parametrize("table", ["records", "entries"])
def test_a_range_is_exact_whatever_batches_are_passed_over(table: str, codec: Codec, tmp_path: Path) -> None:
    folder = orders(tmp_path, codec=codec)
    everything = rows(request(folder, table, dialect="plain"))
    chosen = rows(request(folder, table, dialect="plain", first_offset="17", last_offset="23"))
    assert chosen.to_pylist() == [row for row in everything.to_pylist() if 17 <= row["offset"] <= 23]


@pytest.mark.parametrize(("first", "last"), [(0, 0), (1, 3), (4, 9), (5, 6), (12, 13), (99, 200)])
def test_a_range_of_a_damaged_log_is_exact(first: int, last: int, tmp_path: Path) -> None:
    everything = rows(request(damaged(tmp_path), "records")).to_pylist()
    chosen = rows(request(tmp_path, "records", first_offset=str(first), last_offset=str(last)))
    assert chosen.to_pylist() == [row for row in everything if first <= row["offset"] <= last]


def test_lines_of_a_dump_are_chosen_by_the_topic_that_they_name(tmp_path: Path) -> None:
    lines = [
        {
            "topic": topic,
            "partition": n,
            "offset": n,
            "tstype": "create",
            "ts": n,
            "broker": 1,
            "key": "k",
            "payload": "v",
        }
        for n, topic in enumerate(("orders", "users", "orders"))
    ]
    (tmp_path / "dump.json").write_text("\n".join(map(json.dumps, lines)))
    chosen = rows(request(tmp_path / "dump.json", "records", topic="orders", partition="2"))
    assert chosen.select(["topic", "partition", "offset"]).to_pylist() == [
        {"topic": "orders", "partition": 2, "offset": 2}
    ]


def test_batches_have_the_columns_that_spark_expects(tmp_path: Path) -> None:
    chosen = request(orders(tmp_path), "records")
    [task] = planned(chosen, chosen.selection)
    schema = pa.schema([("value", pa.binary()), ("offset", pa.int64())])
    batches = list(batches_of(task, "records", chosen.selection, schema))
    assert {batch.schema for batch in batches} == {schema}
    assert sum(batch.num_rows for batch in batches) == 120


def test_a_machine_that_cannot_see_a_file_is_named(tmp_path: Path) -> None:
    chosen = request(orders(tmp_path), "records")
    [task] = planned(chosen, chosen.selection)
    for path in tmp_path.rglob("*.log"):
        path.unlink()
    with pytest.raises(
        UnreadableInput, match=r"cannot read .*\.log: No such file or directory\. Put the journal"
    ):
        list(batches_of(task, "records", chosen.selection, pa.schema([("offset", pa.int64())])))
