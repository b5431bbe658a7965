"""A large, old dirty part behind the cleaner's checkpoint."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors._words import damaged
from spark.detectors.compaction.cleaner_stalled import BLOCKED_MS, IDLE_MS, detector
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from tests.builders import batches_table, damage_table, files_table, given_tables, other_table

NOW_MS = 1_700_000_000_000
HANGING = {
    "outcome": "open",
    "first_offset": 3,
    "producer_id": 7,
    "topic": "journal",
    "partition": 0,
    "replica": "",
}


def tables(
    age_ms: int, *, clean: int = 2, active: int = 8, sibling_ms: int = NOW_MS, **others: Any
) -> ResultTables:
    """Offsets 0 to 9 of partition 0, of which `clean` are cleaned; partition 1 was cleaned up to its offset 1."""
    old_ms = NOW_MS - age_ms
    rows = [{"base_offset": n, "max_timestamp_ms": old_ms if n < active else NOW_MS} for n in range(10)]
    sibling = {"base_offset": 0, "max_timestamp_ms": sibling_ms, "partition": 1}
    where = {
        "topic": "journal",
        "replica": "",
        "dirty_from": "checkpoint",
        "compacted": "proven",
        "why": "",
        "stopped_by": "",
    }
    cleanings = other_table(
        "cleanings",
        {
            "partition": 0,
            "first_dirty_offset": clean,
            "active_offset": active,
            "first_uncleanable_offset": 2,
            **where,
        },
        {"partition": 1, "first_dirty_offset": 1, "active_offset": 1, "first_uncleanable_offset": 1, **where},
    )
    return given_tables({"batches": batches_table(*rows, sibling), "cleanings": cleanings, **others})


def found(*args: Any, **others: Any) -> list[Finding]:
    return [detector.describe(row) for row in detector.find(tables(*args, **others))]


def hanging() -> dict[str, Any]:
    return {"transactions": other_table("transactions", HANGING)}


def test_an_open_transaction_in_its_way_is_named() -> None:
    (finding,) = found(BLOCKED_MS + 1, **hanging())
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("medium", 2, 7)
    assert "open transaction of producer 7 at offset 3" in finding.title
    assert finding.evidence == [2, 3]


def test_a_young_block_is_none_yet() -> None:
    assert found(BLOCKED_MS, **hanging()) == []


def test_an_open_transaction_in_the_active_segment_blocks_nothing() -> None:
    late = {"transactions": other_table("transactions", {**HANGING, "first_offset": 8})}
    assert found(BLOCKED_MS + 1, **late) == []


def test_damage_in_its_way_is_named() -> None:
    damage = damage_table({"first_offset": 5, "last_offset": 5})
    (finding,) = found(BLOCKED_MS + 1, damage=damage)
    assert "corrupt batch at offset 5" in finding.title
    assert finding.entities == {damaged(5)}


@pytest.mark.parametrize(("clean", "findings"), [(3, 1), (4, 0)], ids=["5 of 8", "4 of 8"])
def test_half_of_the_closed_segments_must_be_dirty(clean: int, findings: int) -> None:
    assert len(found(IDLE_MS + 1, clean=clean)) == findings


def test_only_the_active_segment_is_innocent() -> None:
    assert found(IDLE_MS + 1, clean=8) == []


@pytest.mark.parametrize(("age_ms", "findings"), [(IDLE_MS + 1, 1), (IDLE_MS, 0)])
def test_without_a_blocker_it_must_be_a_week_old(age_ms: int, findings: int) -> None:
    assert [finding.confidence for finding in found(age_ms)] == ["likely"] * findings


def test_without_a_blocker_a_lag_of_compaction_is_innocent() -> None:
    assert found(IDLE_MS + 1, sibling_ms=NOW_MS - IDLE_MS - 1) == []


def test_without_a_checkpoint_it_cannot_run() -> None:
    assert "cleaner-offset-checkpoint" in str(detector.absent(given_tables({})))
    files = given_tables({"files": files_table({"name": "cleaner-offset-checkpoint"})})
    assert "not of the broker" in str(detector.absent(files))
    captures = given_tables({"captures": other_table("captures", {})})
    assert "over the network" in str(detector.absent(captures))
    assert detector.absent(tables(0)) is None
