"""Replay of `__remote_log_metadata`: which segments a broker knows, which updates it drops."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.dialects.remote_log_metadata import dialect
from spark.dialects.remote_log_metadata.interpret import interpret
from tests.builders import records_table
from tests.generator import remote_log as remote
from tests.generator.remote_log import (
    COPY_FINISHED,
    DELETE_FINISHED,
    DELETE_STARTED,
    partition_deletion,
    started,
    update,
)
from tests.generator.segment import Record
from tests.spark.replays import replayed


def loaded(*records: Record) -> tuple[list[dict[str, Any]], list[tuple[int, str]]]:
    """The versions of segments and partitions, and what a broker rejects."""
    rows = [{"offset": n, "key": one.key, "value": one.value} for n, one in enumerate(records)]
    state, rejections = replayed(dialect, interpret(records_table(*rows)))
    versions = [{**row, **json.loads(row["attributes"])} for row in state.to_pylist()]
    return versions, [(row["offset"], row["reason"]) for row in rejections.to_pylist()]


def test_a_segment_lives_from_its_start_to_the_end_of_its_deletion() -> None:
    versions, rejections = loaded(
        started(), update(COPY_FINISHED), update(DELETE_STARTED), update(DELETE_FINISHED)
    )
    assert [(row["state"], row["valid_to_offset"]) for row in versions] == [
        ("COPY_SEGMENT_STARTED", 1), ("COPY_SEGMENT_FINISHED", 2), ("DELETE_SEGMENT_STARTED", 3),
    ]  # fmt: skip
    assert [row["endOffset"] for row in versions] == [99] * 3
    assert rejections == []


def test_an_update_of_a_segment_without_a_start_is_dropped() -> None:
    versions, rejections = loaded(update(COPY_FINISHED), started("b"))
    assert rejections == [(0, "segment-unknown")]
    assert len(versions) == 1


@pytest.mark.parametrize(
    "events",
    [
        (started(), update(DELETE_FINISHED)),
        (started(), update(COPY_FINISHED), started()),
        (started(), update(DELETE_STARTED), update(COPY_FINISHED)),
    ],
    ids=["deleted without start of deletion", "copied twice", "copied while in deletion"],
)
def test_a_forbidden_change_is_dropped(events: tuple[Record, ...]) -> None:
    versions, rejections = loaded(*events)
    assert rejections == [(len(events) - 1, "state-forbidden")]
    assert versions[-1]["valid_to_offset"] is None


def test_a_repeated_event_is_no_fault() -> None:
    _, rejections = loaded(started(), started(), update(COPY_FINISHED), update(COPY_FINISHED))
    assert rejections == []


def test_a_deleted_partition_takes_its_segments_along() -> None:
    versions, rejections = loaded(
        started("a"),
        started("b", partition=4),
        partition_deletion(remote.MARKED),
        partition_deletion(remote.FINISHED),
    )
    ends = {(row["entity_type"], row["entity_id"][:8]): row["valid_to_offset"] for row in versions}
    assert ends == {
        ("remote-segment", "orders/3"): 3, ("remote-segment", "orders/4"): None,
        ("remote-partition-deletion", "orders/3"): 3,
    }  # fmt: skip
    assert rejections == []


def test_a_broker_stops_at_a_value_that_it_cannot_read() -> None:
    versions, rejections = loaded(started("a"), Record(None, b"\1\0\0"), started("b"))
    assert rejections == [(1, "unreadable"), (2, "after-unreadable")]
    assert len(versions) == 1
