"""Offsets of source connectors that go back, and those that only look so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.detectors.connect.source_offset_regression import detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.spark.connect_journals import Pair, findings, record

MIRROR = {"cluster": "a", "partition": 3, "topic": "orders"}


def found(
    *values: Any, source: dict[str, Any] | None = None, configs: tuple[tuple[int, Pair], ...] = ()
) -> list[Finding]:
    """Of the offsets of connector c; an offset in the log is a second."""
    key = json.dumps(["c", source or {"server": "c"}])
    offsets = [record(10 * n, (key, value), "connect-offsets") for n, value in enumerate(values, 1)]
    return findings(detector, offsets + [record(at, pair) for at, pair in configs])


def binlog(number: int, position: int, server: int = 1, **more: Any) -> dict[str, Any]:
    return {"file": f"mysql-bin.{number:06}", "pos": position, "server_id": server, **more}


@pytest.mark.parametrize(
    ("before", "after", "source"),
    [
        (binlog(8, 4), binlog(7, 900), None),
        (binlog(8, 900), binlog(8, 4), None),
        (binlog(1_000_000, 4), binlog(999_999, 900), None),
        (binlog(8, 900, gtids="a:1-9"), binlog(8, 4, gtids="a:1-8"), None),
        ({"lsn": 9, "lsn_commit": 100}, {"lsn": 99, "lsn_commit": 99}, None),
        ({"commit_lsn": "0000002a:00000ac0:0002"}, {"commit_lsn": "0000002a:00000abf:0009"}, None),
        ({"offset": 100}, {"offset": 9}, MIRROR),
        ({"incrementing": 10}, {"incrementing": 9}, {"table": "t"}),
    ],
    ids=[
        "file",
        "position",
        "seven digits",
        "GTIDs of one server",
        "PostgreSQL",
        "SQL Server",
        "MirrorMaker",
        "JDBC",
    ],
)
def test_a_position_that_goes_back_is_found(before: Any, after: Any, source: dict[str, Any] | None) -> None:
    (finding,) = found(before, after, source=source)
    assert (finding.severity, finding.confidence, finding.evidence) == ("medium", "proven", [10, 20])
    assert plain(finding.title).startswith("Source connector c went back")
    assert ("created again" in finding.remedy) == (source == MIRROR)


@pytest.mark.parametrize(
    ("before", "after", "source"),
    [
        (binlog(7, 900), binlog(8, 4), None),
        (binlog(8, 4), binlog(7, 900, server=2), None),
        (binlog(8, 4, snapshot="INITIAL"), binlog(7, 4, snapshot="INITIAL"), None),
        (
            {"file": "a.000008", "pos": 4, "gtids": "a:1-9"},
            {"file": "a.000002", "pos": 4, "gtids": "a:1-10"},
            None,
        ),
        ({"lsn": 99, "lsn_commit": 50}, {"lsn": 9, "lsn_commit": 100}, None),
        ({"lsn": 99}, {"lsn": 9}, None),
        ({"offset": 100}, {"offset": 9}, {"filename": "x"}),
        ({"incrementing": 10, "timestamp": 5}, {"incrementing": 9, "timestamp": 6}, None),
        ({"commit_lsn": "NULL"}, {"commit_lsn": "0000002a:00000abf:0009"}, None),
    ],
    ids=[
        "forward",
        "another server",
        "snapshot",
        "failover",
        "commit rises",
        "events",
        "unknown",
        "timestamps",
        "no position yet",
    ],
)
def test_innocent(before: Any, after: Any, source: dict[str, Any] | None) -> None:
    assert found(before, after, source=source) == []


def test_a_tombstone_between_is_a_reset() -> None:
    assert found(binlog(8, 4), None, binlog(7, 4)) == []


def test_a_stopped_connector_was_altered() -> None:
    stopped = (5, ("target-state-c", {"state": "PAUSED", "state.v2": "STOPPED"}))
    started = (15, ("target-state-c", {"state": "STARTED", "state.v2": "STARTED"}))
    assert found(binlog(8, 4), binlog(7, 4), configs=(stopped,)) == []
    assert len(found(binlog(8, 4), binlog(7, 4), configs=(stopped, started))) == 1


def test_a_worker_that_lost_the_task_is_its_cause() -> None:
    status = (3, ("status-task-c-0", {"state": "RUNNING", "worker_id": "w", "generation": 1}))
    (finding,) = found(binlog(8, 4), binlog(7, 4), configs=(status,))
    assert "task:c/0" in finding.entities
    assert "zombie-worker" in detector.follows
