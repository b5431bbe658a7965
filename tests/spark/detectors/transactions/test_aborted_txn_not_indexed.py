"""Aborted data that the index does not name; without an index in the input the detector cannot run."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.detectors.transactions.aborted_txn_not_indexed import absent, detector
from tests.builders import given_tables
from tests.spark.transaction_logs import (
    CORPUS,
    NO_CORPUS,
    abort,
    commit,
    data,
    emptied,
    findings,
    log,
    read_logs,
    txnindex,
)  # fmt: skip

ROWS = [data(0, keys=b"ab"), abort(2), data(3), abort(4)]


@pytest.mark.parametrize(
    "companions",
    [{"txnindex": txnindex((0, 3, 4))}, {"txnindex": b""}, {"timeindex": b"", "txnindex_9": b""}],
    ids=["other", "empty", "of another segment only"],
)
def test_an_index_that_lacks_it_is_found(tmp_path: Path, companions: dict[str, bytes]) -> None:
    (finding,) = findings(detector, read_logs(log(tmp_path, ROWS, **companions)))
    assert (finding.severity, finding.first_offset) == ("critical", 0)
    assert "Key `a`" in finding.explanation
    assert finding.evidence[:3] == [0, 1, 2]


CLEANED = data(5, 9, keys=b"xy", last_offset_delta=3, transactional=False)


def test_a_cleaned_segment_without_the_index_lost_it(tmp_path: Path) -> None:
    (finding,) = findings(detector, read_logs(log(tmp_path, [*ROWS, CLEANED], timeindex=b"")))
    assert finding.first_offset == 0


def test_without_a_cleaning_nobody_may_have_copied_the_indexes_of_aborted_transactions(
    tmp_path: Path,
) -> None:
    tables = read_logs(log(tmp_path, ROWS, timeindex=b"", index=b""))
    assert findings(detector, tables) == []
    assert absent(given_tables(tables)) is not None


def test_an_index_that_names_them_all_is_healthy(tmp_path: Path) -> None:
    assert findings(detector, read_logs(log(tmp_path, ROWS, txnindex=txnindex((0, 0, 2), (0, 3, 4))))) == []


def test_no_index_in_the_input_is_no_answer(tmp_path: Path) -> None:
    why = absent(given_tables(read_logs(log(tmp_path, ROWS))))
    assert why is not None
    assert ".txnindex" in why


def test_without_aborted_transactions_there_is_nothing_to_ask(tmp_path: Path) -> None:
    assert absent(given_tables(read_logs(log(tmp_path, [data(0), commit(1)])))) is None


def test_committed_and_emptied_transactions_need_no_entry(tmp_path: Path) -> None:
    rows = [data(0), commit(1), emptied(2), abort(3), abort(4, 7)]
    assert findings(detector, read_logs(log(tmp_path, rows, txnindex=b""))) == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)
@pytest.mark.parametrize(
    ("folder", "count"),
    [("before", 0), ("after-2.8.1", 1), ("after-2.8.2", 0)],
    ids=["before", "2.8.1", "2.8.2"],
)
def test_both_sides_of_the_version_that_mended_the_cleaner(folder: str, count: int) -> None:
    found = findings(detector, read_logs(CORPUS / "brokers" / "abort-index-lost-2.8.1" / folder))
    assert [(finding.first_offset, finding.last_offset) for finding in found] == [(6, 7)] * count
