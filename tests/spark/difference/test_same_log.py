"""Two dumps are of one log if enough records that both have agree, and none differs."""

from __future__ import annotations

from typing import Any

import pytest

from spark.difference.same_log import RECORDS_AGREEING, is_one_log, may_be_same
from spark.tables.replica import PartitionReplica

JOURNAL = PartitionReplica("journal", 0)


def records(*offsets: int, time_ms: int = 0, key: int = 0) -> list[dict[str, Any]]:
    return [{"offset": n, "timestamp_ms": 1_000 + n + time_ms, "key_hash": n + key} for n in offsets]


def test_as_many_equal_records_as_needed_prove_one_log_however_many_are_compacted_away() -> None:
    assert RECORDS_AGREEING == 3
    assert is_one_log(records(0, 1, 2, 3, 4), records(1, 2, 4, 9))
    assert not is_one_log(records(0, 1, 2, 3, 4), records(1, 2, 9))


@pytest.mark.parametrize("difference", [{"time_ms": 1}, {"key": 1}])
def test_one_record_that_differs_shows_two_logs(difference: dict[str, int]) -> None:
    assert not is_one_log(records(0, 1, 2, 3, 4), [*records(0, 1, 2, 3), *records(4, **difference)])


@pytest.mark.parametrize(
    ("other", "may_be"),
    [(("journal", 0, "b"), True), (("?", 0), True), (("journal", 1), False), (("other", 0), False)],
)
def test_a_dump_that_names_no_topic_counts_for_its_partition(other: tuple[Any, ...], may_be: bool) -> None:
    assert may_be_same(JOURNAL, PartitionReplica(*other)) is may_be
