"""Partitions by name: a topic that the input does not name has none."""

from __future__ import annotations

from spark.tables.replica import PartitionReplica
from spark.terms.marked import partition_name, partition_of_key


def test_a_topic_without_a_name_is_never_shown_as_a_question_mark() -> None:
    assert partition_name("orders", 3) == "orders-3"
    assert partition_name("?", 3) == partition_of_key("?-3") == PartitionReplica("?", 3).name == "partition 3"
    assert PartitionReplica("?", 3, "broker-2").name == "partition 3 (broker-2)"


def test_a_dash_in_a_topic_stays_in_its_name() -> None:
    assert partition_of_key("a-b-0") == "a-b-0"
