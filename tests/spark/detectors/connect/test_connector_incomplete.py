"""Task configs and the commits that count them: apart, together again, and left over."""

from __future__ import annotations

from typing import Any

from spark.detectors.connect.connector_incomplete import MAY_BE_COMING_MS, detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.spark.connect_journals import Pair, findings, record

A: Pair = ("connector-a", {"properties": {}})
GONE: Pair = ("connector-a", None)
OTHER: Pair = ("connector-b", {"properties": {}})


def task(number: int) -> Pair:
    return f"task-a-{number}", {"properties": {}}


def commit(count: int) -> Pair:
    return "commit-a", {"tasks": count}


def found(*pairs: Pair | None, later_ms: int | None = None) -> list[Finding]:
    """None leaves an offset out; `later_ms`: another connector is written so long after the last record."""
    rows: list[dict[str, Any]] = [record(offset, pair) for offset, pair in enumerate(pairs) if pair]
    if later_ms is not None:
        last = record(len(pairs), OTHER)
        rows.append({**last, "timestamp_ms": rows[-1]["timestamp_ms"] + later_ms})
    return findings(detector, rows)


def test_task_configs_after_the_last_commit_are_found() -> None:
    (finding,) = found(A, task(0), task(1), commit(2), A, task(0))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("high", 5, 5)
    assert finding.evidence == [3, 5]
    assert (
        "Connector a can lose its tasks at compaction: 1 task config at offset 5 has no commit"
        in finding.title
    )
    assert "Workers still run the 2 tasks of the commit at offset 3" in finding.explanation
    assert {"connector:a", "task:a/0", "task:a/1"} <= finding.entities


def test_the_first_set_without_a_commit_is_found() -> None:
    (finding,) = found(A, task(0), task(1))
    assert (finding.first_offset, finding.last_offset) == (1, 2)
    assert "Workers keep" not in finding.explanation


def test_a_copy_taken_while_the_worker_wrote_may_look_so() -> None:
    records = A, task(0), commit(1), task(0)
    assert [f.confidence for f in found(*records)] == ["likely"]
    assert [f.confidence for f in found(*records, later_ms=MAY_BE_COMING_MS)] == ["likely"]
    assert [f.confidence for f in found(*records, later_ms=MAY_BE_COMING_MS + 1)] == ["proven"]


def test_a_commit_that_counts_more_than_there_is_is_found() -> None:
    (finding,) = found(A, task(0), commit(2))
    assert (finding.first_offset, finding.last_offset, finding.confidence) == (2, 2, "proven")
    assert "includes task 1" in finding.title


def test_a_commit_below_its_tasks_is_one_finding_with_them() -> None:
    (finding,) = found(A, None, task(1), commit(2), None, task(0))
    assert (finding.first_offset, finding.last_offset) == (3, 5)
    assert "The config comes only after the commit, at offset 5" in finding.explanation
    assert {"task:a/0", "connector:a"} <= finding.entities


def test_a_commit_before_the_connectors_only_config_is_found_but_older_workers_read_it() -> None:
    (finding,) = found(None, task(0), commit(1), A)
    assert (finding.first_offset, finding.confidence) == (2, "likely")
    assert "offset 3" in finding.explanation


def test_a_whole_set_is_healthy() -> None:
    assert found(A, task(0), task(1), commit(2)) == []
    assert found(A, task(0), commit(1), A, task(0), task(1), commit(2)) == []


def test_a_whole_set_after_a_broken_one_mends_it() -> None:
    assert found(A, task(0), commit(2), task(0), task(1), commit(2)) == []
    assert found(A, task(0), task(0), task(1), commit(2)) == []


def test_task_numbers_above_the_count_are_innocent() -> None:
    assert found(A, task(2), task(0), task(1), commit(2)) == []


def test_what_a_deleted_connector_left_over_is_innocent() -> None:
    assert found(None, task(0), task(1), commit(2)) == []
    assert found(None, task(0), task(1)) == []
    assert found(A, task(0), commit(2), GONE) == []
    assert found(A, task(0), GONE) == []


def test_a_connector_without_tasks_yet_is_innocent() -> None:
    assert found(A) == []
    assert found(A, task(0), commit(1), commit(0)) == []


def test_each_connector_is_judged_by_itself() -> None:
    both = [*enumerate((A, task(0), commit(1), OTHER, ("task-b-0", {"properties": {}})))]
    (finding,) = findings(detector, [record(offset, pair) for offset, pair in both])
    assert finding.entity == "connector:b"
    assert (
        plain(detector.headline([finding]))
        == "1 connector can start without its tasks: incomplete set of task configs"
    )


def test_a_count_beyond_all_numbers_is_found_and_no_error() -> None:
    (finding,) = found(A, task(0), commit(2**64 - 1))
    assert finding.entity == "connector:a"
