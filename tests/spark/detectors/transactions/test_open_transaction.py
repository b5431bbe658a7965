"""Open transactions: info, in data and in the coordinator's journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.detectors.transactions.open_transaction import detector
from tests.builders import damage_table
from tests.spark.transaction_logs import (
    CORPUS,
    NO_CORPUS,
    commit,
    data,
    findings,
    log,
    plain,
    read_logs,
    state,
)


def test_data_without_a_marker_is_open(tmp_path: Path) -> None:
    (finding,) = findings(detector, read_logs(log(tmp_path, [plain(0), data(1, keys=b"ab"), plain(3)])))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("info", 1, 2)
    assert "stop at offset 1" in finding.explanation


@pytest.mark.parametrize("status", [1, 2, 3], ids=["Ongoing", "PrepareCommit", "PrepareAbort"])
def test_an_id_that_is_not_at_rest_is_open(tmp_path: Path, status: int) -> None:
    log(tmp_path, [state(0, 0), state(1, status)], name="__transaction_state-0")
    (finding,) = findings(detector, read_logs(tmp_path))
    assert (finding.severity, finding.key, finding.first_offset) == ("info", "till", 1)


@pytest.mark.parametrize(
    "status", [0, 4, 5, -1], ids=["Empty", "CompleteCommit", "CompleteAbort", "tombstone"]
)
def test_an_id_at_rest_is_not(tmp_path: Path, status: int) -> None:
    log(tmp_path, [state(0, 0), state(1, status)], name="__transaction_state-0")
    assert findings(detector, read_logs(tmp_path)) == []


def test_an_ended_transaction_is_not_open(tmp_path: Path) -> None:
    assert findings(detector, read_logs(log(tmp_path, [data(0), commit(1)]))) == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)
def test_a_real_broker_stopped_in_mid_transaction() -> None:
    found = findings(detector, read_logs(CORPUS / "brokers" / "transactions-2.8.1"))
    places = [(finding.topic, finding.partition, finding.first_offset) for finding in found]
    assert places == [("__transaction_state", 0, 30), ("payments", 0, 31), ("payments", 1, 6)]


def test_an_unread_line_behind_the_last_state_may_be_a_newer_one(tmp_path: Path) -> None:
    log(tmp_path, [state(0, 0), state(1, 3)], name="__transaction_state-0")
    tables = read_logs(tmp_path)
    for batches_after, count in ((True, 1), (False, 0)):
        place = {"topic": "__transaction_state", "partition": 0, "replica": ""}
        damage = damage_table({**place, "reason": "bad_line", "batches_after": batches_after})
        assert len(findings(detector, {**tables, "damage": damage})) == count
