"""Committed offsets that stand while records wait, and those that have a reason to."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from spark.detectors.groups.group_stuck import detector
from spark.report.incidents import key_of
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.builders import batches_table, entries_table, lifelines_table, other_table, records_table
from tests.generator.groups import Member, Pair, commit, generation
from tests.spark.detectors.groups.coordinator_logs import TOPIC, findings, ms, rows_of, tables_of

Timed = tuple[float, Pair]
MINUTE = 60.0
MEMBERS = (Member("m1", assigned={"orders": [0]}), Member("m2", assigned={"orders": [1]}))


def written(at: float, partition: int, offset: int | None, group: str = "billing") -> Timed:
    return at, commit(group, "orders", partition, offset, ms(at))


def log(*offsets: int, at: float = 0, kind: str = "update", partition: int = 0) -> dict[str, pa.Table]:
    """The log of a partition of orders with data at these offsets, all of one moment."""
    rows = ({"offset": offset, "timestamp_ms": ms(at), "kind": kind} for offset in offsets)
    place = {"topic": "orders", "partition": partition}
    runs = other_table("runs", {"first_offset": offsets[0], "last_offset": offsets[-1], **place})
    return {"lifelines": lifelines_table(*rows, **place), "runs": runs}


def story(*, last: float = 10 * MINUTE, members: tuple[Member, ...] = MEMBERS) -> list[Timed]:
    """Commits of 2 for orders-0, once, and of orders-1 later."""
    return [(0, generation("billing", 4, *members)), written(1, 0, 2), written(1, 1, 7), written(last, 1, 9)]


def found(rows: list[Timed], tables: dict[str, Any]) -> list[Finding]:
    return findings(detector, *rows_of(*rows), **tables)


def test_a_partition_that_stands_while_another_advances_is_found_at_its_record() -> None:
    (finding,) = found(story(), log(1, 2, 3))
    assert (finding.severity, finding.topic, finding.partition) == ("medium", "orders", 0)
    assert (finding.first_offset, finding.last_offset, finding.evidence) == (2, 3, [2])
    assert finding.event == "poison:orders-0:2"
    assert "up to 2 records wait" in finding.title
    assert "client app at 10.0.0.1" in finding.explanation


def test_after_an_hour_it_is_high() -> None:
    (finding,) = found(story(last=61 * MINUTE), log(2))
    assert finding.severity == "high"


@pytest.mark.parametrize(
    ("last", "count"), [(5 * MINUTE - 1, 0), (5 * MINUTE + 1, 1)], ids=["one poll", "longer"]
)
def test_the_time_of_one_poll_is_innocent(last: float, count: int) -> None:
    assert len(found(story(last=last), log(2))) == count


@pytest.mark.parametrize(("step", "count"), [(59, 0), (60, 1)], ids=["shorter", "2 minutes"])
def test_the_same_offset_again_and_again_is_found(step: float, count: int) -> None:
    rows = [written(1 + step * number, 0, 2) for number in range(3)]
    assert len(found([(0, generation("billing", 4, *MEMBERS)), *rows], log(2))) == count


def test_generations_are_a_sign_of_life() -> None:
    rows = [(100.0 * number, generation("billing", 5 + number, *MEMBERS)) for number in range(1, 6)]
    assert len(found([written(0, 0, 2), *rows], log(2))) == 1


def test_the_end_of_the_log_is_innocent() -> None:
    assert found(story(), log(0, 1)) == []


def test_markers_and_aborted_records_are_innocent() -> None:
    assert found(story(), log(2, 3, kind="control")) == []
    aborted = other_table(
        "transactions",
        {"topic": "orders", "partition": 0, "first_offset": 2, "last_offset": 3, "outcome": "aborted"},
    )
    assert found(story(), log(2, 3) | {"transactions": aborted}) == []


def test_a_record_that_is_younger_than_the_last_sign_of_life_is_innocent() -> None:
    assert found(story(), log(2, at=9 * MINUTE)) == []
    assert found(story(), log(2, at=20 * MINUTE)) == []


def test_a_group_that_stopped_is_innocent() -> None:
    assert found([*story(last=30), (40, generation("billing", 5))], log(2)) == []


def test_a_topic_that_nobody_subscribes_to_is_innocent() -> None:
    assert found(story(members=(Member("m1", topics=("payments",)),)), log(2)) == []


def test_without_members_it_stays_medium_and_says_that_no_consumer_may_read_the_partition() -> None:
    rows = [written(1, 0, 2), *(written(MINUTE * number, 1, number) for number in range(1, 90))]
    (finding,) = found(rows, log(2))
    assert finding.severity == "medium"
    assert "no consumer may read this one any longer" in finding.explanation


def test_only_the_commit_in_force_counts() -> None:
    assert found([*story(), written(700, 0, 4)], log(2, 3)) == []
    assert found([*story(), written(700, 0, None)], log(2, 3)) == []


def test_behind_an_open_transaction_it_names_the_transaction() -> None:
    opened = other_table(
        "transactions",
        {
            "topic": "orders",
            "partition": 0,
            "producer_id": 7,
            "first_offset": 2,
            "last_offset": 2,
            "outcome": "open",
        },
    )
    (finding,) = found(story(), log(2) | {"transactions": opened})
    assert "transaction:7@2" in finding.entities
    assert "An open transaction begins at offset 2" in finding.explanation


def test_without_the_log_it_cannot_run() -> None:
    assert detector.absent(tables_of(records_table())) is not None
    assert found(story(), {}) == []


def test_the_headline_names_one_group_and_counts_several() -> None:
    (one,) = found(story(), log(2))
    assert plain(detector.headline([one])) == "group billing does not advance in 1 partition"
    (other,) = found(
        [written(1, 0, 2, "late"), *(written(1 + 70 * n, 0, 2, "late") for n in range(3))], log(2)
    )
    assert plain(detector.headline([one, other])) == "2 groups do not advance"


def test_what_is_wrong_with_the_record_and_the_groups_that_stand_at_it_are_one_incident() -> None:
    (finding,) = found(story(), log(2))
    assert key_of(finding, detector) == ("poison-pill", "orders", "0", "", "poison:orders-0:2")
    assert "record:2" in finding.entities


def test_a_group_that_stands_in_many_partitions_is_one_finding() -> None:
    rows = [
        (0.0, generation("billing", 4, *MEMBERS)),
        *(written(1, number, 2) for number in range(5)),
        written(700, 9, 9),
    ]
    rows.insert(1, written(1, 9, 7))
    logs = [log(2, partition=number) for number in range(5)]
    tables = {name: pa.concat_tables([one[name] for one in logs]) for name in ("lifelines", "runs")}
    (finding,) = found(rows, tables)
    assert "and in 4 other partitions likewise" in finding.title
    assert finding.event == "group:billing"


@pytest.mark.parametrize(
    ("timestamp_type", "count"),
    [("create", 0), ("log_append", 1)],
    ids=["times of the originals", "times of the log"],
)
def test_in_a_topic_that_mirrormaker_writes_times_do_not_say_since_when_a_record_waits(
    timestamp_type: str, count: int
) -> None:
    tables = log(1, 2, 3)
    checkpoints = other_table("runs", {"first_offset": 0, "last_offset": 9}, topic="ord.checkpoints.internal")
    named = entries_table(
        {"entry_type": "checkpoint", "attributes": {"topic": "orders"}, "entity_id": "billing/orders/0"},
        topic="ord.checkpoints.internal",
    )
    batches = batches_table({"timestamp_type": timestamp_type, "last_offset": 3}, topic="orders")
    more = {"runs": pa.concat_tables([tables["runs"], checkpoints]), "entries": named, "batches": batches}
    assert len(found(story(), {**tables, **more})) == count


def test_the_print_of_a_formatter_has_only_the_times_of_commits() -> None:
    rows = [written(1 + 60 * number, 0, 2) for number in range(5)]
    untimed = records_table(
        *({"key": key, "value": value, "timestamp_ms": None} for _, (key, value) in rows), topic=TOPIC
    )
    (finding,) = [detector.describe(row) for row in detector.find(tables_of(untimed, **log(2)))]
    assert "committed the same offset 5 times" in finding.explanation
