"""Two Connect clusters in one status topic."""

from __future__ import annotations

import json
from typing import Any

from spark.detectors import Detector
from spark.detectors.connect.connect_clusters_share_topics import detector
from spark.detectors.connect.zombie_worker import detector as zombie_worker
from spark.terms.findings import Finding
from tests.spark.read_journals import findings


def found(*reports: tuple[str, int] | tuple[str, int, str], of: Detector = detector) -> list[Finding]:
    """Reports of one task: worker, generation, state."""
    return findings(of, "connect", *map(status, reports))


def status(report: Any) -> dict[str, Any]:
    worker, generation, state = (*report, "RUNNING")[:3]
    value = {"state": state, "worker_id": worker, "generation": generation}
    return {"key": b"status-task-sink-0", "value": json.dumps(value).encode()}


TWO = (("a", 3), ("b", 41), ("a", 4), ("b", 42), ("a", 5), ("b", 43))


def test_two_series_that_alternate_are_two_clusters() -> None:
    (finding,) = found(*TWO)
    assert (finding.severity, finding.confidence) == ("high", "proven")
    assert "a reports generations 4 to 5, and b generations 41 to 42" in finding.explanation
    assert {effect.entity_id for effect in finding.effects} == {"sink/0"}


def test_they_are_no_zombies() -> None:
    assert found(*TWO, of=zombie_worker) == []


def test_each_cluster_may_have_several_workers() -> None:
    assert found(("a", 3), ("b", 41), ("c", 4), ("d", 42), ("a", 5), ("b", 43))


def test_generations_side_by_side_are_found_too() -> None:
    assert found(("a", 3), ("b", 3), ("a", 4), ("b", 4), ("a", 5), ("b", 5))


def test_a_worker_that_keeps_its_old_generation_is_a_zombie() -> None:
    zombie = (("a", 5), ("b", 6), ("a", 5), ("b", 7), ("a", 5))
    assert found(*zombie) == []
    assert found(*zombie, of=zombie_worker)


def test_zombies_one_after_the_other_are_innocent() -> None:
    assert found(("a", 5), ("b", 6), ("a", 5), ("c", 7), ("b", 6)) == []


def test_one_series_is_innocent() -> None:
    assert found(("a", 3), ("a", 3, "UNASSIGNED"), ("b", 4), ("b", 4, "UNASSIGNED"), ("a", 5), ("b", 6)) == []


def test_a_late_release_is_innocent() -> None:
    assert found(("a", 3), ("b", 4), ("a", 3, "UNASSIGNED"), ("a", 5), ("b", 6), ("a", 5, "UNASSIGNED")) == []


def test_a_group_that_began_again_is_innocent() -> None:
    assert found(("a", 40), ("b", 41), ("a", 1), ("b", 2), ("a", 3), ("b", 4)) == []
