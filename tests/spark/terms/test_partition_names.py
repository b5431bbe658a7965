"""Partitions by name: a topic that the input does not name has none."""

from __future__ import annotations

import pytest

from spark.detectors._words import partition_name as name_in_findings
from spark.tables.replica import PartitionReplica
from spark.terms.marked import partition_name, partition_of_key, plain


def test_a_topic_without_a_name_is_never_shown_as_a_question_mark() -> None:
    assert partition_name("orders", 3) == "orders-3"
    assert partition_name("?", 3) == partition_of_key("?-3") == PartitionReplica("?", 3).name == "partition 3"
    assert PartitionReplica("?", 3, "broker-2").name == "partition 3 (broker-2)"


def test_a_dash_in_a_topic_stays_in_its_name() -> None:
    assert partition_of_key("a-b-0") == "a-b-0"


@pytest.mark.parametrize(
    ("name", "noun"),
    [("ticket.txt (lines 29-36)", "output"), ("ticket.txt (line 4)", "output"), ("second.json", "output"),
     ("broker-1", "replica"), ("upload.tgz/broker-1/data", "replica")],
)  # fmt: skip
def test_a_copy_that_a_tool_printed_is_an_output_and_one_in_a_folder_a_replica(name: str, noun: str) -> None:
    row = {"topic": "orders", "partition": 3, "replica": name}
    assert plain(name_in_findings(row)) == f"orders-3 ({noun} {name})"
