"""Who reads a journal, and what it does at a record that it cannot read: a service that owns the topic, or the brokers.

Coordinators read a partition of theirs whenever they become its leader, and cannot use another topic: what is
advised differs. What coordinators of 2.8 and 4.1 do was seen on real ones (docs/dialects/consumer-offsets.md,
docs/dialects/transaction-state.md); the repair follows from how compaction and replication work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from spark.terms import marked

WHO_WROTE = "Find the client that wrote it (time, headers, producer ID, ACLs of the topic). Revoke its permission to write to the topic."
WHO_WROTE_OF_BROKERS = (
    "Find the cause. Only brokers write to this topic. Possible causes: another version of Kafka (for example a downgrade), a client "
    "with permission to write, a mirrored or restored topic, or a defective disk. If the replicas differ, the disk is the likely "
    "cause. Brokers can read records of a newer version after they are upgraded to that version."
)


@dataclass(frozen=True)
class JournalConsumer:
    """What a reader does with records that it cannot read, by effect.

    `does` starts a title and takes the records; `means` explains it; `keeps` is the first step; `headline` takes
    the partition and the offset.
    """

    does: Mapping[str, str]
    means: Mapping[str, str]
    keeps: Mapping[str, str]
    headline: str
    who_wrote: str = WHO_WROTE_OF_BROKERS
    repairs: tuple[str, ...] = field(default=())


SERVICE = JournalConsumer(
    does={
        "skipped": "the service skips {records}",
        "tombstone": "the service treats {records} as a delete",
        "fatal": "the service cannot start because of {records}",
    },
    means={
        "skipped": "The service ignores the record. Its change is missing. Only the service's log shows this.",
        "tombstone": "The service treats the record like a tombstone. After the next start, the entity of its key does not exist. A "
        "running instance may still have it in memory.",
        "fatal": "At every start, the service reads its topic from the first record and ends at this one. A running instance may also "
        "have stopped reading the topic. It then serves old data and accepts no changes.",
    },
    keeps={
        "skipped": "Check whether the content of the record is needed.",
        "tombstone": "Do not restart an instance that is still running. First export the data that it serves.",
        "fatal": "Do not restart an instance that is still running. First export the data that it serves.",
    },
    headline="the service cannot start: unreadable record at offset {offset} of {partition}",
    who_wrote=WHO_WROTE,
)
GROUP_COORDINATOR = JournalConsumer(
    does={
        "skipped": "the group coordinator skips {records}",
        "fatal": "the group coordinator cannot load its partition because of {records}",
    },
    means={
        "skipped": "The leader of this partition is the coordinator of its groups. A broker of Kafka 4.1 ignores the record. A broker "
        "of 2.8 does not load the partition and returns no committed offsets for its groups. Their consumers start at the position of "
        "`auto.offset.reset`.",
        "fatal": "The leader of this partition is the coordinator of its groups. It reads the partition when it becomes the leader and "
        "stops at this record with `Failed to load metadata`. After that, every request of these groups fails. Their consumers cannot "
        "join, read or commit offsets. The current leader may still have the data in memory. A restart or a change of leader ends this.",
    },
    keeps={
        "skipped": "Check the record. Ask the groups' owners whether the committed offsets are correct: `kafka-consumer-groups.sh "
        "--bootstrap-server BROKER:9092 --describe --all-groups`",
        "fatal": "While the leader of this partition still answers, do not restart it and do not move the partition. Save the committed "
        "offsets of its groups: `kafka-consumer-groups.sh --bootstrap-server BROKER:9092 --describe --all-groups`",
    },
    headline="consumer groups of {partition} cannot work: the group coordinator cannot read offset {offset}",
    repairs=(
        "A new topic cannot replace this one, because brokers use it by its name. While the leader answers, the next commit or "
        "rebalance of the group writes the same key again, and the next compaction removes this record. If no group writes this key, ask "
        "the operator of the cluster to restore the partition from a readable copy.",
        "If committed offsets are missing after that, stop the group and set them: `kafka-consumer-groups.sh --bootstrap-server "
        "BROKER:9092 --group GROUP --topic TOPIC --reset-offsets --to-offset OFFSET --execute`",
    ),
)
TRANSACTION_COORDINATOR = JournalConsumer(
    does={
        "skipped": "the transaction coordinator skips {records}",
        "fatal": "the transaction coordinator stops reading because of {records}",
    },
    means={
        "skipped": "The leader of this partition is the coordinator of its transactional IDs. It ignores the record, so its change of "
        "a transactional ID is missing.",
        "fatal": "The leader of this partition is the coordinator of its transactional IDs. It reads the partition when it becomes the "
        "leader and stops at this record. For IDs with later records, it has an older state or none. If such an ID has an open "
        "transaction, no coordinator ends it. read_committed consumers wait at its first offset. The current leader may still have the "
        "newer state in memory. A restart or a change of leader ends this.",
    },
    keeps={
        "skipped": "Find the transactional ID of the record. Check whether it has an open transaction.",
        "fatal": "While the leader of this partition still answers, do not restart it and do not move the partition. Save the list of its "
        "transactions: `kafka-transactions.sh --bootstrap-server BROKER:9092 list`",
    },
    headline="transactions can hang: the transaction coordinator cannot read {partition} from offset {offset}",
    repairs=(
        "A new topic cannot replace this one, because brokers use it by its name. While the leader answers, the next transaction of "
        "the transactional ID writes the same key again, and the next compaction removes this record. If no producer uses this ID, ask the "
        "operator of the cluster to restore the partition from a readable copy.",
        "After a change of leader, find hanging transactions and abort them: `kafka-transactions.sh --bootstrap-server BROKER:9092 "
        "find-hanging --broker-id BROKER_ID`",
    ),
)
SHARE_COORDINATOR = JournalConsumer(
    does={
        "skipped": "the share coordinator skips {records}",
        "fatal": "the share coordinator cannot load its partition because of {records}",
    },
    means={
        "skipped": "The leader of this partition is the coordinator of its share groups. It ignores the record, so a change of their "
        "deliveries is missing.",
        "fatal": "The leader of this partition is the coordinator of its share groups. It reads the partition when it becomes the leader "
        "and stops at this record. After that, brokers cannot read or write the deliveries of these share groups, and their consumers "
        "get no records. The current leader may still have the data in memory. A restart or a change of leader ends this.",
    },
    keeps={
        "skipped": "Check the record. Ask the owners of the share groups whether records are missing or delivered twice.",
        "fatal": "While the leader of this partition still answers, do not restart it and do not move the partition. Save the start offsets "
        "of its share groups: `kafka-share-groups.sh --bootstrap-server BROKER:9092 --describe --all-groups`",
    },
    headline="share groups of {partition} cannot work: the share coordinator cannot read offset {offset}",
    repairs=(
        "A new topic cannot replace this one, because brokers use it by its name. If no other replica is readable, ask the operator of "
        "the cluster to restore the partition from a readable copy.",
        "If the start offsets are wrong after that, stop the share group and set them (Kafka 4.2 or later): `kafka-share-groups.sh --bootstrap-server "
        "BROKER:9092 --group GROUP --topic TOPIC --reset-offsets --to-datetime TIME --execute`",
    ),
)
TIERED_STORAGE = JournalConsumer(
    does={
        "fatal": "brokers stop reading the segments of tiered storage because of {records}",
    },
    means={
        "fatal": "Every broker reads this topic from its first record. It stops at this record with `Error occurred while processing the "
        "records` and learns of no later segment. Consumers then cannot read records that are only in remote storage. A running broker "
        "that read the record earlier still has the segments in memory until its restart.",
    },
    keeps={
        "fatal": "Do not restart brokers that still serve remote segments. Copy the folders of `__remote_log_metadata`.",
    },
    headline="brokers cannot read remote segments: they stop at offset {offset} of {partition}",
    repairs=(
        "If another replica of the partition is readable, make its broker the leader.",
        "If brokers of different versions run, upgrade all of them to the newest version.",
        "If every replica has the record, ask the operator of the cluster to restore the partition from a readable copy. A broker uses "
        "the topic by its name, so a new topic cannot replace it.",
    ),
)
CONTROLLER = JournalConsumer(
    does={
        "fatal": "controllers and brokers stop because of {records}",
    },
    means={
        "fatal": "Every controller and broker of the cluster reads this log. A node that cannot read a record stops with a fatal fault. It "
        "stops again at every start until it has a snapshot of a later offset.",
    },
    keeps={
        "fatal": "Copy the folder `__cluster_metadata-0` of each node that is still running, including snapshots. Do not restart a node before "
        "its copy is complete.",
    },
    headline="controllers and brokers stop at offset {offset} of {partition}: unreadable record",
    repairs=(
        "Start the stopped node with the Kafka version of the other nodes. To find the metadata version: `kafka-features.sh "
        "--bootstrap-server BROKER:9092 describe`",
        "If only this node's copy is corrupt, replace it. Do this for one node at a time, and only while a majority of the other "
        "controllers is running and caught up (`kafka-metadata-quorum.sh --bootstrap-server BROKER:9092 describe --replication`): "
        "stop the node, move its folder `__cluster_metadata-0` away and keep it, start the node.",
    ),
)
CONSUMERS = {
    "__consumer_offsets": GROUP_COORDINATOR,
    "__transaction_state": TRANSACTION_COORDINATOR,
    "__cluster_metadata": CONTROLLER,
    "__share_group_state": SHARE_COORDINATOR,
    "__remote_log_metadata": TIERED_STORAGE,
}


def consumer_of(topic: str, effect: str) -> JournalConsumer:
    """Who reads the topic; the service that owns it where that is no broker."""
    consumer = CONSUMERS.get(topic.partition(" ")[0], SERVICE)
    return consumer if effect in consumer.does else SERVICE


def repairs_of(consumer: JournalConsumer, topic: str, records: int) -> list[str]:
    """How to get rid of the records."""
    if consumer.repairs:
        return list(consumer.repairs)
    return [
        f"Copy {marked.topic(topic)} without {'it' if records == 1 else 'them'} to a new topic with the same settings. Configure the service "
        "to use the new topic. Alternative for a compacted topic: a new record with the same key supersedes it at the next compaction. "
        "Use a tombstone if the key must not exist. This does not work for a record without a key.",
        "Make the change of the record again through the service.",
    ]
