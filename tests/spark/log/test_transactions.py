"""Transactions out of batches, markers and the traces that lost markers leave."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from spark.detectors import detectors
from spark.log.transactions import write_transactions
from spark.tables import Manifest
from spark.tables.parquet import PartWriter
from tests.spark.transaction_logs import (
    CORPUS,
    MINUTE_MS,
    NO_CORPUS,
    START_MS,
    abort,
    commit,
    data,
    emptied,
    findings,
    log,
    outcomes,
    plain,
    read_logs,
    snapshot,
    state,
    txnindex,
)

TRANSACTION_DETECTORS = {
    "aborted-txn-not-indexed", "coordinator-epoch-order", "hanging-transaction", "illegal-state-transition",
    "late-transactional-write", "lost-abort-marker", "marker-without-data", "open-transaction", "sequence-gap",
}  # fmt: skip
SHRUNKEN = data(0, 9, keys=b"xy", last_offset_delta=3, transactional=False)  # the cleaner has been here


def test_interleaved_producers_have_transactions_of_their_own(tmp_path: Path) -> None:
    found = outcomes(
        read_logs(log(tmp_path, [data(0, 1), data(1, 2, keys=b"ab"), commit(3, 1), abort(4, 2), data(5, 1)]))
    )
    assert found == [
        (1, 0, 0, 3, "committed", None),
        (2, 1, 2, 4, "aborted", None),
        (1, 5, 5, None, "open", None),
    ]


@pytest.mark.parametrize("end", [commit, abort], ids=["commit", "abort"])
def test_a_marker_of_the_next_epoch_ends_the_epoch_before(tmp_path: Path, end: object) -> None:
    """Since KIP-890 every marker, before it that of an abort by the coordinator."""
    rows = [data(0, epoch=17), end(1, epoch=18), data(2, epoch=18), end(3, epoch=19)]  # type: ignore[operator]
    found = outcomes(read_logs(log(tmp_path, rows)))
    assert [row[1:4] for row in found] == [(0, 0, 1), (2, 2, 3)]
    assert {row[4] for row in found} <= {"committed", "aborted"}


def test_the_marker_says_its_epochs(tmp_path: Path) -> None:
    (row,) = read_logs(log(tmp_path, [data(0, epoch=3), abort(1, epoch=4, coordinator=7)]))[
        "transactions"
    ].to_pylist()
    assert (row["producer_epoch"], row["marker_epoch"], row["coordinator_epoch"]) == (3, 4, 7)


def test_an_emptied_batch_is_no_data(tmp_path: Path) -> None:
    (row,) = read_logs(log(tmp_path, [emptied(0), abort(1)]))["transactions"].to_pylist()
    assert (row["first_offset"], row["records"], row["outcome"]) == (None, 0, "aborted")


def test_the_index_names_an_aborted_transaction_or_not(tmp_path: Path) -> None:
    rows = [data(0), abort(1), data(2), abort(3)]
    named = read_logs(log(tmp_path / "a", rows, txnindex=txnindex((0, 0, 1))))["transactions"]
    assert named.column("is_indexed").to_pylist() == [True, False]
    beside_others = read_logs(log(tmp_path / "b", rows, index=b""))["transactions"]
    assert beside_others.column("is_indexed").to_pylist() == [None, None]
    shrunken = data(4, 9, keys=b"xy", last_offset_delta=3, transactional=False)
    cleaned = read_logs(log(tmp_path / "d", [*rows, shrunken], index=b""))["transactions"]
    assert cleaned.column("is_indexed").to_pylist() == [False, False]
    alone = read_logs(log(tmp_path / "c", rows))["transactions"]
    assert alone.column("is_indexed").to_pylist() == [None, None]


LOST = (0, 4, 4, None, "marker_missing", "aborted")


def test_an_index_entry_ends_what_the_later_commit_would_adopt(tmp_path: Path) -> None:
    rows = [SHRUNKEN, data(4), data(6), commit(7)]
    found = outcomes(read_logs(log(tmp_path, rows, txnindex=txnindex((0, 4, 5)))))
    assert found == [LOST, (0, 6, 6, 7, "committed", None)]


def test_a_snapshot_without_open_transaction_ends_it(tmp_path: Path) -> None:
    rows = [SHRUNKEN, data(4), data(6), commit(7), plain(8), SHRUNKEN_LATER]
    found = outcomes(read_logs(log(tmp_path, rows, snapshot_6=snapshot((0, 4, -1)))))
    assert found == [LOST, (0, 6, 6, 7, "committed", None)]


SHRUNKEN_LATER = data(9, 9, keys=b"x", last_offset_delta=2, transactional=False)


def test_a_snapshot_with_the_transaction_open_ends_nothing(tmp_path: Path) -> None:
    rows = [SHRUNKEN, data(4), data(6), commit(7), plain(8), SHRUNKEN_LATER]
    found = outcomes(read_logs(log(tmp_path, rows, snapshot_6=snapshot((0, 4, 4)))))
    assert found == [(0, 4, 6, 7, "committed", None)]


def test_a_newer_epoch_ends_it(tmp_path: Path) -> None:
    rows = [SHRUNKEN, data(4), data(6, epoch=1), commit(7, epoch=1), SHRUNKEN_LATER]
    assert outcomes(read_logs(log(tmp_path, rows))) == [LOST, (0, 6, 6, 7, "committed", None)]


def test_the_emptied_marker_ends_it(tmp_path: Path) -> None:
    rows = [data(4), emptied(5, control=True), data(6), commit(7)]
    assert outcomes(read_logs(log(tmp_path, rows))) == [LOST, (0, 6, 6, 7, "committed", None)]


def test_another_copy_that_has_the_marker_ends_it(tmp_path: Path) -> None:
    log(tmp_path / "1", [data(4), abort(5), data(6), commit(7)])
    log(tmp_path / "2", [data(4), data(6), commit(7)])
    found = outcomes(read_logs(tmp_path))
    assert found[0] == (0, 4, 4, 5, "aborted", None)
    assert found[2] == LOST


def test_a_cleaning_behind_an_open_transaction_ends_it(tmp_path: Path) -> None:
    """The cleaner never passes the last stable offset."""
    rows = [data(4), plain(6), SHRUNKEN_LATER, plain(12)]
    assert outcomes(read_logs(log(tmp_path, rows))) == [LOST]


def test_a_cleaning_before_it_does_not(tmp_path: Path) -> None:
    rows = [SHRUNKEN, data(4), plain(5), plain(6)]
    assert outcomes(read_logs(log(tmp_path, rows))) == [(0, 4, 4, None, "open", None)]


def test_the_coordinators_record_of_the_abort_ends_it(tmp_path: Path) -> None:
    rows = [SHRUNKEN, data(4, minutes=1), data(6, minutes=3), commit(7, minutes=4), SHRUNKEN_LATER]
    log(tmp_path, rows)
    states = [
        state(0, 1, start=1, minutes=1),
        state(1, 3, start=1, minutes=2),
        state(2, 5, start=1, minutes=2),
    ]
    log(tmp_path, states, name="__transaction_state-0")
    assert outcomes(read_logs(tmp_path)) == [LOST, (0, 6, 6, 7, "committed", None)]


def test_without_any_trace_the_later_commit_takes_it(tmp_path: Path) -> None:
    rows = [SHRUNKEN, data(4), data(6), commit(7)]
    assert outcomes(read_logs(log(tmp_path, rows))) == [(0, 4, 6, 7, "committed", None)]


def test_what_damage_leaves_open_is_not_called_open(tmp_path: Path) -> None:
    broken = bytearray(commit(5))
    broken[70] ^= 1
    found = outcomes(read_logs(log(tmp_path, [data(4), bytes(broken), plain(6)])))
    assert found == [(0, 4, 4, None, "marker_missing", "unknown")]


def test_an_open_transaction_holds_the_last_stable_offset(tmp_path: Path) -> None:
    (row,) = read_logs(log(tmp_path, [plain(0), data(1), plain(2)]))["transactions"].to_pylist()
    assert row["first_stable_offset"] == 1


def test_a_folder_is_written_as_parquet(tmp_path: Path) -> None:
    tables = read_logs(log(tmp_path / "in", [data(0), commit(1)]))
    results = tmp_path / "out"
    results.mkdir()
    writer = PartWriter(results, "0")
    for name in ("batches", "records", "files"):
        writer.write(name, tables[name])
    (part,) = write_transactions(Manifest(results, {}, {}).with_parts(writer.finish()))
    assert (part.table, part.rows) == ("transactions", 1)
    assert pq.read_table(results / part.name).column("outcome").to_pylist() == ["committed"]


def test_a_log_without_transactions_has_no_table(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    writer = PartWriter(tmp_path / "out", "0")
    writer.write("batches", read_logs(log(tmp_path / "in", [plain(0)]))["batches"])
    assert write_transactions(Manifest(tmp_path / "out", {}, {}).with_parts(writer.finish())) == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)
@pytest.mark.parametrize("case", ["transactions-2.8.1", "hanging-transaction-2.8.2"])
def test_real_brokers_agree(case: str) -> None:
    folder = CORPUS / "brokers" / case
    truth = json.loads((folder / "case.json").read_text())["truth"]["partitions"]
    rows = read_logs(folder)["transactions"].to_pylist()
    for name, partition in truth.items():
        here = [row for row in rows if f"{row['topic']}-{row['partition']}" == name]
        ended = {
            (
                row["producer_id"],
                row["producer_epoch"],
                row["records"],
                row["marker_offset"],
                row["marker_epoch"],
            )
            for row in here
            if row["marker_offset"] is not None
        }
        assert ended == {
            (t["producerId"], t["epoch"], t["records"], t["marker_offset"], t["marker_epoch"])
            for t in partition.get("transactions", [])
        }
        assert [row["first_offset"] for row in here if row["outcome"] == "open"] == [
            t["first"] for t in partition.get("open_transactions", [])
        ]


def test_numbers_at_the_ends_of_their_range_break_nothing(tmp_path: Path) -> None:
    far = (1 << 63) - 1 - START_MS
    rows = [
        data(0, minutes=0),
        commit(1, coordinator=-(1 << 31)),
        data(2, log_append_time_ms=far),
        data(far, 3),
    ]
    log(tmp_path, rows, txnindex=txnindex((0, -1, far)), snapshot_3=snapshot((0, far, far)))
    log(tmp_path, [state(0, 3, minutes=0, start=-far // MINUTE_MS)], name="__transaction_state-0")
    (tmp_path / "t-0" / f"{10**20 - 1}.index").write_bytes(b"")
    tables = read_logs(tmp_path)
    assert outcomes(tables)[0] == (0, 0, 0, 1, "committed", None)
    assert tables["transactions"].column("coordinator_epoch")[0].as_py() == -(1 << 31)
    for name, detector in detectors().items():
        if name in TRANSACTION_DETECTORS:
            findings(detector, tables)
