"""A topic as its profile asks about it: one copy of each of its partitions, or one partition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spark.tables.replica import IN_REPLICA, PartitionReplica
from webapp.reports.queries.partitions import Survey
from webapp.reports.results import Results, Rows

OF_TOPIC = '"topic" = $topic'
IN_REPLICAS = '"topic" = $topic AND ("partition", replica) IN (SELECT unnest($partitions), unnest($replicas))'


@dataclass(frozen=True)
class TopicTables:
    """The tables as a profile asks them about a topic: one copy of each of its partitions, or of one.

    `is_whole`: the input contains nothing else of the topic.
    """

    results: Results
    replicas: tuple[PartitionReplica, ...]
    is_whole: bool = False

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None, side: str = "") -> Rows:
        """Rows of a query of this module. `side`: key or value."""
        condition = IN_REPLICA if len(self.replicas) == 1 else OF_TOPIC if self.is_whole else IN_REPLICAS
        query = sql.replace("{scope}", condition).replace("{side}", side)
        values = {**self._values, **(parameters or {})}
        return self.results.rows(
            query, {name: value for name, value in values.items() if f"${name}" in query}
        )

    def row(self, sql: str, side: str = "") -> dict[str, Any]:
        """The first row; empty if there is none."""
        return next(iter(self.rows(sql, side=side)), {})

    @property
    def dialect(self) -> str:
        """The journal type by which the topic was read; empty where the report does not say."""
        topic = self.replicas[0].topic
        journals = self.results.document.get("journals", [])
        return next((str(row.get("dialect")) for row in journals if row.get("topic") == topic), "")

    @cached_property
    def _values(self) -> dict[str, Any]:
        topics, partitions, replicas = zip(*self.replicas, strict=True)
        lists = {"partitions": list(partitions), "replicas": list(replicas)}
        return {"topic": topics[0], "partition": partitions[0], "replica": replicas[0], **lists}


def copies_of(survey: Survey, topic: str) -> list[PartitionReplica]:
    """All copies of all partitions of a topic."""
    return [replica for replica in survey.facts if replica.topic == topic]


def topic_tables(results: Results, survey: Survey, chosen: PartitionReplica) -> TopicTables:
    """A copy of each partition of the topic: the chosen one, and of the others that of the same broker, else the one that reaches furthest."""

    def rank(replica: PartitionReplica) -> tuple[bool, bool, int, str]:
        return (
            replica != chosen,
            replica.replica != chosen.replica,
            -survey.facts[replica].bounds[1],
            replica.replica,
        )

    copies = sorted(copies_of(survey, chosen.topic), key=rank)
    replicas: dict[int, PartitionReplica] = {}
    for replica in copies:
        replicas.setdefault(replica.partition, replica)
    in_order = tuple(replicas[partition] for partition in sorted(replicas)) or (chosen,)
    return TopicTables(results, in_order, len(copies) == len(in_order))
