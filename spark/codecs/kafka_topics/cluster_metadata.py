"""Record types of the controllers' journal and their fields. Source: Kafka `metadata/.../common/metadata/*.json` (4.1, 4.4).

A value is a frame version, the type's number and the record's version (unsigned varints), then the fields.
"""

from __future__ import annotations

from spark.codecs.kafka_message import messages

RECORDS = messages("""
RegisterBrokerRecord 0-4 flexible 0+
    brokerId int32
    isMigratingZkBroker bool 2+
    incarnationId uuid
    brokerEpoch int64
    endPoints []{}
        name string
        host string
        port uint16
        securityProtocol int16
    features []{}
        name string
        minSupportedVersion int16
        maxSupportedVersion int16
    rack string?
    fenced bool
    inControlledShutdown bool 1+
    logDirs []uuid 3+ tag 0
    cordonedLogDirs []uuid? 4+ tag 1

UnregisterBrokerRecord 0 flexible 0+
    brokerId int32
    brokerEpoch int64

TopicRecord 0 flexible 0+
    name string
    topicId uuid

PartitionRecord 0-2 flexible 0+
    partitionId int32
    topicId uuid
    replicas []int32
    isr []int32
    removingReplicas []int32
    addingReplicas []int32
    leader int32
    leaderRecoveryState int8 tag 0
    leaderEpoch int32
    partitionEpoch int32
    directories []uuid 1+
    eligibleLeaderReplicas []int32? 2+ tag 1
    lastKnownElr []int32? 2+ tag 2

ConfigRecord 0 flexible 0+
    resourceType int8
    resourceName string
    name string
    value string?

PartitionChangeRecord 0-2 flexible 0+
    partitionId int32
    topicId uuid
    isr []int32? tag 0
    leader int32 tag 1
    replicas []int32? tag 2
    removingReplicas []int32? tag 3
    addingReplicas []int32? tag 4
    leaderRecoveryState int8 tag 5
    eligibleLeaderReplicas []int32? 2+ tag 6
    lastKnownElr []int32? 2+ tag 7
    directories []uuid? 1+ tag 8

FenceBrokerRecord 0 flexible 0+
    id int32
    epoch int64

UnfenceBrokerRecord 0 flexible 0+
    id int32
    epoch int64

RemoveTopicRecord 0 flexible 0+
    topicId uuid

DelegationTokenRecord 0 flexible 0+
    owner string
    requester string
    renewers []string
    issueTimestamp int64
    maxTimestamp int64
    expirationTimestamp int64
    tokenId string

UserScramCredentialRecord 0 flexible 0+
    name string
    mechanism int8
    salt bytes
    storedKey bytes
    serverKey bytes
    iterations int32

FeatureLevelRecord 0 flexible 0+
    name string
    featureLevel int16

ClientQuotaRecord 0 flexible 0+
    entity []{}
        entityType string
        entityName string?
    key string
    value float64
    remove bool

ProducerIdsRecord 0 flexible 0+
    brokerId int32
    brokerEpoch int64
    nextProducerId int64

BrokerRegistrationChangeRecord 0-3 flexible 0+
    brokerId int32
    brokerEpoch int64
    fenced int8 tag 0
    inControlledShutdown int8 1+ tag 1
    logDirs []uuid 2+ tag 2
    cordonedLogDirs []uuid? 3+ tag 3

AccessControlEntryRecord 0 flexible 0+
    id uuid
    resourceType int8
    resourceName string
    patternType int8
    principal string
    host string
    operation int8
    permissionType int8

RemoveAccessControlEntryRecord 0 flexible 0+
    id uuid

NoOpRecord 0 flexible 0+

ZkMigrationStateRecord 0 flexible 0+
    zkMigrationState int8

RemoveUserScramCredentialRecord 0 flexible 0+
    name string
    mechanism int8

BeginTransactionRecord 0 flexible 0+
    name string? tag 0

EndTransactionRecord 0 flexible 0+

AbortTransactionRecord 0 flexible 0+
    reason string? tag 0

RemoveDelegationTokenRecord 0 flexible 0+
    tokenId string

RegisterControllerRecord 0 flexible 0+
    controllerId int32
    incarnationId uuid
    zkMigrationReady bool
    endPoints []{}
        name string
        host string
        port uint16
        securityProtocol int16
    features []{}
        name string
        minSupportedVersion int16
        maxSupportedVersion int16

ClearElrRecord 0 flexible 0+
    topicName string

UnregisterControllerRecord 0 flexible 0+
    controllerId int32
""")

NUMBERS = {
    0: "RegisterBroker", 1: "UnregisterBroker", 2: "Topic", 3: "Partition", 4: "Config", 5: "PartitionChange",
    7: "FenceBroker", 8: "UnfenceBroker", 9: "RemoveTopic", 10: "DelegationToken", 11: "UserScramCredential",
    12: "FeatureLevel", 14: "ClientQuota", 15: "ProducerIds", 17: "BrokerRegistrationChange",
    18: "AccessControlEntry", 19: "RemoveAccessControlEntry", 20: "NoOp", 21: "ZkMigrationState",
    22: "RemoveUserScramCredential", 23: "BeginTransaction", 24: "EndTransaction", 25: "AbortTransaction",
    26: "RemoveDelegationToken", 27: "RegisterController", 28: "ClearElr", 29: "UnregisterController",
}  # fmt: skip
TYPES = {number: (name, RECORDS[f"{name}Record"]) for number, name in NUMBERS.items()}
