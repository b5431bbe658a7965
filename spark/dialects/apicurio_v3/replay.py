"""Replay: the journal's calls in order -> state and rejections, as when the registry starts.

A failing call is an exception that the registry logs and ignores; it becomes a rejection with its reason:

    already-exists                                    the entity exists
    artifact-missing, version-missing, group-missing, it changes something that does not exist
    rule-missing, comment-missing, branch-missing,
    role-missing, content-missing
    not-the-latest                                    a version that should follow another one does not

Source: KafkaSqlRegistryStorage.java, AbstractSqlRegistryStorage.java and its repositories, 3.0.9 to 3.3.1; checked
against a real start of 3.0.9.
"""

from __future__ import annotations

from collections.abc import Iterable

import orjson
import pyarrow as pa

from spark.dialects._history import History, entry_values
from spark.dialects.apicurio_v3 import artifacts, imports, settings
from spark.dialects.apicurio_v3.message_classes import SINCE, SNAPSHOT
from spark.dialects.apicurio_v3.registry import Members, RegistryTables
from spark.dialects.apicurio_v3.settings import Apply, draws, resets

CLEANED_BY_A_CALL = frozenset().union(*(classes for version, classes in SINCE if version >= "3.2"))


def replay(entries: Iterable[pa.Table], history: History) -> None:
    registry = RegistryTables(history)
    is_first = True
    rows = entry_values(entries, "offset", "entry_type", "entry_action", "attributes")
    for offset, entry_type, action, attributes in rows:
        if is_first:
            registry.knows_ids, is_first = offset == 0, False
        if entry_type in CLEANED_BY_A_CALL:
            registry.cleans_at_once = False
        apply = APPLY.get(entry_type)
        if apply and action and action != "tombstone" and attributes:
            apply(registry, offset, orjson.loads(attributes))


def note_snapshot(registry: RegistryTables, offset: int, members: Members) -> None:
    """A record of the snapshots topic."""
    attributes = {"location": members.get("snapshotLocation")}
    registry.history.put("snapshot", str(members.get("snapshotId")), attributes, offset)


_CALLS: dict[str, Apply] = {
    "AppendVersionToBranch3": artifacts.change_branch,
    "CreateArtifact9": artifacts.create_artifact,
    "CreateArtifact10": artifacts.create_artifact,
    "CreateArtifact11": artifacts.create_artifact,
    "CreateArtifactRule4": settings.create_rule,
    "CreateArtifactVersion8": artifacts.create_version,
    "CreateArtifactVersion9": artifacts.create_version,
    "CreateArtifactVersion10": artifacts.create_version,
    "CreateArtifactVersionComment4": artifacts.create_comment,
    "CreateArtifactVersionIfLatest11": artifacts.create_version,
    "CreateBranch4": artifacts.change_branch,
    "CreateGlobalRule2": settings.create_rule,
    "CreateGroup1": settings.create_group,
    "CreateGroupRule3": settings.create_rule,
    "CreateRoleMapping3": settings.put_role,
    "DeleteAllOrphanedContent0": settings.clean_orphans,
    "DeleteAllUserData0": settings.delete_all_user_data,
    "DeleteArtifact2": artifacts.delete_artifact,
    "DeleteArtifactRule3": settings.delete_rule,
    "DeleteArtifactRules2": settings.delete_rules,
    "DeleteArtifactVersion3": artifacts.delete_version,
    "DeleteArtifactVersionComment4": artifacts.change_comment,
    "DeleteArtifacts1": artifacts.delete_artifacts,
    "DeleteBranch2": artifacts.delete_branch,
    "DeleteConfigProperty1": settings.delete_property,
    "DeleteGlobalRule1": settings.delete_rule,
    "DeleteGlobalRules0": settings.delete_rules,
    "DeleteGroup1": settings.delete_group,
    "DeleteGroupRule2": settings.delete_rule,
    "DeleteGroupRules1": settings.delete_rules,
    "DeleteRoleMapping1": settings.delete_role,
    "ImportArtifact1": imports.import_artifact,
    "ImportArtifactRule1": imports.import_rule,
    "ImportArtifactVersion1": imports.import_version,
    "ImportBranch1": imports.import_branch,
    "ImportComment1": imports.import_comment,
    "ImportContent1": imports.import_content,
    "ImportGlobalRule1": imports.import_rule,
    "ImportGroup1": imports.import_group,
    "ImportGroupRule1": imports.import_rule,
    "NextCommentId0": draws("comment"),
    "NextContentId0": draws("content"),
    "NextGlobalId0": draws("global"),
    "ReplaceBranchVersions3": artifacts.change_branch,
    "ResetCommentId0": resets("comment"),
    "ResetContentId0": resets("content"),
    "ResetGlobalId0": resets("global"),
    "SetConfigProperty1": settings.set_property,
    "UpdateArtifactMetaData3": artifacts.update_artifact_meta,
    "UpdateArtifactRule4": settings.update_rule,
    "UpdateArtifactVersionComment5": artifacts.change_comment,
    "UpdateArtifactVersionContent5": artifacts.update_version_content,
    "UpdateArtifactVersionMetaData4": artifacts.update_version_meta,
    "UpdateArtifactVersionState5": artifacts.update_version_state,
    "UpdateGlobalRule2": settings.update_rule,
    "UpdateGroupMetaData2": settings.update_group,
    "UpdateGroupRule3": settings.update_rule,
    "UpdateRoleMapping2": settings.put_role,
}
APPLY: dict[str | None, Apply] = {
    **{f"{name}Message": apply for name, apply in _CALLS.items()},
    SNAPSHOT: note_snapshot,
}
