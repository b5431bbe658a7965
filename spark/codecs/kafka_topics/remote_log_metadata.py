"""Events of tiered storage: a value's frame names the kind of event, its fields follow. Keys are null.

    value => frame_version:varint kind:varint version:varint fields      frame_version 1

    kind 0  a segment's copy starts          state COPY_SEGMENT_STARTED
    kind 1  a segment's state changes        states COPY_SEGMENT_FINISHED to DELETE_SEGMENT_FINISHED
    kind 2  a partition is to be deleted     states DELETE_PARTITION_*

Version 1 (newer than 4.1) adds tagged fields. Source: Kafka `storage/.../message/Remote*Record.json`, `RemoteLogMetadataSerde`,
`RemoteLogSegmentState`, `RemotePartitionDeleteState` (4.1, trunk).
"""

from __future__ import annotations

from dataclasses import dataclass

from spark.codecs.kafka_message import MessageSchema, messages

FRAME_VERSION = 1
PARTITION = """topicIdPartition {}
{0}    name string
{0}    id uuid
{0}    partition int32"""
SEGMENT_ID = f"""
    remoteLogSegmentId {{}}
        {PARTITION.replace("{0}", "        ")}
        id uuid
"""
TABLES = messages(f"""
RemoteLogSegmentMetadata 0-1 flexible 0+
{SEGMENT_ID}
    startOffset int64
    endOffset int64
    brokerId int32
    maxTimestampMs int64
    eventTimestampMs int64
    segmentLeaderEpochs []{{}}
        leaderEpoch int32
        offset int64
    segmentSizeInBytes int32
    customMetadata bytes?
    remoteLogSegmentState int8
    txnIndexEmpty bool tag 0
    brokerLeaderEpoch int32 1+ tag 1

RemoteLogSegmentMetadataUpdate 0-1 flexible 0+
{SEGMENT_ID}
    brokerId int32
    eventTimestampMs int64
    customMetadata bytes?
    remoteLogSegmentState int8
    brokerLeaderEpoch int32 1+ tag 0
    endOffset int64 1+ tag 1

RemotePartitionDeleteMetadata 0-1 flexible 0+
    {PARTITION.replace("{0}", "    ")}
    brokerId int32
    eventTimestampMs int64
    remotePartitionDeleteState int8
    brokerLeaderEpoch int32 1+ tag 0
    endOffset int64 1+ tag 1
""")
SEGMENT_STATES = (
    "COPY_SEGMENT_STARTED",
    "COPY_SEGMENT_FINISHED",
    "DELETE_SEGMENT_STARTED",
    "DELETE_SEGMENT_FINISHED",
)
COPY_STARTED, COPY_FINISHED, DELETE_STARTED, DELETE_FINISHED = SEGMENT_STATES
PARTITION_STATES = ("DELETE_PARTITION_MARKED", "DELETE_PARTITION_STARTED", "DELETE_PARTITION_FINISHED")
PARTITION_DELETED = PARTITION_STATES[-1]
SEGMENT, PARTITION_DELETION = "remote-segment", "remote-partition-deletion"


@dataclass(frozen=True)
class EventKind:
    """A kind of event: its message, the member with its state, the names of the states."""

    entry_type: str
    message: MessageSchema
    state_member: str
    states: tuple[str, ...]


KINDS = {
    0: EventKind(SEGMENT, TABLES["RemoteLogSegmentMetadata"], "remoteLogSegmentState", SEGMENT_STATES),
    1: EventKind(SEGMENT, TABLES["RemoteLogSegmentMetadataUpdate"], "remoteLogSegmentState", SEGMENT_STATES),
    2: EventKind(
        PARTITION_DELETION,
        TABLES["RemotePartitionDeleteMetadata"],
        "remotePartitionDeleteState",
        PARTITION_STATES,
    ),
}
