"""Fields of the group coordinators' records. Source: Kafka `group-coordinator/.../message/*.json` (3.9, 4.0 to 4.4).

A key's version is its record type, so the keys have one version each and no flexible form. Two values of share groups changed
between 4.0 (early access) and 4.1 under one version number: they have a form for each.
"""

from __future__ import annotations

from dataclasses import dataclass

from spark.codecs.kafka_message.schema import MessageSchema, messages

KEYS = messages("""
OffsetCommitKey 0-1
    group string
    topic string
    partition int32

GroupMetadataKey 2
    group string

GroupKey 3-24
    groupId string

GroupMemberKey 5-22
    groupId string
    memberId string

GroupRegularExpressionKey 16
    groupId string
    regularExpression string
""")

ASSIGNED = """
        topicId uuid
        partitions []int32"""
NAMED_PARTITIONS = """
        topicId uuid
        topicName string
        partitions []int32"""
TASKS = """
        subtopologyId string
        partitions []int32"""
INTERNAL_TOPICS = """
            name string
            partitions int32
            replicationFactor int16
            topicConfigs []{}
                key string
                value string"""
SINCE = """
        assignmentEpochs []int32? tag 0"""
VALUES = messages(f"""
OffsetCommitValue 0-4 flexible 4+
    offset int64
    leaderEpoch int32 3+
    metadata string
    commitTimestamp int64
    expireTimestamp int64 1
    topicId uuid 4+ tag 0

GroupMetadataValue 0-4 flexible 4+
    protocolType string
    generation int32
    protocol string?
    leader string?
    currentStateTimestamp int64 2+
    members []{{}}
        memberId string
        groupInstanceId string? 3+
        clientId string
        clientHost string
        rebalanceTimeout int32 1+
        sessionTimeout int32
        subscription bytes
        assignment bytes

ConsumerGroupMetadataValue 0 flexible 0+
    epoch int32
    metadataHash int64 tag 0
    creationTimeMs int64 tag 1

GroupPartitionMetadataValue 0 flexible 0+
    topics []{{}}
        topicId uuid
        topicName string
        numPartitions int32
        partitionMetadata []{{}}
            partition int32
            racks []string

ConsumerGroupMemberMetadataValue 0 flexible 0+
    instanceId string?
    rackId string?
    clientId string
    clientHost string
    subscribedTopicNames []string
    subscribedTopicRegex string?
    rebalanceTimeoutMs int32
    serverAssignor string?
    classicMemberMetadata {{}}? tag 0
        sessionTimeoutMs int32
        supportedProtocols []{{}}
            name string
            metadata bytes

TargetAssignmentMetadataValue 0 flexible 0+
    assignmentEpoch int32
    assignmentTimestamp int64 tag 0

TargetAssignmentMemberValue 0 flexible 0+
    topicPartitions []{{}}{ASSIGNED}

ConsumerGroupCurrentMemberAssignmentValue 0 flexible 0+
    memberEpoch int32
    previousMemberEpoch int32
    state int8
    assignedPartitions []{{}}{ASSIGNED}{SINCE}
    partitionsPendingRevocation []{{}}{ASSIGNED}{SINCE}

RegularExpressionValue 0 flexible 0+
    topics []string
    version int64
    timestamp int64

ShareGroupMetadataValue 0 flexible 0+
    epoch int32
    metadataHash int64

ShareGroupMetadataValueOfEarlyAccess 0 flexible 0+
    epoch int32

ShareGroupMemberMetadataValue 0 flexible 0+
    rackId string?
    clientId string
    clientHost string
    subscribedTopicNames []string

ShareGroupCurrentMemberAssignmentValue 0 flexible 0+
    memberEpoch int32
    previousMemberEpoch int32
    state int8
    assignedPartitions []{{}}{ASSIGNED}

ShareGroupStatePartitionMetadataValue 0 flexible 0+
    initializingTopics []{{}}{NAMED_PARTITIONS}
    initializedTopics []{{}}{NAMED_PARTITIONS}
    deletingTopics []{{}}
        topicId uuid
        topicName string

ShareGroupStatePartitionMetadataValueOfEarlyAccess 0 flexible 0+
    initializedTopics []{{}}{NAMED_PARTITIONS}
    deletingTopics []{{}}
        topicId uuid
        topicName string

StreamsGroupMetadataValue 0 flexible 0+
    epoch int32
    metadataHash int64
    validatedTopologyEpoch int32 tag 0
    lastAssignmentConfigs []{{}}? tag 1
        key string
        value string
    storedDescriptionTopologyEpoch int32 tag 2
    failedDescriptionTopologyEpoch int32 tag 3

StreamsGroupMemberMetadataValue 0 flexible 0+
    instanceId string?
    rackId string?
    clientId string
    clientHost string
    rebalanceTimeoutMs int32
    topologyEpoch int32
    processId string
    userEndpoint {{}}?
        host string
        port uint16
    clientTags []{{}}
        key string
        value string

StreamsGroupTargetAssignmentMemberValue 0 flexible 0+
    activeTasks []{{}}{TASKS}
    standbyTasks []{{}}{TASKS}
    warmupTasks []{{}}{TASKS}

StreamsGroupCurrentMemberAssignmentValue 0 flexible 0+
    memberEpoch int32
    previousMemberEpoch int32
    state int8
    activeTasks []{{}}{TASKS}{SINCE}
    standbyTasks []{{}}{TASKS}{SINCE}
    warmupTasks []{{}}{TASKS}{SINCE}
    activeTasksPendingRevocation []{{}}{TASKS}{SINCE}
    standbyTasksPendingRevocation []{{}}{TASKS}{SINCE}
    warmupTasksPendingRevocation []{{}}{TASKS}{SINCE}

StreamsGroupTopologyValue 0 flexible 0+
    epoch int32
    subtopologies []{{}}
        subtopologyId string
        sourceTopics []string
        sourceTopicRegex []string
        stateChangelogTopics []{{}}{INTERNAL_TOPICS}
        repartitionSinkTopics []string
        repartitionSourceTopics []{{}}{INTERNAL_TOPICS}
        copartitionGroups []{{}}
            sourceTopics []int16
            sourceTopicRegex []int16
            repartitionSourceTopics []int16
""")

