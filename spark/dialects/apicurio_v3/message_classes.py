"""Calls of the KafkaSQL journal of Apicurio Registry 3.x: message classes and the members of their JSON.

    Key    => {"uuid": ..., "messageType": class, "partitionKey": "__GLOBAL_PARTITION__"}     never the same twice
    Header => req: UUID, mt: class                            the class that the registry reads the value by
    Value  => null (Bootstrap) | {members ..., "key": {...}}  the inner key has another uuid, which means nothing

A class is named after a storage method and the number of its arguments. Source: KafkaSqlMessageIndex and messages/*.java,
tags 3.0.0 to 3.3.1.
"""

from __future__ import annotations

from typing import Any

BOOTSTRAP = "Bootstrap"
SNAPSHOT_MARKER = "CreateSnapshot1Message"
SNAPSHOT = "Snapshot"  # entry type of a record of the snapshots topic
EVENT = "Event"  # entry type of a record of the events topic
DEFAULT_GROUP = "default"

_CONTENT = "artifactType contentType content references"
_ARTIFACT = (
    f"groupId artifactId {_CONTENT} artifactMetaDataDto version versionMetaData versionBranches dryRun"
)
_VERSION = f"groupId artifactId version {_CONTENT} metaData branches"
_GA = "groupId artifactId"
_GAV = f"{_GA} version"
_MEMBERS = {
    "AppendVersionToBranch3": f"{_GAV} branchId",
    "ConsumeDownload1": "downloadId",
    "CreateArtifact9": _ARTIFACT,
    "CreateArtifact10": f"{_ARTIFACT} versionIsDraft",
    "CreateArtifact11": f"{_ARTIFACT} versionIsDraft owner",
    "CreateArtifactRule4": f"{_GA} rule config",
    "CreateArtifactVersion8": _VERSION,
    "CreateArtifactVersion9": f"{_VERSION} draft dryRun",
    "CreateArtifactVersion10": f"{_VERSION} draft dryRun owner",
    "CreateArtifactVersionComment4": f"{_GAV} value",
    "CreateArtifactVersionIfLatest11": f"{_VERSION} draft owner expectedBaseVersionOrder artifactMetaData",
    "CreateBranch4": f"{_GA} branchId description versions",
    "CreateDownload1": "context",
    "CreateGlobalRule2": "rule config",
    "CreateGroup1": "group",
    "CreateGroupRule3": "groupId rule config",
    "CreateRoleMapping3": "principalId role principalName",
    "CreateSnapshot1": "snapshotLocation snapshotId",
    "DeleteAllExpiredDownloads0": "",
    "DeleteAllOrphanedContent0": "",
    "DeleteAllUserData0": "",
    "DeleteArtifact2": _GA,
    "DeleteArtifactContractRuleset2": _GA,
    "DeleteArtifactRule3": f"{_GA} rule",
    "DeleteArtifactRules2": _GA,
    "DeleteArtifactVersion3": _GAV,
    "DeleteArtifactVersionComment4": f"{_GAV} commentId",
    "DeleteArtifacts1": "groupId",
    "DeleteBranch2": f"{_GA} branchId",
    "DeleteConfigProperty1": "propertyName",
    "DeleteGlobalContractRuleset0": "",
    "DeleteGlobalRule1": "rule",
    "DeleteGlobalRules0": "",
    "DeleteGroup1": "groupId",
    "DeleteGroupRule2": "groupId rule",
    "DeleteGroupRules1": "groupId",
    "DeleteOldUsageEvents1": "cutoffTimestamp",
    "DeleteRoleMapping1": "principalId",
    "DeleteVersionContractRuleset3": _GAV,
    "ExecuteSqlStatement1": "sql",
    "ImportArtifact1": "entity",
    "ImportArtifactRule1": "entity",
    "ImportArtifactVersion1": "entity",
    "ImportBranch1": "entity",
    "ImportComment1": "entity",
    "ImportContent1": "entity content",
    "ImportContractRule1": "entity",
    "ImportGlobalRule1": "entity",
    "ImportGroup1": "entity",
    "ImportGroupRule1": "entity",
    "InsertContractAuditEntry1": "entry",
    "MergeArtifactLabels4": f"{_GA} prefix labels",
    "MergeVersionLabels5": f"{_GAV} prefix labels",
    "NextCommentId0": "",
    "NextContentId0": "",
    "NextGlobalId0": "",
    "RecordUsageEvent1": "globalId contentId clientId operation eventTimestamp",
    "ReplaceBranchVersions3": f"{_GA} branchId versions",
    "ResetCommentId0": "",
    "ResetContentId0": "",
    "ResetGlobalId0": "",
    "SetArtifactContractRuleset3": f"{_GA} ruleset",
    "SetConfigProperty1": "propertyDto",
    "SetGlobalContractRuleset1": "ruleset",
    "SetVersionContractRuleset4": f"{_GAV} ruleset",
    "UpdateArtifactMetaData3": f"{_GA} metaData",
    "UpdateArtifactRule4": f"{_GA} rule config",
    "UpdateArtifactVersionComment5": f"{_GAV} commentId value",
    "UpdateArtifactVersionContent5": f"{_GAV} {_CONTENT}",
    "UpdateArtifactVersionMetaData4": f"{_GAV} metaData",
    "UpdateArtifactVersionState5": f"{_GAV} newState dryRun",
    "UpdateBranchMetaData3": f"{_GA} branchId dto",
    "UpdateContentCanonicalHash3": "newCanonicalHash contentId contentHash",
    "UpdateGlobalRule2": "rule config",
    "UpdateGroupMetaData2": "groupId dto",
    "UpdateGroupRule3": "groupId rule config",
    "UpdateRoleMapping2": "principalId role",
}
MESSAGE_CLASSES = {f"{name}Message": frozenset(members.split()) for name, members in _MEMBERS.items()} | {
    BOOTSTRAP: frozenset[str]()
}

