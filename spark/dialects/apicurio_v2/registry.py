"""The registry in memory: contents, artifacts, versions and groups while the journal is replayed.

In addition to the service's state it keeps *rejected* versions, which show later whether a rejected record mattered.
Every change goes to the history, which stores the attributes: this module keeps only what the service's rules need.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from spark.dialects._history import History
from spark.dialects.apicurio_v2.members import ArtifactKey
from spark.dialects.apicurio_v2.releases import AT_FIRST, Family, Release, cleaned_up, told_by
from spark.dialects.apicurio_v2.sequences import Sequences

LACKING = "content-missing"  # made precise at the end: content-later, content-null or content-missing
REPEATED = "repeated"  # the same record again while the first one counts
REPEATED_LATER = "repeated-later"  # refused, but a later copy was accepted
DELETED_LATER = "deleted-later"  # refused, but what it stands for was deleted afterwards
ALREADY_EXISTS = "already-exists"
HAS_COMMENTS = "has-comments"
ID_TAKEN = "id-taken"  # its globalId or contentId belongs to something else
ARTIFACT_MISSING = "artifact-missing"
VERSION_MISSING = "version-missing"
MAY_BE_FORGIVEN = (LACKING, ARTIFACT_MISSING)


@dataclass(slots=True, eq=False)
class Content:
    """A content row. `was_used` and `users` decide whether an orphan clean-up may have removed it; `offset`: the record with its
    bytes. `unused_since`: clean-ups before its last version was deleted, or before it came; `is_swept`: it was used again
    after a clean-up that 2.5.9 and later would have done."""

    tenant: str
    content_id: Any
    content_hash: str
    offset: int
    users: int = 0
    was_used: bool = False
    is_rehashed: bool = (
        False  # an UPDATE set another canonical hash than its own record, or its record has that of one
    )
    unused_since: int = 0
    is_swept: bool = False

    @property
    def is_orphan(self) -> bool:
        """Whether versions used it and none does now."""
        return self.was_used and self.users == 0


@dataclass(slots=True)
class Version:
    """A version in the service's state."""

    artifact: ArtifactKey
    number: str
    version_id: int
    global_id: Any
    uuid: str | None
    content: Content
    comments: list[str] | None = None


@dataclass(slots=True)
class Artifact:
    """An artifact in the service's state; `highest` is the largest existing version id."""

    key: ArtifactKey
    versions: dict[str, Version] = field(default_factory=dict)
    highest: int = 0

    @property
    def has_comments(self) -> bool:
        """Whether its version rows cannot be deleted together: comment rows refer to them."""
        return any(version.comments for version in self.versions.values())


@dataclass(slots=True)
class RejectedEntry:
    """A record that the service rejects. `version` is the number that it would have got."""

    offset: int
    entity_type: str
    entity_id: str
    reason: str
    needs: str | None = None
    artifact: ArtifactKey | None = None
    version: str | None = None
    global_id: Any = None
    uuid: str | None = None
    content_id: Any = None
    available_from_offset: int | None = None


def content_entity(tenant: str, content_hash: object) -> str:
    """The content's id in findings and rejections."""
    return f"content:{tenant}/{content_hash}"


def entity_id(tenant: str, *parts: object) -> str:
    """Parts joined with `/`; the tenant comes first unless it is the only one."""
    text = "/".join(map(str, parts))
    return text if tenant == "_" else f"{tenant}/{text}"


@dataclass
class Elsewhere:
    """What was replayed in SQL (bulk.py) and this registry therefore does not hold: versions, some of which exist at each delete
    after the offset `since`; draws by sequence, with the last one's offset; the highest ids at the end."""

    since: int
    draws: dict[str, tuple[int, int]]
    highest: dict[str, int]


