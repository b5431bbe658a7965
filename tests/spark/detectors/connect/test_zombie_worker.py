"""One task, several workers: hand-overs, takeovers, and workers that come back."""

from __future__ import annotations

from itertools import pairwise

from spark.detectors.connect.zombie_worker import TURNS, detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.spark.connect_journals import Pair, findings, record


def status(worker: str, generation: int = 1, state: str = "RUNNING", task: int = 0) -> Pair:
    return f"status-task-a-{task}", {"state": state, "worker_id": worker, "generation": generation}


def found(*pairs: Pair) -> list[Finding]:
    return findings(detector, [record(offset, pair, "connect-status") for offset, pair in enumerate(pairs)])


def in_turns(takeovers: int) -> list[Pair]:
    return [status("AB"[n % 2], n) for n in range(takeovers + 1)]


def test_a_worker_that_comes_back_with_an_older_generation_is_proven() -> None:
    (finding,) = found(status("A", 5), status("B", 6), status("A", 5))
    assert (finding.severity, finding.confidence) == ("medium", "proven")
    assert finding.evidence == [0, 1, 2]
    assert finding.title == "Task a/0 can write records twice: workers A and B both run it since offset 0"


def test_workers_in_turns_are_found_from_the_third_takeover_on() -> None:
    assert found(*in_turns(TURNS - 1)) == []
    (finding,) = found(*in_turns(TURNS))
    assert finding.confidence == "likely"


def test_a_hand_over_is_innocent() -> None:
    rounds = [(status(w, n), status(w, n, "UNASSIGNED")) for n, w in enumerate("ABABAB")]
    assert found(*(pair for turn in rounds for pair in turn)) == []


def test_a_tombstone_between_is_a_hand_over() -> None:
    gone: Pair = ("status-task-a-0", None)
    assert found(*(pair for n, w in enumerate("ABABAB") for pair in (status(w, n), gone))) == []


def test_a_late_unassigned_of_a_worker_that_lost_the_task_is_no_hand_over() -> None:
    (finding,) = found(status("A", 5), status("B", 6), status("A", 5, "UNASSIGNED"), status("A", 5))
    assert finding.evidence == [0, 1, 3]


def test_workers_that_stop_the_task_just_after_the_next_one_started_are_innocent() -> None:
    rounds = [
        pair
        for n, (before, worker) in enumerate(pairwise("ABABAB"), 1)
        for pair in (status(worker, n), status(before, n - 1, "UNASSIGNED"))
    ]
    assert found(status("A", 0), *rounds) == []


def test_one_takeover_after_a_worker_died_is_innocent() -> None:
    assert found(status("A", 1), status("B", 2)) == []


def test_a_chain_that_never_comes_back_is_innocent() -> None:
    assert found(*(status(worker, n) for n, worker in enumerate("ABCDEF"))) == []


def test_a_group_that_counts_from_one_again_is_innocent() -> None:
    assert found(status("A", 9), status("B", 1)) == []


def test_one_worker_that_restarts_its_task_is_innocent() -> None:
    assert found(*(status("A", 1) for _ in range(9))) == []


def test_tasks_of_the_same_two_workers_are_one_finding() -> None:
    stale = [status(w, g, task=n) for n in range(3) for w, g in (("A", 5), ("B", 6), ("A", 5))]
    (finding,) = found(*stale)
    assert "3 tasks" in finding.title
    assert finding.entities == {"task:a/0", "task:a/1", "task:a/2"}
    assert (
        plain(detector.headline([finding]))
        == "records can be written twice: two workers run the same tasks (1 case)"
    )
