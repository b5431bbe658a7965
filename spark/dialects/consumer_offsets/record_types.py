"""Record types of the group coordinators: the number that a key begins with, and what follows from it.

Source: Kafka `CoordinatorRecordType` (4.1), KIP-848 (3 to 8, 16), KIP-932 (9 to 15), KIP-1071 (17 to 24).
"""

from __future__ import annotations

from dataclasses import dataclass

from spark.dialects._kafka_message import MessageSchema
from spark.dialects.consumer_offsets.tables import KEYS, VALUES

OFFSET_COMMIT = "offset-commit"
CLASSIC_GROUP = "group"
CONSUMER, SHARE, STREAMS = "consumer-group", "share-group", "streams-group"
MODERN_GROUPS = (CONSUMER, SHARE, STREAMS)


@dataclass(frozen=True)
class RecordType:
    """One kind of record; `value` is None where its fields are not read."""

    entry_type: str
    key: MessageSchema
    value: MessageSchema | None


def record_type(entry_type: str, key: str, value: str | None) -> RecordType:
    """One row of the table below."""
    return RecordType(entry_type, KEYS[key], VALUES[value] if value else None)


RECORD_TYPES = {
    0: record_type(OFFSET_COMMIT, "OffsetCommitKey", "OffsetCommitValue"),
    1: record_type(OFFSET_COMMIT, "OffsetCommitKey", "OffsetCommitValue"),
    2: record_type(CLASSIC_GROUP, "GroupMetadataKey", "GroupMetadataValue"),
    3: record_type(CONSUMER, "GroupKey", "ConsumerGroupMetadataValue"),
    4: record_type("consumer-group-partitions", "GroupKey", "GroupPartitionMetadataValue"),
    5: record_type("consumer-group-member", "GroupMemberKey", "ConsumerGroupMemberMetadataValue"),
    6: record_type("consumer-group-target", "GroupKey", "TargetAssignmentMetadataValue"),
    7: record_type("consumer-group-target-member", "GroupMemberKey", "TargetAssignmentMemberValue"),
    8: record_type("consumer-group-current", "GroupMemberKey", "ConsumerGroupCurrentMemberAssignmentValue"),
    9: record_type("share-group-partitions", "GroupKey", "GroupPartitionMetadataValue"),
    10: record_type("share-group-member", "GroupMemberKey", "ShareGroupMemberMetadataValue"),
    11: record_type(SHARE, "GroupKey", "ShareGroupMetadataValue"),
    12: record_type("share-group-target", "GroupKey", "TargetAssignmentMetadataValue"),
    13: record_type("share-group-target-member", "GroupMemberKey", "TargetAssignmentMemberValue"),
    14: record_type("share-group-current", "GroupMemberKey", "ShareGroupCurrentMemberAssignmentValue"),
    15: record_type("share-group-state-partitions", "GroupKey", None),
    16: record_type("consumer-group-regex", "GroupRegularExpressionKey", "RegularExpressionValue"),
    17: record_type(STREAMS, "GroupKey", "StreamsGroupMetadataValue"),
    18: record_type("streams-group-partitions", "GroupKey", None),
    19: record_type("streams-group-member", "GroupMemberKey", None),
    20: record_type("streams-group-target", "GroupKey", None),
    21: record_type("streams-group-target-member", "GroupMemberKey", None),
    22: record_type("streams-group-current", "GroupMemberKey", None),
    23: record_type("streams-group-topology", "GroupKey", None),
    24: record_type("streams-group-resolved-topics", "GroupKey", None),
}
