"""What may be done to the topic of each journal: every remedy follows this table.

    policies   values of cleanup.policy with which the topic loses no record that its service needs; `delete` only with retention.ms=-1
               and retention.bytes=-1
    produce    whether records may be written to the topic by hand: copies, tombstones, repair records
    delete     whether its first records may be deleted (kafka-delete-records)

Sources: Apicurio `KafkaSqlFactory`; Confluent `KafkaStore`; Kafka `TopicAdmin` (Connect), `KafkaAdminManager` and `GroupCoordinator` for
Kafka's own topics; Debezium `KafkaSchemaHistory`; ksqlDB `KsqlInternalTopicUtils`. A compacted topic rejects a record without a
key, and its cleaner removes one.
"""

from __future__ import annotations

from dataclasses import dataclass

COMPACT, DELETE = "compact", "delete"
KEEP_ALL = "retention.ms=-1,retention.bytes=-1"


@dataclass(frozen=True)
class TopicRules:
    """Rules for a dialect's topic."""

    policies: frozenset[str]
    produce: bool = True
    delete: bool = False

    @property
    def is_keyless(self) -> bool:
        """Whether compaction would remove what the service needs."""
        return COMPACT not in self.policies


COMPACTED = TopicRules(frozenset({COMPACT}))
ANY_POLICY = TopicRules(frozenset({COMPACT, DELETE}))
NEVER_COMPACTED = TopicRules(frozenset({DELETE}))
OF_KAFKA = TopicRules(frozenset({COMPACT}), produce=False)
OF_KAFKA_DELETED = TopicRules(frozenset({DELETE}), produce=False)
ORDINARY = TopicRules(frozenset({COMPACT, DELETE}), delete=True)

RULES: dict[str, TopicRules] = {
    "apicurio-v2": ANY_POLICY,
    "apicurio-v3": ANY_POLICY,
    "schema-registry": COMPACTED,
    "connect": COMPACTED,
    "mirror-maker": COMPACTED,
    "debezium-history": NEVER_COMPACTED,
    "debezium-signals": NEVER_COMPACTED,
    "ksqldb-commands": NEVER_COMPACTED,
    "consumer-offsets": OF_KAFKA,
    "transaction-state": OF_KAFKA,
    "share-group-state": OF_KAFKA_DELETED,
    "remote-log-metadata": OF_KAFKA_DELETED,
    "cluster-metadata": OF_KAFKA_DELETED,
    "streams-changelog": COMPACTED,
    "streams-joins": ANY_POLICY,
    "streams-suppress": COMPACTED,
    "streams-versioned": COMPACTED,
    "streams-windows": ANY_POLICY,
    "streams-repartition": ORDINARY,
    "strimzi-topic-store": COMPACTED,
    "cruise-control": ORDINARY,
    "confluent-command": COMPACTED,
    "dead-letters": ORDINARY,
    "plain": ORDINARY,
}
KAFKA_TOPICS = {
    "__consumer_offsets": "consumer-offsets",
    "__transaction_state": "transaction-state",
    "__share_group_state": "share-group-state",
    "__remote_log_metadata": "remote-log-metadata",
    "__cluster_metadata": "cluster-metadata",
}
WRITTEN_AGAIN = {
    "consumer-offsets": "Do not write to this topic. Consumers of the group commit their offsets again. To set an offset: "
    "`kafka-consumer-groups.sh --bootstrap-server BROKER:9092 --group GROUP --topic TOPIC --reset-offsets --to-offset OFFSET --execute`",
    "transaction-state": "Do not write to this topic. Producers initialize their transactional IDs again when they restart.",
    "share-group-state": "Do not write to this topic. The share coordinator writes the state of the groups.",
    "remote-log-metadata": "Do not write to this topic. Brokers write it while they copy segments to the remote storage.",
    "cluster-metadata": "Do not write to this topic. The controllers write it.",
}


def rules_of(dialect: str) -> TopicRules:
    return RULES[dialect]


def kafkas_own(topic: str) -> str | None:
    """The dialect of one of Kafka's own topics, by name; None for other topics."""
    return KAFKA_TOPICS.get(topic.partition(" ")[0])


def written_again(topic: str) -> str | None:
    """What to do instead of writing records to one of Kafka's own topics; None if records may be written."""
    dialect = kafkas_own(topic)
    return WRITTEN_AGAIN[dialect] if dialect else None
