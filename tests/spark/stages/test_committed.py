"""Entries of aborted and open transactions do not count where a service reads committed ones only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from spark.detectors import Tables
from spark.stages.committed import committed, inside
from tests.spark.transaction_logs import abort, commit, data, log, plain, read_logs


def left(folder: Path, *batches: bytes) -> list[int]:
    tables = read_logs(log(folder, batches))
    offsets = [row["offset"] for row in tables["records"].to_pylist() if row["control_type"] is None]
    entries = pa.table({"offset": pa.array(offsets, pa.int64())})
    kept = committed([entries], "topic = 't'", Tables.of(tables))
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