# What members of groups with the protocol type "consumer" say: they do it in versions of their own.
MEMBERS = messages("""
Subscription 0-3 open
    topics []string
    userData bytes?
    ownedPartitions []{} 1+
        topic string
        partitions []int32
    generationId int32 2+
    rackId string? 3+

Assignment 0-3 open
    assignedPartitions []{}
        topic string
        partitions []int32
    userData bytes?
""")

OFFSET_COMMIT = "offset-commit"
CLASSIC_GROUP = "group"
CONSUMER, SHARE, STREAMS = "consumer-group", "share-group", "streams-group"
MODERN_GROUPS = (CONSUMER, SHARE, STREAMS)


@dataclass(frozen=True)
class RecordType:
    """A kind of record; `values`: the forms of its value, newest first. Without any, no release writes it."""

    entry_type: str
    key: MessageSchema
    values: tuple[MessageSchema, ...]


def record_type(entry_type: str, key: str, *values: str) -> RecordType:
    """One row of the table below."""
    forms = (VALUES.get(f"{value}{suffix}") for value in values for suffix in ("", "OfEarlyAccess"))
    return RecordType(entry_type, KEYS[key], tuple(form for form in forms if form))


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
    15: record_type("share-group-state-partitions", "GroupKey", "ShareGroupStatePartitionMetadataValue"),
    16: record_type("consumer-group-regex", "GroupRegularExpressionKey", "RegularExpressionValue"),
    17: record_type(STREAMS, "GroupKey", "StreamsGroupMetadataValue"),
    18: record_type("streams-group-partitions", "GroupKey"),
    19: record_type("streams-group-member", "GroupMemberKey", "StreamsGroupMemberMetadataValue"),
    20: record_type("streams-group-target", "GroupKey", "TargetAssignmentMetadataValue"),
    21: record_type(
        "streams-group-target-member", "GroupMemberKey", "StreamsGroupTargetAssignmentMemberValue"
    ),
    22: record_type("streams-group-current", "GroupMemberKey", "StreamsGroupCurrentMemberAssignmentValue"),
    23: record_type("streams-group-topology", "GroupKey", "StreamsGroupTopologyValue"),
    24: record_type("streams-group-resolved-topics", "GroupKey"),
}
