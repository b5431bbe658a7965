"""Calls about artifacts, versions, comments and branches: their effects, and why the registry rejects some.

Content and group are created before the registry checks the artifact or version, and remain if that fails.
"""

from __future__ import annotations

from spark.dialects.apicurio_v3.message_classes import group_of, inner, texts
from spark.dialects.apicurio_v3.registry import (
    DRAFTS,
    LATEST,
    ArtifactRow,
    ContentRow,
    Members,
    RegistryTables,
    VersionRow,
    key_of,
)

ALREADY_EXISTS = "already-exists"
ARTIFACT_MISSING = "artifact-missing"
VERSION_MISSING = "version-missing"
DRAFT = "DRAFT"
ENABLED = "ENABLED"


def create_artifact(registry: RegistryTables, offset: int, members: Members) -> None:
    """A new artifact, with a first version if the call has content."""
    key = key_of(members)
    registry.ensure_group(members, offset)
    content = registry.ensure_content(members, offset) if "content_size_bytes" in members else None
    if key in registry.artifacts:
        registry.history.refuse(offset, "artifact", "/".join(key), ALREADY_EXISTS)
        return
    if members.get("dryRun"):
        if content:
            registry.draw("global")
        return
    meta = inner(members, "artifactMetaDataDto")
    attributes = {
        "type": members.get("artifactType"),
        "name": meta.get("name"),
        "owner": members.get("owner"),
    }
    artifact = registry.add_artifact(key, attributes, offset)
    if content:
        is_draft = bool(members.get("versionIsDraft"))
        named = inner(members, "versionMetaData")
        insert_version(registry, offset, artifact, content, members, is_draft, named.get("name"))
        for branch in texts(members, "versionBranches"):
            registry.append_to_branch(artifact, branch, next(iter(artifact.versions)), offset)


def create_version(registry: RegistryTables, offset: int, members: Members) -> None:
    key = key_of(members)
    content = registry.ensure_content(members, offset)
    artifact = registry.artifacts.get(key)
    reason = why_no_version(artifact, members)
    if artifact is None or reason:
        registry.draw("global")
        number = str(members.get("version") or (artifact.highest + 1 if artifact else "?"))
        needs = f"artifact:{'/'.join(key)}" if artifact is None else None
        registry.history.refuse(offset, "version", "/".join((*key, number)), str(reason), needs)
    elif members.get("dryRun"):
        registry.draw("global")
    else:
        named = inner(members, "metaData")
        version = insert_version(
            registry, offset, artifact, content, members, bool(members.get("draft")), named.get("name")
        )
        for branch in texts(members, "branches"):
            registry.append_to_branch(artifact, branch, version.number, offset)


def why_no_version(artifact: ArtifactRow | None, members: Members) -> str | None:
    """Why the registry rejects a new version; None if it accepts it."""
    if artifact is None:
        return ARTIFACT_MISSING
    if members.get("version") is not None and str(members["version"]) in artifact.versions:
        return ALREADY_EXISTS
    expected = members.get("expectedBaseVersionOrder")
    return "not-the-latest" if expected is not None and expected != artifact.highest else None


def insert_version(
    registry: RegistryTables,
    offset: int,
    artifact: ArtifactRow,
    content: ContentRow,
    members: Members,
    is_draft: bool,
    name: str | None,
) -> VersionRow:
    """Inserts a version and adds it to its branch: drafts, or latest."""
    order = artifact.highest + 1
    number = str(members["version"]) if members.get("version") is not None else str(order)
    version = VersionRow(
        number, order, registry.draw("global"), DRAFT if is_draft else ENABLED, content, name
    )
    registry.add_version(artifact, version, offset)
    registry.append_to_branch(artifact, DRAFTS if is_draft else LATEST, number, offset)
    return version


def delete_artifact(registry: RegistryTables, offset: int, members: Members) -> None:
    """Deletes an artifact with its versions, rules and branches."""
    key = key_of(members)
    if not registry.remove_artifact(key, offset):
        registry.history.refuse(offset, "artifact", "/".join(key), ARTIFACT_MISSING)
    else:
        registry.clean_up(offset)


def delete_artifacts(registry: RegistryTables, offset: int, members: Members) -> None:
    group = group_of(members)
    keys = list(registry.by_group.get(group, ()))
    if not keys:
        registry.history.refuse(offset, "group", group, ARTIFACT_MISSING)
        return
    for key in keys:
        registry.remove_artifact(key, offset)
    registry.clean_up(offset)


def artifact_and_version(
    registry: RegistryTables, offset: int, members: Members
) -> tuple[ArtifactRow, VersionRow] | None:
    """The version of a call; None, with the call rejected, if it does not exist."""
    key, number = key_of(members), str(members.get("version"))
    artifact = registry.artifacts.get(key)
    version = artifact.versions.get(number) if artifact else None
    if artifact is None or version is None:
        needs = f"artifact:{'/'.join(key)}" if artifact is None else None
        registry.history.refuse(offset, "version", "/".join((*key, number)), VERSION_MISSING, needs)
        return None
    return artifact, version


