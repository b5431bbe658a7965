"""Fields of MirrorMaker 2's records, and its three kinds of them. Source: Kafka `Checkpoint`, `OffsetSync`, `Heartbeat` (4.1)."""

from __future__ import annotations

from dataclasses import dataclass

from spark.codecs.kafka_message.schema import MessageSchema, messages

TABLES = messages("""
CheckpointKey 0
    group string
    topic string
    partition int32

CheckpointValue 0
    upstreamOffset int64
    downstreamOffset int64
    metadata string

OffsetSyncKey 0
    topic string
    partition int32

OffsetSyncValue 0
    upstreamOffset int64
    downstreamOffset int64

HeartbeatKey 0
    sourceClusterAlias string
    targetClusterAlias string

HeartbeatValue 0
    timestamp int64
""")


@dataclass(frozen=True)
class RecordKind:
    entry_type: str
    key: MessageSchema
    value: MessageSchema
    is_versioned: bool


KINDS = (
    RecordKind("checkpoint", TABLES["CheckpointKey"], TABLES["CheckpointValue"], is_versioned=True),
    RecordKind("offset-sync", TABLES["OffsetSyncKey"], TABLES["OffsetSyncValue"], is_versioned=False),
    RecordKind("heartbeat", TABLES["HeartbeatKey"], TABLES["HeartbeatValue"], is_versioned=True),
)