# Written by a version whose own reader does not list them: at replay their values count as null.
WRITTEN_BUT_NOT_READ = {
    "DeleteAllOrphanedContent0Message": "3.2.0 and 3.2.1",
    "RecordUsageEvent1Message": "3.3.0 and later",
    "DeleteOldUsageEvents1Message": "3.3.0 and later",
}

# The oldest version that writes a class, as far as it is known; newest first.
SINCE = (
    (
        "3.3.0",
        frozenset(
            f"{name}Message"
            for name in (
                "CreateArtifactVersionIfLatest11", "DeleteArtifactContractRuleset2", "DeleteGlobalContractRuleset0",
                "DeleteOldUsageEvents1", "DeleteVersionContractRuleset3", "ImportContractRule1",
                "InsertContractAuditEntry1", "MergeArtifactLabels4", "MergeVersionLabels5", "RecordUsageEvent1",
                "SetArtifactContractRuleset3", "SetGlobalContractRuleset1", "SetVersionContractRuleset4",
            )
        ),
    ),
    ("3.2.0", frozenset({"DeleteAllOrphanedContent0Message"})),
    ("3.0.7", frozenset({"CreateArtifact11Message", "CreateArtifactVersion10Message"})),
    ("3.0.2", frozenset({"CreateArtifact10Message", "CreateArtifactVersion9Message"})),
    ("3.0.0", frozenset(MESSAGE_CLASSES) - {BOOTSTRAP}),
)  # fmt: skip

_VERBS = {
    "Append": "update", "Consume": "delete", "Create": "create", "Delete": "delete", "Execute": "update",
    "Import": "import", "Insert": "create", "Merge": "update", "Next": "next", "Record": "create",
    "Replace": "update", "Reset": "reset", "Set": "update", "Update": "update",
}  # fmt: skip
ACTIONS = {
    name: next(action for verb, action in _VERBS.items() if name.startswith(verb))
    for name in MESSAGE_CLASSES
    if name != BOOTSTRAP
} | {BOOTSTRAP: "restart", SNAPSHOT_MARKER: "snapshot"}

_NAMING = (
    "artifactId", "version", "branchId", "commentId", "rule", "ruleType", "type", "principalId", "propertyName",
    "downloadId", "snapshotId", "contentId",
)  # fmt: skip


def entity_id(members: dict[str, Any]) -> str | None:
    """The entity of a call, parts joined with `/`; None if a call has no single one."""
    inner = next((members[name] for name in ("group", "entity") if isinstance(members.get(name), dict)), None)
    body = inner or members
    parts = [str(body[name]) for name in _NAMING if isinstance(body.get(name), str | int)]
    if "artifactId" in body or body.get("groupId") is not None:
        parts.insert(0, group_of(body))
    return "/".join(parts) or None


def inner(members: dict[str, Any], name: str) -> dict[str, Any]:
    """A member that should be an object; empty if it is not."""
    body = members.get(name)
    return body if isinstance(body, dict) else {}


def texts(members: dict[str, Any], name: str) -> list[str]:
    names = members.get(name)
    return [str(text) for text in names] if isinstance(names, list) else []


def whole(members: dict[str, Any], name: str) -> int | None:
    """A member that should be a whole number; None if it is not."""
    number = members.get(name)
    return number if isinstance(number, int) else None


def group_of(members: dict[str, Any]) -> str:
    """The group; calls about the default group do not name it."""
    group = members.get("groupId")
    return DEFAULT_GROUP if group in (None, "", "__$GROUPID$__") else str(group)
