"""Steps that restore records know the partition's other replicas, as the input tells them, and who can write the records again."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from spark.detectors import _restoring as restoring
from spark.detectors.bytes import missing_tail
from spark.dialects.cluster_metadata import dialect, interpret
from spark.sources import sources
from spark.tables.replica import Row
from spark.terms.marked import plain
from tests.builders import files_table, given_tables, other_table, records_table
from tests.spark.controller_records import partition, topic
from tests.spark.replays import replayed

LOST: Row = {
    "topic": "orders",
    "partition": 0,
    "replica": "",
    "data_end": 4,
    "last_missing": 9,
    "has_segments": True,
    "is_only_longer": False,
    "is_stopped": True,
    "end_offset": 10,
    "taken": 0,
}


def controllers(*on: int) -> dict[str, pa.Table]:
    """The controllers' journal with a partition on these brokers."""
    values = (topic(), partition(on=on, leader=on[0]))
    records = records_table(*({"key": None, "value": value} for value in values), topic="__cluster_metadata")
    return {"state": replayed(dialect, interpret(records))[0]}


def described(replicas: str) -> dict[str, pa.Table]:
    """The output of kafka-topics --describe."""
    layout = "kafka-topics-describe"
    file = {"file": 3, "name": "topics.txt", "kind": "companion", "layout": layout}
    return {
        "files": files_table({**file, "layout_title": sources()[layout].title}),
        "properties": other_table(
            "properties",
            {"topic": "orders", "partition": 0, "name": "replicas", "value": replicas, "file": 3},
        ),
    }


def broker(number: int) -> dict[str, pa.Table]:
    """meta.properties of the broker."""
    return {"properties": other_table("properties", {"replica": "", "name": "node.id", "value": str(number)})}


def row_with(tables: dict[str, pa.Table], **more: Any) -> Row:
    (row,) = restoring.with_replicas(lambda _: [{**LOST, **more}])(given_tables(tables))
    return row


def steps(tables: dict[str, pa.Table], **more: Any) -> str:
    """The steps of a missing end."""
    return plain(missing_tail.remedy(row_with(tables, **more)))


@pytest.mark.parametrize(
    ("tables", "said_by"),
    [(controllers(1), "__cluster_metadata"), (described("1"), "kafka-topics --describe (topics.txt)")],
    ids=["controllers", "print"],
)
def test_a_partition_with_one_replica_is_restored_from_no_other(
    tables: dict[str, pa.Table], said_by: str
) -> None:
    remedy = steps(tables)
    assert (
        "If there is a backup, restore offsets 4-9 of orders-0 from it. "
        f"There is no other replica, according to {said_by}." in remedy
    )
    assert "another replica" not in remedy
    assert (
        "If offsets 4-9 of orders-0 cannot be restored, ask the owner of the producer to send them again."
        in remedy
    )


@pytest.mark.parametrize(
    ("tables", "replicas"),
    [
        (controllers(1, 2, 3), "the replicas on brokers 1, 2 and 3 (according to __cluster_metadata)"),
        (controllers(1, 2, 3) | broker(1), "the replicas on brokers 2 and 3 (according to __cluster_metadata)"),
        (controllers(2) | broker(1), "the replica on broker 2 (according to __cluster_metadata)"),
        (described("2,3"), "the replicas on brokers 2 and 3 (according to kafka-topics --describe (topics.txt))"),
        ({}, "the replicas of the partition"),
    ],
    ids=["several", "of another broker", "only on another broker", "print", "unknown"],
)  # fmt: skip
def test_the_brokers_of_other_replicas_are_named(tables: dict[str, pa.Table], replicas: str) -> None:
    remedy = steps(tables)
    assert "Restore offsets 4-9 of orders-0 from another replica." in remedy
    assert f"To find an intact replica, compare {replicas}." in remedy
    assert "no other replica" not in remedy


def test_what_the_input_has_twice_has_another_replica_whatever_is_told() -> None:
    copies = files_table(
        *({"file": number, "kind": "segment", "replica": f"broker-{number}"} for number in (1, 2)),
        topic="orders",
        partition=0,
    )
    assert "no other replica" not in steps(controllers(1) | {"files": copies})


@pytest.mark.parametrize(
    ("name", "again"),
    [
        ("__consumer_offsets", "A group without a commit starts at auto.offset.reset."),
        ("__transaction_state", "Producers initialize their transactional IDs again"),
        ("app-store-changelog", "must build its state again"),
        ("docker-connect-configs", "send the configs of the connectors again"),
        ("connect-cluster-offsets", "A source connector without an offset starts from the beginning."),
        ("_schemas", "register the schemas again"),
    ],
)
def test_no_producer_is_asked_for_what_kafka_or_a_service_writes(name: str, again: str) -> None:
    remedy = steps({}, topic=name)
    assert again in remedy
    assert "producer to send" not in remedy


def test_a_journal_is_known_by_its_entries_whatever_its_name() -> None:
    entries = other_table("entries", {"topic": "state-7", "partition": 0, "entry_type": "connector-offset"})
    assert "source connector" in steps({"entries": entries}, topic="state-7")


def test_the_log_of_the_controllers_comes_from_another_controller() -> None:
    remedy = steps(controllers(1), topic="__cluster_metadata")
    assert (
        "If the cluster has several controllers, restore offsets 4-9 of __cluster_metadata-0 from another controller, one node"
        in remedy
    )
    assert "kafka-metadata-quorum.sh" in remedy
    assert "replica" not in remedy.replace("--replication", "")
    assert "The controllers write it." in remedy


@pytest.mark.parametrize(
    ("name", "is_copied"), [("orders", True), ("__consumer_offsets", False), ("app-store-changelog", False)]
)
def test_a_topic_that_is_used_by_its_name_is_not_copied_to_a_new_one(name: str, is_copied: bool) -> None:
    assert restoring.is_replaceable(name) == is_copied
