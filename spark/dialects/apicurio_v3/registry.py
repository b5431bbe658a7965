"""The registry's state in memory while the journal's calls are executed.

Ids are drawn in the order of the calls, also by calls that fail afterwards. If the journal's beginning is missing,
they stay unknown. Every change goes to the history.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spark.dialects._history import History
from spark.dialects.apicurio_v3.message_classes import group_of

Members = dict[str, Any]
ArtifactKey = tuple[str, str]  # group, artifact id
RuleOwner = tuple[str, ...]  # entity type of its rules, then group and artifact id, as far as they are of one
LATEST = "latest"
DRAFTS = "drafts"


@dataclass(slots=True)
class ContentRow:
    """A content row; `content_hash` is None for a draft."""

    content_id: int | None
    content_hash: str | None
    name: str  # of the entity
    users: int = 0


@dataclass(slots=True)
class VersionRow:
    """A version row; `order` numbers the artifact's versions."""

    number: str
    order: int
    global_id: int | None
    state: str
    content: ContentRow
    name: str | None = None
    comments: set[str] = field(default_factory=set)


@dataclass(slots=True)
class ArtifactRow:
    """An artifact row and what is deleted with it."""

    key: ArtifactKey
    attributes: Members
    versions: dict[str, VersionRow] = field(default_factory=dict)
    branches: dict[str, list[str]] = field(default_factory=dict)
    highest: int = 0


def key_of(members: Members) -> ArtifactKey:
    return group_of(members), str(members.get("artifactId"))


def rule_entity(owner: RuleOwner, rule: str) -> tuple[str, str]:
    return owner[0], "/".join((*owner[1:], rule))


