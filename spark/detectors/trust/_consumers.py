"""Who reads a journal, and what it does at a record that it cannot read: a service that owns the topic, or the brokers.

Coordinators read a partition of theirs whenever they become its leader, and cannot use another topic: what is
advised differs. What coordinators of 2.8 and 4.1 do was seen on real ones (docs/dialects/consumer-offsets.md,
docs/dialects/transaction-state.md); the repair follows from how compaction and replication work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class JournalConsumer:
    """What a reader does with records that it cannot read, by effect.

    `does` starts a title and takes the records; `means` explains it; `keeps` is the first step; `headline` takes
    the partition and the offset.
    """

    name: str
    does: Mapping[str, str]
    means: Mapping[str, str]
    headline: str


SERVICE = JournalConsumer(
    name="Service",
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
    headline="the service cannot start: unreadable record at offset {offset} of {partition}",
)
GROUP_COORDINATOR = JournalConsumer(
    name="Group coordinator",
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
    headline="consumer groups of {partition} cannot work: the group coordinator cannot read offset {offset}",
)
TRANSACTION_COORDINATOR = JournalConsumer(
    name="Transaction coordinator",
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
    headline="transactions can hang: the transaction coordinator cannot read {partition} from offset {offset}",
)
SHARE_COORDINATOR = JournalConsumer(
    name="Share coordinator",
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
    headline="share groups of {partition} cannot work: the share coordinator cannot read offset {offset}",
)
TIERED_STORAGE = JournalConsumer(
    name="Tiered storage",
    does={
        "fatal": "brokers stop reading the segments of tiered storage because of {records}",
    },
    means={
        "fatal": "Every broker reads this topic from its first record. It stops at this record with `Error occurred while processing the "
        "records` and learns of no later segment. Consumers then cannot read records that are only in remote storage. A running broker "
        "that read the record earlier still has the segments in memory until its restart.",
    },
    headline="brokers cannot read remote segments: they stop at offset {offset} of {partition}",
)
CONTROLLER = JournalConsumer(
    name="Controller",
    does={
        "fatal": "controllers and brokers stop because of {records}",
    },
    means={
        "fatal": "Every controller and broker of the cluster reads this log. A node that cannot read a record stops with a fatal fault. It "
        "stops again at every start until it has a snapshot of a later offset.",
    },
    headline="controllers and brokers stop at offset {offset} of {partition}: unreadable record",
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
