"""Calls of an import: another registry's rows with their ids."""

from __future__ import annotations

from spark.dialects.apicurio_v3.artifacts import (
    ALREADY_EXISTS,
    ARTIFACT_MISSING,
    ENABLED,
    VERSION_MISSING,
    put_comment,
)
from spark.dialects.apicurio_v3.message_classes import inner, texts, whole
from spark.dialects.apicurio_v3.registry import Members, RegistryTables, VersionRow, key_of
from spark.dialects.apicurio_v3.settings import add_group, add_rule, rule_owner

UNSET = -1  # an import that lets the registry draw the global id


def import_group(registry: RegistryTables, offset: int, members: Members) -> None:
    """A group, unless it exists."""
    add_group(registry, offset, inner(members, "entity"))


def import_content(registry: RegistryTables, offset: int, members: Members) -> None:
    """A content under its original id."""
    body = inner(members, "entity")
    content_id, content_hash = body.get("contentId"), body.get("contentHash")
    if (
        not isinstance(content_id, int)
        or content_id in registry.content_ids
        or content_hash in registry.contents
    ):
        registry.history.refuse(offset, "content", str(content_id), ALREADY_EXISTS)
        return
    registry.add_content(content_id, content_hash, offset)


def import_artifact(registry: RegistryTables, offset: int, members: Members) -> None:
    """An artifact without versions: they follow."""
    body = inner(members, "entity")
    key = key_of(body)
    if key in registry.artifacts:
        registry.history.refuse(offset, "artifact", "/".join(key), ALREADY_EXISTS)
        return
    attributes = {"type": body.get("artifactType"), "name": body.get("name"), "owner": body.get("owner")}
    registry.add_artifact(key, attributes, offset)


def import_version(registry: RegistryTables, offset: int, members: Members) -> None:
    """A version whose artifact and content were imported before."""
    body = inner(members, "entity")
    key, number = key_of(body), str(body.get("version"))
    name = "/".join((*key, number))
    artifact = registry.artifacts.get(key)
    content = registry.content_ids.get(whole(body, "contentId") or 0)
    global_id = whole(body, "globalId")
    if global_id == UNSET:
        global_id = registry.draw("global")
    if artifact is None:
        registry.history.refuse(offset, "version", name, ARTIFACT_MISSING, f"artifact:{'/'.join(key)}")
    elif content is None:
        registry.history.refuse(
            offset, "version", name, "content-missing", f"content:_/#{body.get('contentId')}"
        )
    elif number in artifact.versions or global_id in registry.global_ids:
        registry.history.refuse(offset, "version", name, ALREADY_EXISTS)
    else:
        order = whole(body, "versionOrder")
        version = VersionRow(
            number,
            artifact.highest + 1 if order is None else order,
            global_id,
            str(body.get("state") or ENABLED),
            content,
            body.get("name"),
        )
        registry.add_version(artifact, version, offset)


def import_comment(registry: RegistryTables, offset: int, members: Members) -> None:
    """A comment under its original id, on the version with that global id."""
    body = inner(members, "entity")
    pair = registry.global_ids.get(whole(body, "globalId") or 0)
    comment_id = str(body.get("commentId"))
    if pair is None:
        registry.history.refuse(offset, "comment", comment_id, VERSION_MISSING)
    elif comment_id in registry.comments:
        registry.history.refuse(offset, "comment", comment_id, ALREADY_EXISTS)
    else:
        put_comment(registry, offset, pair[1], comment_id, body.get("value"))


def import_branch(registry: RegistryTables, offset: int, members: Members) -> None:
    """A branch with its versions."""
    body = inner(members, "entity")
    artifact = registry.artifacts.get(key_of(body))
    branch = str(body.get("branchId"))
    if artifact is None:
        registry.history.refuse(offset, "branch", "/".join((*key_of(body), branch)), ARTIFACT_MISSING)
        return
    registry.put_branch(artifact, branch, texts(body, "versions"), offset)


def import_rule(registry: RegistryTables, offset: int, members: Members) -> None:
    """A rule of an artifact, of a group, or global, unless it exists."""
    body = inner(members, "entity")
    rule, attributes = str(body.get("type") or body.get("ruleType")), {"config": body.get("configuration")}
    add_rule(registry, offset, rule_owner(body), rule, attributes)
