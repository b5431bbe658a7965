"""Entries of aborted and open transactions do not count where a service reads committed ones only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from spark.log.read_committed import committed, inside, left_by_cleaner
from spark.tables import TABLES
from tests.builders import given_tables
from tests.generator.segment import Record, batch
from tests.spark.transaction_logs import START_MS, abort, commit, data, log, plain, read_logs


def left(folder: Path, *batches: bytes) -> list[int]:
    tables = read_logs(log(folder, batches))
    offsets = [row["offset"] for row in tables["records"].to_pylist() if row["control_type"] is None]
    entries = pa.table({"offset": pa.array(offsets, pa.int64())})
    kept = committed([entries], "topic = 't'", given_tables(tables))
    return [offset for portion in kept for offset in portion.column("offset").to_pylist()]


def test_an_aborted_transaction_never_counted(tmp_path: Path) -> None:
    assert left(tmp_path, plain(0), data(1, keys=b"ab"), plain(3), abort(4), plain(5)) == [0, 3, 5]


def test_a_committed_one_counts(tmp_path: Path) -> None:
    assert left(tmp_path, data(0), commit(1)) == [0]


def test_an_open_one_does_not_count_yet(tmp_path: Path) -> None:
    assert left(tmp_path, plain(0), data(1)) == [0]


def test_each_producer_has_its_own_markers(tmp_path: Path) -> None:
    assert left(tmp_path, data(0, 7), data(1, 8), abort(2, 7), commit(3, 8), data(4, 7), commit(5, 7)) == [
        1,
        4,
    ]


def test_a_log_without_transactions_is_left_as_it_is(tmp_path: Path) -> None:
    assert left(tmp_path, plain(0), plain(1)) == [0, 1]


def test_both_ends_of_a_range_are_in_it() -> None:
    assert inside(np.arange(6), np.array([1, 4]), np.array([2, 4])).tolist() == [
        False,
        True,
        True,
        False,
        True,
        False,
    ]


def cleaned(folder: Path, *batches: bytes, condition: str = "true") -> list[int]:
    tables = read_logs(log(folder, batches))
    records = tables["records"].to_pylist()
    lifelines = [
        {
            **row,
            "kind": "control" if row["control_type"] else "tombstone" if row["value_is_null"] else "update",
            **({"key_hash_1": 0, "key_hash_2": 0} if row["control_type"] else {}),
        }
        for row in records
    ]
    rows = [{name: row.get(name) for name in TABLES["lifelines"].schema.names} for row in lifelines]
    asked = given_tables(
        {**tables, "lifelines": pa.Table.from_pylist(rows, schema=TABLES["lifelines"].schema)}
    )
    return left_by_cleaner("topic = 't'", condition, asked).tolist()


def test_an_aborted_record_supersedes_nothing_and_goes(tmp_path: Path) -> None:
    assert cleaned(tmp_path, data(0), commit(1), data(2), abort(3)) == [0]


def test_a_committed_record_supersedes(tmp_path: Path) -> None:
    assert cleaned(tmp_path, data(0), commit(1), data(2), commit(3)) == [2]


def test_an_open_record_supersedes_nothing_yet_and_stays(tmp_path: Path) -> None:
    assert cleaned(tmp_path, data(0), commit(1), data(2)) == [0, 2]


@pytest.mark.parametrize(
    ("condition", "kept"), [("true", [2]), ("kind <> 'tombstone'", [])], ids=["next", "full"]
)
def test_tombstones_go_when_everything_is_cleaned(tmp_path: Path, condition: str, kept: list[int]) -> None:
    tombstone = batch([Record(b"a", None, START_MS)], 2)
    assert cleaned(tmp_path, data(0), commit(1), tombstone, condition=condition) == kept
