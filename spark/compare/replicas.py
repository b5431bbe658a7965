"""Replicas: which copies of a partition are the same log on several brokers, and so must be the same.

No replicas are: folders left over from a deletion or a move, copies of other clusters, logs whose topic nobody names,
copies of one broker at two times (of these the longest stands for the broker), and prints beside segments or other prints.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from spark.stages.partition_folders import LEFTOVER_COPY, OF_A_CLUSTER, UNKNOWN_TOPIC

if TYPE_CHECKING:
    from spark.compare.sides import PartitionCopy

# What tells a broker from others, by the name of its copies. Old brokers write no cluster id.


def brokers_of(properties: str) -> str:
    """SQL: by replica, what tells the broker apart that it lies on. `properties`: the table of this name, with its prefix."""
    return f"""
        SELECT replica, max(value) FILTER (name IN ('broker.id', 'node.id')) || '@'
            || coalesce(max(value) FILTER (name = 'cluster.id'), '') AS broker
        FROM {properties} WHERE name IN ('broker.id', 'node.id', 'cluster.id') AND replica <> ''
        GROUP BY replica HAVING broker IS NOT NULL
    """


def is_leftover(replica: str) -> bool:
    """Whether the name is that of a folder that a deletion, a move or a lost topic left behind."""
    return re.search(LEFTOVER_COPY, replica) is not None


def replicas(copies: Sequence[PartitionCopy], brokers: Mapping[str, str]) -> list[list[PartitionCopy]]:
    """Copies that are replicas of each other, two and more. `brokers`: rows of `brokers_of`."""
    groups: dict[tuple[str, int, str, frozenset[str]], dict[str, PartitionCopy]] = defaultdict(dict)
    for copy in copies:
        if copy.topic == UNKNOWN_TOPIC or is_leftover(copy.replica):
            continue
        cluster = re.search(OF_A_CLUSTER, copy.replica)
        group = groups[copy.topic, copy.partition, cluster[1] if cluster else "", copy.layouts]
        broker = brokers.get(copy.replica, copy.replica)
        rival = group.get(broker)
        if rival is None or (copy.end_offset, copy.replica) > (rival.end_offset, rival.replica):
            group[broker] = copy
    return [list(group.values()) for group in groups.values() if len(group) > 1]
