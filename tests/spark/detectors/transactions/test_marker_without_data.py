"""Markers without data: one remark per partition."""

from __future__ import annotations

from pathlib import Path

from spark.detectors.transactions.marker_without_data import detector
from tests.spark.transaction_logs import abort, commit, data, emptied, findings, log, read_logs


def test_they_are_one_remark(tmp_path: Path) -> None:
    rows = [commit(0, 1), emptied(1, 2), abort(2, 2), data(3), commit(4)]
    (finding,) = findings(detector, read_logs(log(tmp_path, rows)))
    assert (finding.severity, finding.evidence) == ("info", [0, 2])
    assert "2 transaction markers" in finding.title


def test_markers_with_data_are_none(tmp_path: Path) -> None:
    assert findings(detector, read_logs(log(tmp_path, [data(0), commit(1), data(2), abort(3)]))) == []
