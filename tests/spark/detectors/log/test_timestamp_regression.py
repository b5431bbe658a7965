"""Timestamps that go back: the broker's, and those of one producer."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors.log.timestamp_regression import BACK_MS
from spark.terms.findings import Finding
from tests.builders import batches_table, files_table, lifelines_table, records_table
from tests.generator.segment import SOME_TIME_MS as NOW

ID = "timestamp-regression"
BY_BROKER = {"timestamp_type": "log_append"}
BY_ONE = {"producer_id": 7}


def found(inspect: Any, *times: int, **more: Any) -> list[Finding]:
    return inspect(ID, batches=batches_table(*({"max_timestamp_ms": time} for time in times), **more))


@pytest.mark.parametrize(("back_ms", "count"), [(BACK_MS, 0), (BACK_MS + 1, 1)], ids=["an hour", "more"])
def test_more_than_an_hour_by_the_brokers_clock_counts(inspect: Any, back_ms: int, count: int) -> None:
    assert len(found(inspect, NOW, NOW - back_ms, **BY_BROKER)) == count


def test_the_largest_step_is_named_and_the_others_counted(inspect: Any) -> None:
    (finding,) = found(inspect, NOW, NOW - 2 * BACK_MS, NOW, NOW - 5 * BACK_MS, **BY_BROKER)
    assert (finding.severity, finding.confidence) == ("low", "proven")
    assert (finding.first_offset, finding.last_offset) == (0, 3)
    assert "5.0 hours between offsets 2 and 3, and 1 more time" in finding.title
    assert "The leader did not change" in finding.explanation


def test_a_change_of_leader_explains_it(inspect: Any) -> None:
    rows = (
        {"leader_epoch": 4, "max_timestamp_ms": NOW},
        {"leader_epoch": 5, "max_timestamp_ms": NOW - 3 * BACK_MS},
    )
    (finding,) = inspect(ID, batches=batches_table(*rows, **BY_BROKER))
    assert "leader epoch 4 to 5" in finding.explanation


def test_one_producer_is_likely_to_have_one_clock(inspect: Any) -> None:
    (finding,) = found(inspect, NOW, NOW - 2 * BACK_MS, **BY_ONE)
    assert finding.confidence == "likely"


def test_several_producers_have_several_clocks(inspect: Any) -> None:
    rows = ({"producer_id": number, "max_timestamp_ms": NOW - number * 2 * BACK_MS} for number in range(1, 4))
    assert inspect(ID, batches=batches_table(*rows)) == []


def test_producers_without_an_id_cannot_be_told_apart(inspect: Any) -> None:
    assert found(inspect, NOW, NOW - 9 * BACK_MS) == []


def test_markers_and_batches_without_a_time_are_passed_over(inspect: Any) -> None:
    rows = (
        {"max_timestamp_ms": NOW},
        {"max_timestamp_ms": NOW - 9 * BACK_MS, "is_control": True},
        {"max_timestamp_ms": -1},
        {"max_timestamp_ms": NOW - 9 * BACK_MS, "record_count": 0},
        {"max_timestamp_ms": NOW},
    )
    assert inspect(ID, batches=batches_table(*rows, **BY_ONE)) == []


def test_a_step_back_from_the_future_follows_from_it(inspect: Any) -> None:
    times = (NOW, NOW + 400 * BACK_MS, NOW + 1)
    findings = inspect(
        "timestamp-in-future",
        ID,
        batches=batches_table(*({"max_timestamp_ms": time} for time in times), **BY_BROKER),
        lifelines=lifelines_table(*({"timestamp_ms": time} for time in times)),
    )
    cause, consequence = findings
    assert (cause.detector, consequence.consequence_of) == ("timestamp-in-future", cause.id)


def dumped(inspect: Any, *times: int, **more: Any) -> list[Finding]:
    files = files_table({"kind": "export", "layout": "kcat-json", "name": "dump.json"})
    return inspect(
        ID, files=files, records=records_table(*({"timestamp_ms": time} for time in times), **more)
    )


def test_the_broker_s_clock_goes_back_in_a_dump(inspect: Any) -> None:
    (finding,) = dumped(inspect, NOW, NOW - 2 * BACK_MS, NOW, **BY_BROKER)
    assert (finding.severity, finding.confidence) == ("low", "proven")
    assert (finding.first_offset, finding.last_offset) == (0, 1)
    assert "shows no leader epochs" in finding.explanation


@pytest.mark.parametrize(("older", "count"), [(9, 0), (10, 1)])
def test_a_producer_s_clock_goes_back_in_a_dump_where_many_records_stay_behind(
    inspect: Any, older: int, count: int
) -> None:
    times = [NOW, *[NOW - 2 * BACK_MS] * older]
    findings = dumped(inspect, *times)
    assert [finding.confidence for finding in findings] == ["likely"] * count


def test_a_slow_producer_among_others_in_a_dump_is_normal(inspect: Any) -> None:
    assert dumped(inspect, *[NOW, NOW - 2 * BACK_MS] * 20) == []


def test_a_dump_beside_its_segments_is_not_asked(inspect: Any) -> None:
    times = [NOW, *[NOW - 2 * BACK_MS] * 20]
    records = records_table(*({"timestamp_ms": time} for time in times), replica="dump")
    files = files_table({"kind": "export", "layout": "kcat-json", "name": "dump.json"})
    batches = batches_table({"max_timestamp_ms": NOW})
    assert inspect(ID, files=files, records=records, batches=batches) == []
