"""Snapshots that begin again, and those that come to an end."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors.connect.snapshot_restarted import detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.spark.connect_journals import findings, record


def found(*values: Any) -> list[Finding]:
    key = '["c", {"server": "c"}]'
    return findings(
        detector, [record(60 * n, (key, value), "connect-offsets") for n, value in enumerate(values)]
    )


def at(position: int, **more: Any) -> dict[str, Any]:
    """An offset within a snapshot that began at this position."""
    return {"file": "binlog.000001", "pos": position, "snapshot": True, "snapshot_completed": False} | more


STREAMING = {"file": "binlog.000001", "pos": 99, "server_id": 1}


def test_three_snapshots_without_an_end_are_found() -> None:
    (finding,) = found(at(1), at(1), at(2), at(3))
    assert (finding.severity, finding.evidence) == ("medium", [0, 120, 180])
    assert (
        plain(finding.title)
        == "Connector c began its snapshot 3 times in 3 minutes and completed none of them"
    )


@pytest.mark.parametrize("name", ["lsn", "scn", "commit_lsn"])
def test_each_database_names_its_start(name: str) -> None:
    assert found(*({name: str(n), "snapshot": "INITIAL", "snapshot_completed": False} for n in range(3)))


@pytest.mark.parametrize(
    "values",
    [
        [at(1), at(1), at(1), at(1)],
        [at(1), at(2)],
        [at(1), at(2), at(3), STREAMING],
        [at(1), at(2), at(3), at(3, snapshot_completed=True)],
        [at(1), None, at(2), None, at(3)],
        [at(1), STREAMING, at(2), STREAMING, at(3)],
    ],
    ids=["one", "one restart", "completed", "just completed", "asked for", "ad hoc"],
)
def test_innocent(values: list[Any]) -> None:
    assert found(*values) == []
