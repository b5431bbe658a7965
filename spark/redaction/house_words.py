"""Words that dialects use for entries and entities: if names are hidden, a share shows only these in such columns.

Any other word in a journal is a name. A test holds the lists against the dialects
(tests/spark/redaction/test_house_words.py).
"""

from __future__ import annotations

ENTRY_TYPES = """
    ASSOC AbortTransaction AccessControlEntry AppendVersionToBranch3Message Artifact ArtifactOwner ArtifactRule
    ArtifactVersion BeginTransaction Bootstrap BrokerRegistrationChange CLEAR_SUBJECT CONTEXT ClearElr
    ClientQuota Comment CommentId CompleteAbort CompleteCommit Config ConfigProperty ConsumeDownload1Message
    Content ContentId ContentV2 CreateArtifact10Message CreateArtifact11Message CreateArtifact9Message
    CreateArtifactRule4Message CreateArtifactVersion10Message CreateArtifactVersion8Message
    CreateArtifactVersion9Message CreateArtifactVersionComment4Message CreateArtifactVersionIfLatest11Message
    CreateBranch4Message CreateDownload1Message CreateGlobalRule2Message CreateGroup1Message
    CreateGroupRule3Message CreateRoleMapping3Message CreateSnapshot1Message Dead DelegationToken
    DeleteAllExpiredDownloads0Message DeleteAllOrphanedContent0Message DeleteAllUserData0Message
    DeleteArtifact2Message DeleteArtifactContractRuleset2Message DeleteArtifactRule3Message
    DeleteArtifactRules2Message DeleteArtifactVersion3Message DeleteArtifactVersionComment4Message
    DeleteArtifacts1Message DeleteBranch2Message DeleteConfigProperty1Message
    DeleteGlobalContractRuleset0Message DeleteGlobalRule1Message DeleteGlobalRules0Message DeleteGroup1Message
    DeleteGroupRule2Message DeleteGroupRules1Message DeleteOldUsageEvents1Message DeleteRoleMapping1Message
    DeleteVersionContractRuleset3Message Download Empty EndTransaction Event ExecuteSqlStatement1Message
    FeatureLevel FenceBroker GlobalAction GlobalId GlobalRule Group ImportArtifact1Message
    ImportArtifactRule1Message ImportArtifactVersion1Message ImportBranch1Message ImportComment1Message
    ImportContent1Message ImportContractRule1Message ImportGlobalRule1Message ImportGroup1Message
    ImportGroupRule1Message InsertContractAuditEntry1Message LogConfig MODE MergeArtifactLabels4Message
    MergeVersionLabels5Message NOOP NextCommentId0Message NextContentId0Message NextGlobalId0Message NoOp
    Ongoing Partition PartitionChange PrepareAbort PrepareCommit PrepareEpochFence ProducerIds
    RecordUsageEvent1Message RegisterBroker RegisterController RemoveAccessControlEntry RemoveDelegationToken
    RemoveTopic RemoveUserScramCredential ReplaceBranchVersions3Message ResetCommentId0Message
    ResetContentId0Message ResetGlobalId0Message RoleMapping SetArtifactContractRuleset3Message
    SetConfigProperty1Message SetGlobalContractRuleset1Message SetVersionContractRuleset4Message Snapshot Topic
    UnfenceBroker UnregisterBroker UnregisterController UpdateArtifactMetaData3Message
    UpdateArtifactRule4Message UpdateArtifactVersionComment5Message UpdateArtifactVersionContent5Message
    UpdateArtifactVersionMetaData4Message UpdateArtifactVersionState5Message UpdateBranchMetaData3Message
    UpdateContentCanonicalHash3Message UpdateGlobalRule2Message UpdateGroupMetaData2Message
    UpdateGroupRule3Message UpdateRoleMapping2Message Upgrader UserScramCredential ZkMigrationState abort alter
    begin checkpoint clear command commit connector-status consumer-group-current consumer-group-member
    consumer-group-partitions consumer-group-regex consumer-group-target consumer-group-target-member create
    create_or_update delete delete_all_user_data drop end execute group-member heartbeat import logger next
    no-op offset-sync register reset restart restart-connector schema-change session-key share-group-current
    share-group-member share-group-partitions share-group-state-partitions share-group-target
    share-group-target-member streams-group-current streams-group-member streams-group-partitions
    streams-group-resolved-topics streams-group-target streams-group-target-member streams-group-topology
    task-status tasks-fencing terminate topic-status update upgrade_abort_and_unlock upgrade_commit_and_unlock
    upgrade_lock_heartbeat upgrade_try_lock upgrade_wait_heartbeat
    COPY_SEGMENT_FINISHED COPY_SEGMENT_STARTED DELETE_PARTITION_FINISHED DELETE_PARTITION_MARKED DELETE_PARTITION_STARTED
    DELETE_SEGMENT_FINISHED DELETE_SEGMENT_STARTED remote-partition-deletion remote-segment share-snapshot share-update
    store-buffer store-join store-session store-version store-window
"""  # and what some of them do
ENTRY_ACTIONS = """
    event ignored tombstone
"""  # what entries do
ENTITY_TYPES = """
    CONFIG DELETE_SUBJECT SCHEMA acl artifact artifact-rule branch broker cluster comment config config-property
    connector connector-offset consumer-group content controller database delegation-token exporter feature
    global-rule group group-rule mode offset-commit partition producer-ids query quota record role schema scram
    sequence share-group snapshot stream streams-group table target-state task topic transaction version
    remote-partition-deletion remote-segment share-partition store-buffer store-join store-session store-version store-window
"""  # what a state holds
REASONS = """
    after-unreadable already-exists artifact-missing branch-missing broker-epoch broker-unknown comment-missing
    connector-later connector-missing content-later content-missing content-null deleted-later duplicate-id
    group-missing has-comments id-taken incomplete key-unreadable lost-the-race mended not-the-latest null-ignored
    other-tenant reader-stopped reference-missing repeated repeated-later role-missing rule-missing
    schema-invalid sequence-ahead source-missing topic-unknown uncommitted unknown-field unknown-keytype
    unknown-type unreadable value-empty value-unreadable version-missing
    key-missing older-version segment-unknown state-forbidden
"""  # why an entry is rejected
PROFILES = """
    confluent karapace redpanda
"""  # services that read one journal
HOUSE_WORDS = frozenset(" ".join((ENTRY_TYPES, ENTRY_ACTIONS, ENTITY_TYPES, REASONS, PROFILES)).split()) | {
    ""
}
