"""Tasks that no worker takes, and reports that look like it."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors.connect.task_unassigned import MIN_MS, detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.spark.connect_journals import Pair, findings, record

LONG = MIN_MS // 1000  # an offset is a second
Timed = tuple[int, Pair]
CONFIG: Pair = ("connector-a", {"properties": {"name": "a"}})


def status(
    second: int, state: str | None, task: str = "task-a-0", worker: str = "w1", generation: int = 3
) -> Timed:
    value = None if state is None else {"state": state, "worker_id": worker, "generation": generation}
    return second, (f"status-{task}", value)


def another(second: int) -> Timed:
    """The cluster goes on."""
    return status(second, "RUNNING", "task-b-0", "w2", 4)


def found(*timed: Timed, configs: Any = ()) -> list[Finding]:
    rows = [record(offset, pair, "connect-status") for offset, pair in timed]
    return findings(detector, rows + [record(offset, pair) for offset, pair in enumerate(configs)])


def test_a_task_that_nobody_takes_is_found() -> None:
    (finding,) = found(status(1, "RUNNING"), status(2, "UNASSIGNED"), another(2 + LONG))
    assert (finding.severity, finding.evidence) == ("medium", [2])
    assert plain(finding.title) == "Task a/0 does not run: no worker has taken it for 10 minutes"


def test_tasks_of_a_connector_are_one_finding() -> None:
    (finding,) = found(
        status(2, "UNASSIGNED"),
        status(3, "UNASSIGNED", "task-a-1"),
        status(4, "UNASSIGNED", "connector-a"),
        another(9999),
    )
    assert finding.entities == {"connector:a", "task:a/0", "task:a/1"}
    assert plain(finding.title).startswith("2 tasks of connector a do not run")


@pytest.mark.parametrize(
    "timed",
    [
        [status(2, "UNASSIGNED"), another(1 + LONG)],
        [status(2, "UNASSIGNED"), another(1)],
        [status(2, "UNASSIGNED"), status(60, "RUNNING", worker="w2"), another(9999)],
        [status(1, "RUNNING", worker="w2", generation=4), status(2, "UNASSIGNED"), another(9999)],
        [status(2, "UNASSIGNED"), status(60, None), another(9999)],
        [status(2, "UNASSIGNED"), status(60, "PAUSED"), another(9999)],
    ],
    ids=["a rebalance", "a stopped cluster", "taken", "a late report", "deleted", "paused"],
)
def test_innocent(timed: list[Timed]) -> None:
    assert found(*timed) == []


@pytest.mark.parametrize(
    ("configs", "count"),
    [
        ([CONFIG], 1),
        ([CONFIG, ("connector-a", None)], 0),
        ([CONFIG, ("target-state-a", {"state": "PAUSED", "state.v2": "STOPPED"})], 0),
        ([CONFIG, ("target-state-a", {"state": "PAUSED"}), ("target-state-a", {"state": "STARTED"})], 1),
    ],
    ids=["wanted", "deleted", "stopped", "started again"],
)
def test_the_configs_say_whether_it_is_to_run(configs: list[Pair], count: int) -> None:
    assert len(found(status(2, "UNASSIGNED"), another(9999), configs=configs)) == count
