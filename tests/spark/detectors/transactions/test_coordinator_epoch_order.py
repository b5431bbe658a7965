"""Coordinator epochs of one producer's markers."""

from __future__ import annotations

from pathlib import Path

from spark.detectors.transactions.coordinator_epoch_order import detector
from tests.spark.transaction_logs import commit, data, findings, log, read_logs


def test_an_epoch_that_goes_back_is_found(tmp_path: Path) -> None:
    rows = [
        data(0),
        commit(1, coordinator=4),
        data(2),
        commit(3, coordinator=3),
        data(4),
        commit(5, coordinator=4),
    ]
    (finding,) = findings(detector, read_logs(log(tmp_path, rows)))
    assert (finding.severity, finding.first_offset, finding.evidence) == ("high", 3, [1, 3])
    assert "coordinator epoch 3 after 4" in finding.title


def test_epochs_that_stay_or_rise_are_healthy(tmp_path: Path) -> None:
    rows = [commit(0, coordinator=4), commit(1, coordinator=4), commit(2, coordinator=9)]
    assert findings(detector, read_logs(log(tmp_path, rows))) == []


def test_other_producers_have_other_coordinators(tmp_path: Path) -> None:
    assert findings(detector, read_logs(log(tmp_path, [commit(0, 1, coordinator=4), commit(1, 2)]))) == []


def test_an_epoch_that_an_administrator_left_out_is_none(tmp_path: Path) -> None:
    rows = [commit(0, coordinator=4), commit(1, coordinator=-1)]
    assert findings(detector, read_logs(log(tmp_path, rows))) == []
