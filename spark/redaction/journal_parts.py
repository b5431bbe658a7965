"""Which part of a record (key, value or header) each value in a dialect's tables comes from, and which values are names.

    names_from   the part with the ids of entities, which are names and shown if names are
    key, header  attributes that come from there; every other comes from the value
    both         attributes that come from either, or that reveal a key and let a reader test guesses at a value
    roles        what the names in an id name, by type of entry or entity (spark/redaction/entity_ids.py)
    path         the same of all other types, whose ids have some of these names from the start

For any other dialect (keys of a plain topic are data) an attribute is shown if keys and values are, and an id if keys are. tests/spark/redaction/test_journal_parts.py holds the lists against the dialects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Part = Literal["key", "value", "header", "both"]
Roles = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class JournalParts:
    """Which parts of a dialect's attributes and ids come from keys and which from values."""

    names_from: Literal["key", "value"] = "key"
    key: frozenset[str] = frozenset()
    header: frozenset[str] = frozenset()
    both: frozenset[str] = frozenset()
    roles: Roles = field(default_factory=dict)
    path: tuple[str, ...] = ()

    def part_of(self, attribute: str) -> Part:
        if attribute in self.both:
            return "both"
        if attribute in self.key:
            return "key"
        return "header" if attribute in self.header else "value"

    @property
    def role_names(self) -> frozenset[str]:
        return frozenset(name for path in self.roles.values() for name in path)

    def forms_of(self, kind: str) -> list[tuple[str, ...]]:
        """The roles of an id's names, in each form that an id of this kind has; none for a kind that is not listed."""
        if kind in self.roles:
            return [self.roles[kind]]
        return [self.path[:count] for count in range(1, len(self.path) + 1)]


def _roles(rows: str) -> dict[str, tuple[str, ...]]:
    """`group/artifact: Artifact artifact ...`, one path a line."""
    paths = (line.split(":") for line in rows.strip().splitlines())
    return {kind: tuple(path.strip().split("/")) for path, kinds in paths for kind in kinds.split()}


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OF_ARTIFACTS = _roles("""
    group: Group group
    group/rule: group-rule
    group/artifact: Artifact ArtifactOwner artifact
    group/artifact/rule: ArtifactRule artifact-rule
    group/artifact/version: ArtifactVersion version
    group/artifact/branch: branch
    group/artifact/version/comment: Comment
""")
JOURNAL_PARTS: Mapping[str, JournalParts] = {
    "apicurio-v2": JournalParts(
        key=_names(
            "tenantId groupId artifactId version uuid contentId ruleType bootstrapId principalId downloadId propertyName "
            "commentId comments logger rules"
        ),
        both=_names("contentHash"),
        roles=_OF_ARTIFACTS
        | _roles("""
            rule: GlobalRule global-rule
            principal: RoleMapping role
            property: ConfigProperty config-property
        """),
    ),
    "apicurio-v3": JournalParts(
        "value",
        key=_names("snapshotId"),
        header=_names("unknownClass"),
        roles=_OF_ARTIFACTS
        | _roles("""
            group/rule: CreateGroupRule3Message UpdateGroupRule3Message DeleteGroupRule2Message ImportGroupRule1Message
            group/artifact/rule: CreateArtifactRule4Message UpdateArtifactRule4Message DeleteArtifactRule3Message
            group/artifact/rule: ImportArtifactRule1Message
            group/artifact/branch: CreateBranch4Message UpdateBranchMetaData3Message DeleteBranch2Message
            group/artifact/branch: ReplaceBranchVersions3Message ImportBranch1Message
            rule: CreateGlobalRule2Message UpdateGlobalRule2Message DeleteGlobalRule1Message ImportGlobalRule1Message
            rule: global-rule
            principal: CreateRoleMapping3Message UpdateRoleMapping2Message DeleteRoleMapping1Message role
            property: DeleteConfigProperty1Message config-property
        """),
        path=("group", "artifact", "version", "comment"),
    ),
    "cluster-metadata": JournalParts("value"),
    "connect": JournalParts(
        roles=_roles("""
            connector: connector-status target-state commit tasks-fencing restart-connector
            connector/task: task task-status
            connector/partition: connector-offset
            connector/topic: topic-status
        """)
    ),
    "consumer-offsets": JournalParts(
        key=_names("group topic partition groupId regularExpression"),
        both=_names("memberId"),
        roles=_roles("""
            group: group group-topology consumer-group consumer-group-partitions consumer-group-target share-group
            group: share-group-partitions share-group-target streams-group streams-group-target streams-group-topology
            group: streams-group-partitions share-group-state-partitions
            group/topic/partition: offset-commit
            group/member: group-member consumer-group-member consumer-group-current consumer-group-target-member
            group/member: share-group-member share-group-current share-group-target-member streams-group-member
            group/member: streams-group-current streams-group-target-member
        """),
    ),
    "debezium-history": JournalParts("value"),
    "ksqldb-commands": JournalParts(roles=_roles("type/name: command")),
    "mirror-maker": JournalParts(
        key=_names("group topic partition sourceClusterAlias targetClusterAlias"),
        roles=_roles("""
            group/topic/partition: checkpoint
            topic/partition: offset-sync
        """),
    ),
    "remote-log-metadata": JournalParts(
        "value",
        roles=_roles("""
            topic/partition/segment: remote-segment
            topic/partition: remote-partition-deletion
        """),
    ),
    "schema-registry": JournalParts(
        key=_names("keytype subject version magic seq node keyForm context"),
        header=_names("host registryVersion"),
        roles=_roles("""
            subject/version: SCHEMA schema
            subject: CONFIG MODE DELETE_SUBJECT CLEAR_SUBJECT config mode
        """),
    ),
    "share-group-state": JournalParts(
        key=_names("groupId topicId partition"),
        roles=_roles("group/topic/partition: share-partition share-snapshot share-update"),
    ),
    "transaction-state": JournalParts(),
}
ROLE_OF_ATTRIBUTE = {
    "groupId": "group",
    "artifactId": "artifact",
    "commentId": "comment",
    "ruleType": "rule",
    "principalId": "principal",
    "propertyName": "property",
    "memberId": "member",
    "topicId": "topic",
    "contentHash": "hash",
    "canonicalHash": "hash",
}
