"""Committed offsets that belong to a topic before, and those that only look so."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors.groups.commit_from_earlier_topic import BROKER_CLOCKS_MS, PRODUCER_CLOCKS_MS, detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.builders import batches_table, lifelines_table
from tests.spark.detectors.groups.coordinator_logs import START_MS, Record, commit, findings

ORDERS = {"topic": "orders", "partition": 0}
LATER_MS = PRODUCER_CLOCKS_MS + 1


def found(made: Record, first_ms: int, *, records: int = 10, **batch: Any) -> list[Finding]:
    """Of a commit beside the log of orders-0, whose records are younger than the first commit."""
    log = lifelines_table(
        *(
            {"offset": offset, "timestamp_ms": START_MS + first_ms + offset, **ORDERS}
            for offset in range(records)
        )
    )
    batches = batches_table(
        {"base_offset": 0, "last_offset": records - 1, "max_timestamp_ms": START_MS + first_ms + records}
        | ORDERS
        | batch
    )
    return findings(detector, made, lifelines=log, batches=batches)


def test_records_below_that_are_younger_are_likely() -> None:
    (finding,) = found(commit(4), LATER_MS)
    assert (finding.severity, finding.confidence, finding.evidence) == ("high", "likely", [0])
    assert plain(finding.title).startswith(
        "Group billing skips 4 records of orders-0: its committed offset 4 belongs to an earlier topic"
    )
    assert "--to-offset 0 " in plain(finding.remedy)


def test_a_leader_epoch_above_those_of_the_log_is_proof() -> None:
    (finding,) = found(commit(4, epoch=7), 1000, leader_epoch=2)
    assert finding.confidence == "proven"
    assert found(commit(4, epoch=2), 1000, leader_epoch=2) == []
    assert found(commit(4, epoch=7), -9999, leader_epoch=2) == []  # the log was copied before


@pytest.mark.parametrize(("ahead_ms", "count"), [(BROKER_CLOCKS_MS, 0), (BROKER_CLOCKS_MS + 1, 1)])
def test_times_of_brokers_are_trusted_to_a_minute(ahead_ms: int, count: int) -> None:
    assert len(found(commit(4), ahead_ms, timestamp_type="log_append")) == count


@pytest.mark.parametrize(
    ("made", "first_ms"),
    [
        (commit(4), PRODUCER_CLOCKS_MS),
        (commit(4), -1000),
        (commit(11), LATER_MS),
        (commit(0), LATER_MS),
    ],
    ids=["a clock", "older records", "beyond the log", "the start"],
)
def test_innocent(made: Record, first_ms: int) -> None:
    assert found(made, first_ms) == []
