"""Fields of the share coordinators' records: the number at a key's start is the record type.

    key   => record_type:int16 group topic_id partition       0 snapshot, 1 update
    value => version:int16 fields                             always version 0; a null value of a snapshot deletes

Kafka 4.0 (early access) wrote the same version without times, at first with an epoch of 16 bits. Source: Kafka
`share-coordinator/.../message/ShareSnapshot*.json`, `ShareUpdate*.json` (4.0, 4.1, trunk), `ShareCoordinatorRecordSerde`.
"""

from __future__ import annotations

from dataclasses import dataclass

from spark.codecs.kafka_message import MessageSchema, messages

BATCHES = """
    stateBatches []{}
        firstOffset int64
        lastOffset int64
        deliveryState int8
        deliveryCount int16
"""
TABLES = messages(f"""
SharePartitionKey 0-1
    groupId string
    topicId uuid
    partition int32

ShareSnapshotValue 0 flexible 0+
    snapshotEpoch int32
    stateEpoch int32
    leaderEpoch int32
    startOffset int64
    deliveryCompleteCount int32 tag 0
    createTimestamp int64
    writeTimestamp int64
{BATCHES}
ShareSnapshotValueWithoutTimes 0 flexible 0+
    snapshotEpoch int32
    stateEpoch int32
    leaderEpoch int32
    startOffset int64
{BATCHES}
ShareSnapshotValueOfEarlyAccess 0 flexible 0+
    snapshotEpoch uint16
    stateEpoch int32
    leaderEpoch int32
    startOffset int64
{BATCHES}
ShareUpdateValue 0 flexible 0+
    snapshotEpoch int32
    leaderEpoch int32
    startOffset int64
    deliveryCompleteCount int32 tag 0
{BATCHES}
ShareUpdateValueOfEarlyAccess 0 flexible 0+
    snapshotEpoch uint16
    leaderEpoch int32
    startOffset int64
{BATCHES}
""")
KEY = TABLES["SharePartitionKey"]
SNAPSHOT, UPDATE = "share-snapshot", "share-update"
DELIVERY_STATES = ("Available", "Acquired", "Acknowledged", "Archiving", "Archived")


@dataclass(frozen=True)
class ShareRecordType:
    """A kind of record; `values`: the forms of its value, newest first."""

    number: int
    entry_type: str
    values: tuple[MessageSchema, ...]


def record_type(number: int, entry_type: str, prefix: str) -> ShareRecordType:
    """A kind with all messages of its name."""
    return ShareRecordType(
        number, entry_type, tuple(TABLES[name] for name in TABLES if name.startswith(prefix))
    )


RECORD_TYPES = {
    0: record_type(0, SNAPSHOT, "ShareSnapshotValue"),
    1: record_type(1, UPDATE, "ShareUpdateValue"),
}
