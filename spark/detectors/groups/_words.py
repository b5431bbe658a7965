"""Names of groups and partitions as findings about `__consumer_offsets` say them."""

from __future__ import annotations

from typing import Any

from spark.detectors import Row

TOPIC_TOOL = "kafka-consumer-groups.sh --bootstrap-server HOST:9092"
KIP_848 = "https://cwiki.apache.org/confluence/display/KAFKA/KIP-848%3A+The+Next+Generation+of+the+Consumer+Rebalance+Protocol"


def place(row: Row) -> dict[str, Any]:
    """Where a finding is."""
    return {"topic": row["topic"], "partition": row["partition"], "replica": row["replica"]}


def partition_name(row: Row) -> str:
    """`__consumer_offsets-7`."""
    return f"{row['topic']}-{row['partition']}"


def committed_for(entity_id: str) -> str:
    """`orders-0`, of an entity named group/topic/partition: topics hold no slash."""
    _, topic, partition = entity_id.rsplit("/", 2)
    return f"{topic}-{partition}"