class Registry:
    """The service's state at one offset, with the uniqueness rules of its database."""

    def __init__(self, history: History, release: Release | None = None) -> None:
        self.history = history
        self.elsewhere: Elsewhere | None = None
        self.release = release  # None: the entries tell whose rules hold as they go by
        self.family: Family = release.family if release else AT_FIRST
        self.topic_version = 1
        self.upgrader_at: int | None = None  # the first Upgrader record
        self.failed: list[int] = []  # records under whose keys the service writes null at every replay
        self.heeds_deletions = False  # whether a tombstone or restart did anything
        self.rejections: list[RejectedEntry] = []  # those whose reason may still change
        self.awaited: dict[str, list[RejectedEntry]] = {}  # by the content that was lacking
        self.contents: dict[tuple[str, str], Content] = {}
        self.content_ids: dict[tuple[str, Any], Content] = {}
        self.unused: dict[int, Content] = {}  # contents without versions, by identity
        self.clean_ups = 0  # ends of deletes
        self.hash_of_id: dict[tuple[str, Any], str] = {}  # of contents that the registry does not hold
        self.null_contents: set[str] = set()
        self.rehashed: dict[
            tuple[str, str], Any
        ] = {}  # canonical hashes that UPDATEs set, by tenant and content hash
        self.tenants: set[str] = set()
        self.artifacts: dict[ArtifactKey, Artifact] = {}
        self.global_ids: dict[tuple[str, Any], Version] = {}
        self.groups: set[tuple[str, str]] = set()
        self.sequences = Sequences()
        self.dropped: dict[ArtifactKey, list[RejectedEntry]] = {}
        self.by_group: dict[tuple[str, str], set[ArtifactKey]] = {}
        self.settings: dict[tuple[str, str, str], int] = {}  # rules, roles, ...: tenant, type, id -> offset
        self.rules: dict[ArtifactKey, dict[str, tuple[Any, int]]] = {}  # rule type -> config, offset
        self.comments: dict[tuple[str, str], tuple[ArtifactKey, str]] = {}

    def refuse(
        self, offset: int, entity_type: str, name: str, reason: str, needs: str | None = None, **more: Any
    ) -> None:
        """Notes that the service rejects the record at this offset."""
        if reason not in MAY_BE_FORGIVEN:
            self.history.refuse(offset, entity_type, name, reason, needs)
            return
        rejection = RejectedEntry(offset, entity_type, name, reason, needs, **more)
        self.rejections.append(rejection)
        if needs and reason == LACKING:
            self.awaited.setdefault(needs, []).append(rejection)
        if rejection.artifact and entity_type == "version":
            self.dropped.setdefault(rejection.artifact, []).append(rejection)
            self.by_group.setdefault(rejection.artifact[:2], set()).add(rejection.artifact)

    def add_content(self, content: Content, offset: int, attributes: dict[str, Any]) -> None:
        self.contents[content.tenant, content.content_hash] = content
        self.content_ids[content.tenant, content.content_id] = content
        content.is_swept = False
        if not content.users:
            self.leave_unused(content)
        self.tenants.add(content.tenant)
        self.history.put("content", entity_id(content.tenant, content.content_id), attributes, offset)

    def remove_content(self, content: Content, offset: int) -> None:
        self.contents.pop((content.tenant, content.content_hash), None)
        self.content_ids.pop((content.tenant, content.content_id), None)
        self.unused.pop(id(content), None)
        self.hash_of_id[content.tenant, content.content_id] = content.content_hash
        self.history.end("content", entity_id(content.tenant, content.content_id), offset)

    def add_version(
        self, artifact: Artifact, version: Version, offset: int, attributes: dict[str, Any]
    ) -> None:
        key, content = artifact.key, version.content
        artifact.versions[version.number] = version
        artifact.highest = max(artifact.highest, version.version_id)
        self.global_ids[key[0], version.global_id] = version
        if not content.users:
            self.unused.pop(id(content), None)
            content.is_swept = content.unused_since < self.clean_ups
        content.users += 1
        content.was_used = True
        self.history.put("version", entity_id(*key, version.number), attributes, offset)

    def remove_version(self, artifact: Artifact, number: str, offset: int) -> None:
        """Deletes a version row with its comments."""
        version = artifact.versions.pop(number)
        if version.version_id == artifact.highest:
            artifact.highest = max((other.version_id for other in artifact.versions.values()), default=0)
        self.global_ids.pop((artifact.key[0], version.global_id), None)
        version.content.users -= 1
        if not version.content.users:
            self.leave_unused(version.content)
        for comment in version.comments or ():
            self.comments.pop((artifact.key[0], comment), None)
            self.history.end("comment", entity_id(artifact.key[0], comment), offset)
        self.history.end("version", entity_id(*artifact.key, number), offset)

    def remove_artifact(self, key: ArtifactKey, offset: int) -> None:
        """Deletes an artifact with everything that belongs to it; its rejected records no longer matter."""
        artifact = self.artifacts.pop(key, None)
        if artifact:
            for number in list(artifact.versions):
                self.remove_version(artifact, number, offset)
            self.history.end("artifact", entity_id(*key), offset)
        for rule_type in self.rules.pop(key, ()):
            self.history.end("artifact-rule", entity_id(*key, rule_type), offset)
        self.forgive(key, lambda _: True, DELETED_LATER)

    def leave_unused(self, content: Content) -> None:
        """A content without versions: the next clean-up may remove it."""
        self.unused[id(content)] = content
        content.unused_since = self.clean_ups

    def clean_up(self, offset: int) -> None:
        """The end of every delete: contents without versions are removed, if this version family does that."""
        self.clean_ups += 1
        has_versions = bool(self.global_ids) or (self.elsewhere is not None and offset > self.elsewhere.since)
        for content in cleaned_up(self.family, self.unused, has_versions):
            self.remove_content(content, offset)

    def learn_family(self, entry_type: str | None, action: object, offset: int) -> None:
        """Another version may have started here. One that cleans up reads the journal again, and cleans up at every delete in it."""
        if self.release is not None:
            return
        family = told_by(self.family, entry_type, action)
        if family == "2.5.9" != self.family:
            self.clean_up_again(offset)
        self.family = family

    def clean_up_again(self, offset: int) -> None:
        """Removes what clean-ups at every delete so far would have removed: contents unused at that time. Versions that used one
        later, through a record without content, lack it."""
        for artifact in list(self.artifacts.values()):
            for number, version in list(artifact.versions.items()):
                if version.content.is_swept:
                    self.lose_version(artifact, number, offset)
        for content in list(self.unused.values()):
            if content.is_swept or content.unused_since < self.clean_ups:
                self.remove_content(content, offset)

    def lose_version(self, artifact: Artifact, number: str, offset: int) -> None:
        """The service that starts here rejects the version's record."""
        version, name = artifact.versions[number], entity_id(*artifact.key, number)
        record = self.history.attributes("version", name).get("record_offset", offset)
        needs = content_entity(version.content.tenant, version.content.content_hash)
        self.remove_version(artifact, number, offset)
        if not artifact.versions:
            self.remove_artifact(artifact.key, offset)
        self.refuse(
            record,
            "version",
            name,
            LACKING,
            needs,
            artifact=artifact.key,
            version=number,
            global_id=version.global_id,
            uuid=version.uuid,
        )

    def forgive(self, key: ArtifactKey, chosen: Callable[[RejectedEntry], bool], reason: str) -> None:
        """Rejected records of an artifact that turned out not to matter."""
        for rejection in self.dropped.get(key, ()):
            if rejection.reason in MAY_BE_FORGIVEN and chosen(rejection):
                rejection.reason = reason
