"""Who reads a journal, and what becomes of it at a record that it cannot read: a service that owns the topic, or the brokers.

Coordinators read a partition of theirs whenever they become its leader, and nobody can give them another topic: what is
advised differs. What coordinators of 2.8 and 4.1 do was seen on real ones (docs/dialects/consumer-offsets.md,
docs/dialects/transaction-state.md); what mends it follows from how compaction and replication work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

WHO_WROTE = (
    "Find who wrote it (time, headers, producer id, ACLs of the topic) and take that client's right to write."
)
WHO_WROTE_OF_BROKERS = (
    "Find who wrote it: only brokers write to this topic. Another version of Kafka (were brokers downgraded?), a client with "
    "rights on it, a topic that was mirrored or restored, or a broken disk; the copies of other brokers, compared with "
    "this one, tell a disk from the rest. Records of a newer version are read again once the brokers are of that version."
)


@dataclass(frozen=True)
class JournalConsumer:
    """What a reader does with records that it cannot read, by effect.

    `does` completes a title (of one record, of several); `means` explains it; `keeps` is the first step; `headline` takes
    the partition and the offset.
    """

    does: Mapping[str, tuple[str, str]]
    means: Mapping[str, str]
    keeps: Mapping[str, str]
    headline: str
    who_wrote: str = WHO_WROTE_OF_BROKERS
    mends: tuple[str, ...] = field(default=())


SERVICE = JournalConsumer(
    does={
        "skipped": ("it is skipped", "they are skipped"),
        "tombstone": ("it is taken for a deletion", "they are taken for a deletion"),
        "fatal": ("the service does not start with it", "the service does not start with them"),
    },
    means={
        "skipped": "The service goes on as if the record were not there. Whatever it should have said is missing, and "
        "nobody is told, except in the service's log.",
        "tombstone": "The service reads a value of null, which is how a deletion looks: what the key names is gone after "
        "the next start, while a running instance may still serve it.",
        "fatal": "The service reads its topic from the first record at every start and ends at this one. A running "
        "instance may have stopped to follow the topic, too: it answers with what it read before and takes no changes.",
    },
    keeps={
        "skipped": "Look at the record: does it say something that is needed?",
        "tombstone": "Do not restart an instance that still runs: export what it serves first.",
        "fatal": "Do not restart an instance that still runs: export what it serves first.",
    },
    headline="the service does not start: it cannot read {where} at offset {offset}",
    who_wrote=WHO_WROTE,
)
GROUP_COORDINATOR = JournalConsumer(
    does={
        "skipped": ("the group coordinator passes over it", "the group coordinator passes over them"),
        "fatal": ("the group coordinator does not load the partition",) * 2,
    },
    means={
        "skipped": "The broker that leads this partition is the coordinator of its groups. A broker of Kafka 4.1 goes on as "
        "if the record were not there. One of 2.8 does not load the partition: it answers as if its groups had committed "
        "nothing, and their consumers start where `auto.offset.reset` says.",
        "fatal": "The broker that leads this partition is the coordinator of its groups. It reads the partition whenever it "
        "becomes the leader, ends at this record with `Failed to load metadata`, and from then on fails every request of "
        "these groups: their consumers cannot join, read or commit offsets. The leader of now may still answer from "
        "memory; its restart or a change of leader ends that.",
    },
    keeps={
        "skipped": "Look at the record, and compare what `kafka-consumer-groups.sh --bootstrap-server <broker> --describe "
        "--all-groups` shows with what the groups' owners expect.",
        "fatal": "While the leader of this partition still answers, do not restart it and do not move the partition. Note what the groups have "
        "committed: `kafka-consumer-groups.sh --bootstrap-server <broker> --describe --all-groups`",
    },
    headline="the group coordinator does not load {where}: it cannot read offset {offset}",
    mends=(
        "The brokers know this topic by its name, so a fresh one cannot take its place. As long as the leader answers, the "
        "group's next commit or rebalance writes the same key again, and the next cleaning removes this record. Where no "
        "group writes it any more, have whoever runs the cluster restore the partition from a copy that can be read.",
        "Set the offsets that are missing afterwards, the group stopped: `kafka-consumer-groups.sh --bootstrap-server "
        "<broker> --group <group> --topic <topic> --reset-offsets --to-offset <offset> --execute`",
    ),
)
TRANSACTION_COORDINATOR = JournalConsumer(
    does={
        "skipped": (
            "the transaction coordinator passes over it",
            "the transaction coordinator passes over them",
        ),
        "fatal": ("the transaction coordinator reads nothing behind it",) * 2,
    },
    means={
        "skipped": "The broker that leads this partition is the coordinator of its transactional ids, and goes on as if the "
        "record were not there: what it should have said of an id is missing.",
        "fatal": "The broker that leads this partition is the coordinator of its transactional ids. It reads the partition "
        "whenever it becomes the leader and stops at this record: of ids with records behind it, it knows an older state "
        "or nothing. A transaction of theirs that is open then is ended by nobody, and consumers of committed data wait "
        "before it. The leader of now may still know better; its restart or a change of leader ends that.",
    },
    keeps={
        "skipped": "Look at the record: which transactional id is it about, and is a transaction of it open?",
        "fatal": "While the leader of this partition still answers, do not restart it and do not move the partition. Note what it knows: "
        "`kafka-transactions.sh --bootstrap-server <broker> list`",
    },
    headline="the transaction coordinator reads nothing behind offset {offset} of {where}",
    mends=(
        "The brokers know this topic by its name, so a fresh one cannot take its place. As long as the leader answers, the "
        "id's next transaction writes the same key again, and the next cleaning removes this record. Where no producer "
        "uses it any more, have whoever runs the cluster restore the partition from a copy that can be read.",
        "After a change of leader look for transactions that nobody ends, and abort them: `kafka-transactions.sh "
        "--bootstrap-server <broker> find-hanging --broker-id <id>`",
    ),
)
CONTROLLER = JournalConsumer(
    does={
        "fatal": (
            "a controller or broker that reads it stops",
            "a controller or broker that reads them stops",
        )
    },
    means={
        "fatal": "Every controller and broker of the cluster reads this log. One that meets a record which it cannot read "
        "stops with a fatal fault, and stops again at every start until a snapshot behind the record is there.",
    },
    keeps={
        "fatal": "Do not restart nodes that still run. Keep a copy of the folder `__cluster_metadata-0` of each of them, "
        "snapshots included.",
    },
    headline="controllers and brokers stop at offset {offset} of {where}",
    mends=(
        "Start the node that stopped with the version of Kafka that the others run (`kafka-features.sh --bootstrap-server "
        "<broker> describe` names the metadata version).",
        "If only this node's copy is corrupt, replace it. Do this for one node at a time, and only while a majority of the other "
        "controllers is running and caught up (`kafka-metadata-quorum.sh --bootstrap-server <broker> describe --replication`): "
        "stop the node, move its folder `__cluster_metadata-0` away and keep it, start the node.",
    ),
)
READERS = {
    "__consumer_offsets": GROUP_COORDINATOR,
    "__transaction_state": TRANSACTION_COORDINATOR,
    "__cluster_metadata": CONTROLLER,
}


def reader_of(topic: str, effect: str) -> JournalConsumer:
    """Who reads the topic; the service that owns it where that is no broker."""
    reader = READERS.get(topic.partition(" ")[0], SERVICE)
    return reader if effect in reader.does else SERVICE


def mends_of(reader: JournalConsumer, topic: str, records: int) -> list[str]:
    """How to get rid of the records."""
    if reader.mends:
        return list(reader.mends)
    return [
        f"Copy {topic} without {'it' if records == 1 else 'them'} to a new topic with the same settings. Configure the service "
        "to use the new topic. A log cannot be edited. In a compacted topic, a new record with the same key supersedes it at the "
        "next compaction; use a tombstone if the key must not exist. This does not work for a record without a key.",
        "Write what the record should contain again, through the service.",
    ]