def delete_version(registry: RegistryTables, offset: int, members: Members) -> None:
    """Deletes one version; the artifact remains even without versions."""
    pair = artifact_and_version(registry, offset, members)
    if pair:
        artifact, version = pair
        for branch in list(artifact.branches):
            registry.leave_branch(artifact, branch, version.number, offset)
        registry.remove_version(artifact, version.number, offset)
        registry.clean_up(offset)


def update_version_state(registry: RegistryTables, offset: int, members: Members) -> None:
    """Another state. A version that leaves DRAFT moves from branch drafts to latest."""
    pair = artifact_and_version(registry, offset, members)
    if pair is None or members.get("dryRun"):
        return
    artifact, version = pair
    was_draft = version.state == DRAFT
    version.state = str(members.get("newState"))
    registry.note_version(artifact, version, offset)
    if was_draft and version.state != DRAFT:
        registry.leave_branch(artifact, DRAFTS, version.number, offset)
        registry.append_to_branch(artifact, LATEST, version.number, offset)


def update_version_content(registry: RegistryTables, offset: int, members: Members) -> None:
    """New content for a draft."""
    content = registry.ensure_content(members, offset)
    pair = artifact_and_version(registry, offset, members)
    if pair:
        artifact, version = pair
        registry.release(version.content)
        version.content = content
        registry.use(content)
        registry.note_version(artifact, version, offset)
        registry.clean_up(offset)


def update_version_meta(registry: RegistryTables, offset: int, members: Members) -> None:
    """New metadata of a version; absent members keep their values."""
    pair = artifact_and_version(registry, offset, members)
    name = inner(members, "metaData").get("name")
    if pair and name is not None:
        pair[1].name = name
        registry.note_version(*pair, offset)


def update_artifact_meta(registry: RegistryTables, offset: int, members: Members) -> None:
    """New metadata or owner of an artifact; absent members keep their values."""
    key = key_of(members)
    artifact = registry.artifacts.get(key)
    if artifact is None:
        name = "/".join(key)
        registry.history.refuse(offset, "artifact", name, ARTIFACT_MISSING, f"artifact:{name}")
        return
    meta = inner(members, "metaData")
    artifact.attributes |= {name: meta[name] for name in ("name", "owner") if meta.get(name) is not None}
    registry.history.put("artifact", "/".join(key), artifact.attributes, offset)


def create_comment(registry: RegistryTables, offset: int, members: Members) -> None:
    """A comment on a version, under the next id."""
    comment_id = registry.draw("comment")
    pair = artifact_and_version(registry, offset, members)
    if pair:
        name = str(comment_id) if comment_id is not None else f"at-{offset}"
        put_comment(registry, offset, pair[1], name, members.get("value"))


def put_comment(
    registry: RegistryTables, offset: int, version: VersionRow, comment_id: str, value: object
) -> None:
    version.comments.add(comment_id)
    registry.comments[comment_id] = version
    registry.history.put("comment", comment_id, {"value": value, "globalId": version.global_id}, offset)


def change_comment(registry: RegistryTables, offset: int, members: Members) -> None:
    """A new text, or the deletion of a comment: that call has no value."""
    comment_id = str(members.get("commentId"))
    version = registry.comments.get(comment_id)
    if version is None:
        registry.history.refuse(offset, "comment", comment_id, "comment-missing")
    elif "value" in members:
        put_comment(registry, offset, version, comment_id, members["value"])
    else:
        version.comments.discard(comment_id)
        del registry.comments[comment_id]
        registry.history.end("comment", comment_id, offset)


def change_branch(registry: RegistryTables, offset: int, members: Members) -> None:
    """Creates, replaces or extends a branch; only existing versions can be on it."""
    artifact = registry.artifacts.get(key_of(members))
    branch = str(members.get("branchId"))
    if artifact is None:
        registry.history.refuse(offset, "branch", "/".join((*key_of(members), branch)), ARTIFACT_MISSING)
    elif "version" in members:
        registry.append_to_branch(artifact, branch, str(members["version"]), offset)
    else:
        numbers = [number for number in texts(members, "versions") if number in artifact.versions]
        registry.put_branch(artifact, branch, numbers, offset)


def delete_branch(registry: RegistryTables, offset: int, members: Members) -> None:
    """Deletes a branch; its versions remain."""
    artifact = registry.artifacts.get(key_of(members))
    name = "/".join((*key_of(members), str(members.get("branchId"))))
    if artifact is None or artifact.branches.pop(str(members.get("branchId")), None) is None:
        registry.history.refuse(offset, "branch", name, "branch-missing")
    registry.history.end("branch", name, offset)
