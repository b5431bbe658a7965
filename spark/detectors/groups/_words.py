"""Names of groups and partitions as findings about `__consumer_offsets` say them."""

from __future__ import annotations

from spark.detectors._words import partition_name
from spark.terms import marked

__all__ = ["TOPIC_TOOL", "committed_for", "partition_name"]

TOPIC_TOOL = "kafka-consumer-groups.sh --bootstrap-server BROKER:9092"


def committed_for(entity_id: str) -> str:
    """`orders-0`, of an entity named group/topic/partition: topics hold no slash."""
    _, topic, partition = entity_id.rsplit("/", 2)
    return (
        marked.partition(topic, int(partition))
        if partition.isdecimal()
        else marked.name(f"{topic}-{partition}")
    )