class RegistryTables:
    """The service's state, and its id sequences."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.knows_ids = True
        self.cleans_at_once = True  # orphans go with what used them; since 3.2 by a call of their own
        self.sequences = {"global": 0, "content": 0, "comment": 0}
        self.groups: dict[str, Members] = {}
        self.artifacts: dict[ArtifactKey, ArtifactRow] = {}
        self.by_group: dict[str, set[ArtifactKey]] = {}
        self.contents: dict[str, ContentRow] = {}
        self.content_ids: dict[int, ContentRow] = {}
        self.orphans: dict[str, ContentRow] = {}
        self.global_ids: dict[int, tuple[ArtifactRow, VersionRow]] = {}
        self.comments: dict[str, VersionRow] = {}
        self.settings: dict[tuple[str, str], Members] = {}
        self.rules: dict[RuleOwner, set[str]] = {}

    def draw(self, sequence: str) -> int | None:
        self.sequences[sequence] += 1
        return self.sequences[sequence] if self.knows_ids else None

    def ensure_group(self, members: Members, offset: int) -> None:
        """Creates the artifact's group if it does not exist."""
        group = group_of(members)
        if members.get("groupId") is not None and group not in self.groups:
            self.put_group(group, {}, offset)

    def put_group(self, group: str, attributes: Members, offset: int) -> None:
        self.groups[group] = attributes
        self.history.put("group", group, attributes, offset)

    def ensure_content(self, members: Members, offset: int) -> ContentRow:
        """The content of a call. Draws an id even if the content exists."""
        content_hash = str(members["contentHash"]) if members.get("contentHash") else None
        content_id = self.draw("content")
        stored = self.contents.get(content_hash) if content_hash else None
        if stored:
            return stored
        return self.add_content(content_id, content_hash, offset)

    def add_content(self, content_id: int | None, content_hash: str | None, offset: int) -> ContentRow:
        """Inserts a content row without users."""
        name = str(content_id) if content_id is not None else f"at-{offset}"
        content = self.orphans[name] = ContentRow(content_id, content_hash, name)
        if content_hash:
            self.contents[content_hash] = content
        if content_id is not None:
            self.content_ids[content_id] = content
        self.history.put("content", name, {"contentHash": content_hash, "contentId": content_id}, offset)
        return content

    def use(self, content: ContentRow) -> None:
        """One more version uses this content."""
        content.users += 1
        self.orphans.pop(content.name, None)

    def release(self, content: ContentRow) -> None:
        """One version fewer uses it."""
        content.users -= 1
        if content.users == 0:
            self.orphans[content.name] = content

    def clean_up(self, offset: int) -> None:
        """The end of every deletion, for registries that remove orphans immediately."""
        if self.cleans_at_once:
            self.clean_orphans(offset)

    def clean_orphans(self, offset: int) -> None:
        """Deletes contents without versions."""
        for content in self.orphans.values():
            if content.content_hash:
                self.contents.pop(content.content_hash, None)
            if content.content_id is not None:
                self.content_ids.pop(content.content_id, None)
            self.history.end("content", content.name, offset)
        self.orphans = {}

    def add_artifact(self, key: ArtifactKey, attributes: Members, offset: int) -> ArtifactRow:
        artifact = self.artifacts[key] = ArtifactRow(key, attributes)
        self.by_group.setdefault(key[0], set()).add(key)
        self.history.put("artifact", "/".join(key), attributes, offset)
        return artifact

    def add_version(self, artifact: ArtifactRow, version: VersionRow, offset: int) -> None:
        artifact.versions[version.number] = version
        artifact.highest = max(artifact.highest, version.order)
        if version.global_id is not None:
            self.global_ids[version.global_id] = artifact, version
        self.use(version.content)
        self.note_version(artifact, version, offset)

    def note_version(self, artifact: ArtifactRow, version: VersionRow, offset: int) -> None:
        """Writes the version's attributes as they are from this offset on."""
        attributes = {
            "groupId": artifact.key[0],
            "artifactId": artifact.key[1],
            "version": version.number,
            "globalId": version.global_id,
            "contentId": version.content.content_id,
            "contentHash": version.content.content_hash,
            "artifactType": artifact.attributes.get("type"),
            "state": version.state,
            "name": version.name,
        }
        self.history.put("version", "/".join((*artifact.key, version.number)), attributes, offset)

    def put_branch(self, artifact: ArtifactRow, branch: str, numbers: list[str], offset: int) -> None:
        """Sets the versions of a branch, newest last."""
        artifact.branches[branch] = numbers
        attributes = {"tip": numbers[-1] if numbers else None, "versions": len(numbers)}
        self.history.put("branch", "/".join((*artifact.key, branch)), attributes, offset)

    def append_to_branch(self, artifact: ArtifactRow, branch: str, number: str, offset: int) -> None:
        """Adds a version to a branch."""
        numbers = artifact.branches.get(branch, [])
        if number not in numbers[-1:]:
            numbers.append(number)
        self.put_branch(artifact, branch, numbers, offset)

    def leave_branch(self, artifact: ArtifactRow, branch: str, number: str, offset: int) -> None:
        """Removes a version from a branch."""
        numbers = artifact.branches.get(branch, [])
        if number in numbers:
            self.put_branch(artifact, branch, [other for other in numbers if other != number], offset)

    def remove_version(self, artifact: ArtifactRow, number: str, offset: int) -> None:
        """Deletes a version row with its comments."""
        version = artifact.versions.pop(number)
        if version.order == artifact.highest:
            artifact.highest = max((other.order for other in artifact.versions.values()), default=0)
        if version.global_id is not None:
            self.global_ids.pop(version.global_id, None)
        for comment in version.comments:
            self.comments.pop(comment, None)
            self.history.end("comment", comment, offset)
        self.release(version.content)
        self.history.end("version", "/".join((*artifact.key, number)), offset)

    def remove_artifact(self, key: ArtifactKey, offset: int) -> bool:
        """Deletes an artifact with everything that belongs to it; False if it did not exist."""
        artifact = self.artifacts.pop(key, None)
        if artifact is None:
            return False
        self.drop_rules(("artifact-rule", *key), offset)
        artifact.highest = -1  # spares remove_version the search for the next highest
        for number in list(artifact.versions):
            self.remove_version(artifact, number, offset)
        for branch in artifact.branches:
            self.history.end("branch", "/".join((*key, branch)), offset)
        self.by_group[key[0]].discard(key)
        self.history.end("artifact", "/".join(key), offset)
        return True

    def keep(self, entity_type: str, entity_id: str, attributes: Members, offset: int) -> None:
        """Inserts or changes a rule, role or property."""
        self.settings[entity_type, entity_id] = attributes
        self.history.put(entity_type, entity_id, attributes, offset)

    def drop_rules(self, owner: RuleOwner, offset: int) -> None:
        """Deletes all rules of an artifact, of a group, or the global ones."""
        for rule in self.rules.pop(owner, ()):
            self.drop(*rule_entity(owner, rule), offset)

    def drop(self, entity_type: str, entity_id: str, offset: int) -> bool:
        """Deletes it; False if it did not exist."""
        was_there = self.settings.pop((entity_type, entity_id), None) is not None
        self.history.end(entity_type, entity_id, offset)
        return was_there
