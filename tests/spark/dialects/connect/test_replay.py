"""Task configs and their commits: all at once or not at all, as workers read them."""

from __future__ import annotations

import json
from typing import Any

from spark.dialects.connect import dialect
from tests.builders import records_table
from tests.spark.replays import replayed

Record = tuple[str, dict[str, Any] | None]
A = ("connector-a", {"properties": {"tasks.max": "2"}})
GONE = ("connector-a", None)


def task(number: int, text: str = "x") -> Record:
    return f"task-a-{number}", {"properties": {"is": text}}


def commit(count: int) -> Record:
    return "commit-a", {"tasks": count}


def run(*records: Record | None) -> tuple[dict[str, Any], list[tuple[int, str, str]]]:
    """Entities at the end, and refusals; None leaves an offset out."""
    rows = [
        {"offset": n, "key": r[0].encode(), "value": None if r[1] is None else json.dumps(r[1]).encode()}
        for n, r in enumerate(records)
        if r
    ]
    assert dialect.interpret is not None
    state, refusals = replayed(dialect, dialect.interpret(records_table(*rows)))
    held = {
        f"{row['entity_type']}:{row['entity_id']}": (json.loads(row["attributes"]), row["origin_offset"])
        for row in state.to_pylist()
        if row["valid_to_offset"] is None
    }
    refused = [(row["offset"], row["entity_id"], row["reason"]) for row in refusals.to_pylist()]
    return held, sorted(refused)


def tasks(*records: Record | None) -> list[str]:
    return sorted(name.removeprefix("task:") for name in run(*records)[0] if name.startswith("task:"))


def test_tasks_count_from_their_commit_on() -> None:
    held, refused = run(A, task(0), task(1), commit(2))
    assert held["task:a/1"] == ({"config": {"is": "x"}}, 2)
    assert held["connector:a"] == ({"config": {"tasks.max": "2"}}, 0)
    assert refused == []


def test_without_a_commit_the_old_set_stays() -> None:
    held, refused = run(A, task(0), commit(1), task(0, "new"), task(1, "new"))
    assert held["task:a/0"][0] == {"config": {"is": "x"}}
    assert "task:a/1" not in held
    assert refused == [(3, "a/0", "uncommitted"), (4, "a/1", "uncommitted")]


def test_a_set_that_lacks_a_task_leaves_none() -> None:
    records = A, task(0), task(1), commit(2), task(0, "new"), commit(2)
    assert tasks(*records) == []
    assert run(*records)[1] == [(5, "a", "incomplete")]


def test_a_cleaned_log_with_the_commit_below_its_task_leaves_none() -> None:
    records = A, None, task(1), commit(2), task(0, "new")
    assert tasks(*records) == []
    assert run(*records)[1] == [(3, "a", "incomplete"), (4, "a/0", "uncommitted")]


def test_a_whole_set_mends_it() -> None:
    records = A, task(1), commit(2), task(0), task(1), commit(2)
    assert tasks(*records) == ["a/0", "a/1"]
    assert run(*records)[1] == [(2, "a", "mended")]


def test_a_smaller_set_ends_the_tasks_above_it() -> None:
    assert tasks(A, task(0), task(1), commit(2), task(0), commit(1)) == ["a/0"]
    assert tasks(A, task(0), commit(1), commit(0)) == []


def test_more_tasks_than_the_commit_counts_are_left_over_from_a_shrink() -> None:
    records = A, task(2), task(0), task(1), commit(2)
    assert tasks(*records) == ["a/0", "a/1"]
    assert run(*records)[1] == []


def test_a_deleted_connector_takes_its_tasks_with_it() -> None:
    held, refused = run(
        A, task(0), commit(1), ("target-state-a", {"state": "PAUSED"}), GONE, ("target-state-a", None)
    )
    assert (held, refused) == ({}, [])


def test_what_a_deleted_connector_left_in_a_cleaned_log_is_no_task() -> None:
    held, refused = run(None, task(0), commit(1))
    assert held == {}
    assert refused == [(2, "a", "connector-missing")]


def test_a_commit_before_the_connectors_only_record_is_ignored() -> None:
    assert tasks(None, task(0), commit(1), A) == []
    assert run(None, task(0), commit(1), A)[1] == [(2, "a", "connector-later")]


def test_a_connector_made_again_starts_without_tasks() -> None:
    assert tasks(A, task(0), commit(1), GONE, A) == []
    assert tasks(A, task(0), commit(1), GONE, A, task(0), commit(1)) == ["a/0"]


def test_a_null_task_or_commit_is_ignored() -> None:
    held, refused = run(A, task(0), commit(1), ("task-a-0", None), ("commit-a", None))
    assert "task:a/0" in held
    assert [reason for *_, reason in refused] == ["null-ignored", "null-ignored"]


def test_the_second_word_for_a_state_counts() -> None:
    held, _ = run(("target-state-a", {"state": "PAUSED", "state.v2": "STOPPED"}))
    assert held["target-state:a"][0] == {"state": "STOPPED"}
    assert run(("target-state-a", {"state": "PAUSED"}))[0]["target-state:a"][0] == {"state": "PAUSED"}


def test_status_and_offsets_are_their_newest_value() -> None:
    place = '["a",{"file":"x"}]'
    held, _ = run(
        ("status-task-a-0", {"state": "RUNNING", "worker_id": "w"}),
        ("status-task-a-0", {"state": "FAILED", "worker_id": "w", "trace": "t"}),
        ("status-connector-a", {"state": "RUNNING"}),
        ("status-connector-a", None),
        (place, {"position": 4}),
        ('["b",{}]', {"position": 4}),
        ('["b",{}]', None),
    )
    assert held == {
        "task-status:a/0": ({"state": "FAILED", "worker_id": "w", "trace": "t"}, 1),
        'connector-offset:a/{"file":"x"}': ({"offset": {"position": 4}}, 4),
    }


def test_a_count_that_no_worker_writes_is_refused_quickly() -> None:
    assert run(A, task(0), commit(2**62))[1] == [(2, "a", "incomplete")]
    assert tasks(A, task(0), commit(-1)) == []


def test_a_record_that_cannot_be_read_changes_nothing() -> None:
    assert tasks(A, task(0), commit(1), ("commit-a", {"tasks": "no"})) == ["a/0"]
