"""The registry in memory: contents, artifacts, versions and groups while the journal is replayed.

Beside what the service holds stand the *refused* versions: they tell afterwards whether a dropped record mattered.
Every change goes to the history, which keeps it as an interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from spark.dialects._history import History
from spark.dialects.apicurio_v2.members import ArtifactKey, Members

LACKING = "content-missing"  # made precise at the end: content-later, content-null or content-missing
REPEATED = "repeated"  # the same record again while the first one counts
REPEATED_LATER = "repeated-later"  # refused, but a later copy was accepted
DELETED_LATER = "deleted-later"  # refused, but what it stands for was deleted afterwards
ALREADY_EXISTS = "already-exists"
ARTIFACT_MISSING = "artifact-missing"


@dataclass
class Content:
    """A content row: `was_used` and `users` tell whether a clean-up of orphans may have taken it."""

    tenant: str
    content_id: Any
    content_hash: str
    attributes: Members
    users: int = 0
    was_used: bool = False

    @property
    def is_orphan(self) -> bool:
        """Whether versions used it and none does any more."""
        return self.was_used and self.users == 0


@dataclass
class Version:
    """A version that the service holds."""

    number: str
    version_id: int
    global_id: Any
    uuid: str | None
    content: Content
    attributes: Members = field(default_factory=dict)


@dataclass
class Artifact:
    """An artifact that the service holds; `highest` is the largest version id that still exists."""

    key: ArtifactKey
    versions: dict[str, Version] = field(default_factory=dict)
    highest: int = 0


@dataclass
class Refusal:
    """A record the service drops. `version` is the number it would have got."""

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
    """How findings and refusals name a content."""
    return f"content:{tenant}/{content_hash}"


def entity_id(tenant: str, *parts: object) -> str:
    """Parts joined with `/`; the tenant leads when it is not the single one."""
    return "/".join(str(part) for part in (parts if tenant == "_" else (tenant, *parts)))


class Registry:
    """What the service holds at one offset, and the uniqueness rules of its database."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.refusals: list[Refusal] = []
        self.contents: dict[tuple[str, str], Content] = {}
        self.content_ids: dict[tuple[str, Any], Content] = {}
        self.hash_of_id: dict[tuple[str, Any], str] = {}
        self.null_contents: set[str] = set()
        self.full_contents: dict[str, list[int]] = {}
        self.full_content_ids: set[tuple[Any, str]] = set()
        self.artifacts: dict[ArtifactKey, Artifact] = {}
        self.global_ids: dict[tuple[str, Any], Version] = {}
        self.groups: dict[tuple[str, str], Members] = {}
        self.last_global_id: dict[str, int] = {}
        self.dropped: dict[ArtifactKey, list[Refusal]] = {}
        self.by_group: dict[tuple[str, str], set[ArtifactKey]] = {}

    def refuse(
        self, offset: int, entity_type: str, name: str, reason: str, needs: str | None = None, **more: Any
    ) -> Refusal:
        """Note that the service drops the record at this offset."""
        refusal = Refusal(offset, entity_type, name, reason, needs, **more)
        self.refusals.append(refusal)
        if refusal.artifact and entity_type == "version":
            self.dropped.setdefault(refusal.artifact, []).append(refusal)
            self.by_group.setdefault(refusal.artifact[:2], set()).add(refusal.artifact)
        return refusal

    def next_global_id(self, tenant: str) -> int:
        """Draw from the tenant's sequence of global ids."""
        self.last_global_id[tenant] = self.last_global_id.get(tenant, 0) + 1
        return self.last_global_id[tenant]

    def add_content(self, content: Content, offset: int) -> None:
        """Insert or replace a content row."""
        self.contents[content.tenant, content.content_hash] = content
        self.content_ids[content.tenant, content.content_id] = content
        self.note_content(content, offset)

    def note_content(self, content: Content, offset: int) -> None:
        """The content row is so from this offset on."""
        self.history.put("content", entity_id(content.tenant, content.content_id), content.attributes, offset)

    def remove_content(self, content: Content, offset: int) -> None:
        """Delete a content row."""
        self.contents.pop((content.tenant, content.content_hash), None)
        self.content_ids.pop((content.tenant, content.content_id), None)
        self.history.end("content", entity_id(content.tenant, content.content_id), offset)

    def add_version(self, artifact: Artifact, version: Version, offset: int) -> None:
        """Insert a version row."""
        artifact.versions[version.number] = version
        artifact.highest = max(artifact.highest, version.version_id)
        self.by_group.setdefault(artifact.key[:2], set()).add(artifact.key)
        self.global_ids[artifact.key[0], version.global_id] = version
        version.content.users += 1
        version.content.was_used = True
        self.history.put("version", entity_id(*artifact.key, version.number), version.attributes, offset)

    def remove_version(self, artifact: Artifact, number: str, offset: int) -> None:
        """Delete a version row."""
        version = artifact.versions.pop(number)
        if version.version_id == artifact.highest:
            artifact.highest = max((other.version_id for other in artifact.versions.values()), default=0)
        self.global_ids.pop((artifact.key[0], version.global_id), None)
        version.content.users -= 1
        self.history.end("version", entity_id(*artifact.key, number), offset)

    def remove_artifact(self, key: ArtifactKey, offset: int) -> None:
        """Delete an artifact with all that hangs on it; what was refused of it no longer matters."""
        artifact = self.artifacts.pop(key, None)
        if artifact:
            for number in list(artifact.versions):
                self.remove_version(artifact, number, offset)
        self.history.end("artifact", entity_id(*key), offset)
        self.forgive(key, lambda _: True, DELETED_LATER)

    def forgive(self, key: ArtifactKey, chosen: Callable[[Refusal], bool], reason: str) -> None:
        """Refused records of an artifact that turned out not to matter."""
        for refusal in self.dropped.get(key, []):
            if refusal.reason in (LACKING, ARTIFACT_MISSING) and chosen(refusal):
                refusal.reason = reason
