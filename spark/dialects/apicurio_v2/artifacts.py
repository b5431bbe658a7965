"""Replay of Artifact and ArtifactVersion records: which versions the registry accepts, and why it rejects the others."""

from __future__ import annotations

from spark.dialects.apicurio_v2 import registry as r
from spark.dialects.apicurio_v2.attached import show_rules
from spark.dialects.apicurio_v2.members import ArtifactKey, Members, artifact_key, meta_name, scalar
from spark.dialects.apicurio_v2.registry import Artifact, Content, Registry, Version

IMPORTED_ID = -1  # an import that lets the registry draw the global id
# Reasons for which the service writes a null record under the key of the record that failed. It does so after
# ArtifactAlreadyExistsException and ArtifactNotFoundException; a version that exists raises another one.
NULLED = {
    "create": (r.ALREADY_EXISTS, r.REPEATED, r.ID_TAKEN),
    "update": (r.ARTIFACT_MISSING,),
}


def apply_artifact(registry: Registry, offset: int, action: str, members: Members) -> None:
    """Artifact: CREATE, UPDATE (a new version), IMPORT (one version), DELETE, and null for a create that failed."""
    key = artifact_key(members)
    if action == "delete":
        delete_artifact(registry, offset, key)
    elif action == "tombstone":
        forgive_failed(registry, key, members.get("uuid"))
    elif action in ("create", "update", "import"):
        insert_version(registry, offset, action, key, members)


def forgive_failed(registry: Registry, key: ArtifactKey, uuid: object) -> None:
    """A null value under an artifact record's key: that record had failed, because the artifact existed or was missing.

    A missing artifact is the loss of a first version, which took this version with it, and not a deletion.
    """
    refused = registry.dropped.get(key, [])
    fell = key not in registry.artifacts and any(
        first.reason == r.LACKING and first.uuid != uuid and first.version != later.version
        for later in refused
        if later.uuid == uuid
        for first in refused
        if first.offset < later.offset
    )
    if not fell:
        registry.forgive(
            key, lambda rejection: rejection.reason == r.LACKING and rejection.uuid == uuid, r.DELETED_LATER
        )


def delete_artifact(registry: Registry, offset: int, key: ArtifactKey) -> None:
    """Artifact DELETE. Fails if the artifact does not exist, but shows that no one misses it. Fails if it has a comment, and
    nothing is deleted: comment rows refer to version rows (seen with 2.6.13)."""
    was_there = key in registry.artifacts
    if was_there and registry.artifacts[key].has_comments:
        registry.refuse(offset, "artifact", r.entity_id(*key), r.HAS_COMMENTS)
        return
    if not was_there:
        registry.failed.append(offset)
        registry.refuse(offset, "artifact", r.entity_id(*key), r.ARTIFACT_MISSING)
    registry.remove_artifact(key, offset)
    if was_there:
        registry.clean_up(offset)


def insert_version(registry: Registry, offset: int, action: str, key: ArtifactKey, members: Members) -> None:
    """Inserts an artifact's version, or notes why the service does not."""
    content = wanted_content(registry, key[0], members)
    artifact = registry.artifacts.get(key)
    if scalar(members, "globalId") == IMPORTED_ID:
        members["globalId"] = registry.sequences.draw("globalId", key[0], offset)
    number = version_number(registry, action, key, artifact, members)
    reason, needs = refusal_reason(registry, action, key, artifact, content, number, members)
    if reason is None and content is not None:
        artifact = artifact or add_artifact(registry, key, members, offset)
        version_id = scalar(members, "versionId")
        if not isinstance(version_id, int):
            version_id = artifact.highest + 1
        version = Version(key, number, version_id, scalar(members, "globalId"), members.get("uuid"), content)
        registry.add_version(artifact, version, offset, version_attributes(version, members, offset))
        if key in registry.dropped:
            forgive_copies(registry, key, members)
        return
    if reason in NULLED.get(action, ()):
        registry.failed.append(offset)
    if reason == r.REPEATED:
        number = note_copy(registry, key, members, offset)
    registry.refuse(
        offset,
        "version",
        r.entity_id(*key, number),
        str(reason),
        needs,
        artifact=key,
        version=number,
        global_id=scalar(members, "globalId"),
        uuid=members.get("uuid"),
        content_id=scalar(members, "contentId"),
    )


def note_copy(registry: Registry, key: ArtifactKey, members: Members, offset: int) -> str:
    """An equal later record: compaction keeps this copy and not the one that is in force."""
    version = registry.global_ids[key[0], scalar(members, "globalId")]
    name = r.entity_id(*key, version.number)
    attributes = registry.history.attributes("version", name)
    registry.history.amend("version", name, attributes | {"record_offset": offset})
    return version.number


def wanted_content(registry: Registry, tenant: str, members: Members) -> Content | None:
    """The content that a version needs: by hash, or by id in an import."""
    content_hash = members.get("contentHash")
    if content_hash:
        return registry.contents.get((tenant, str(content_hash)))
    return registry.content_ids.get((tenant, scalar(members, "contentId")))


def version_number(
    registry: Registry, action: str, key: ArtifactKey, artifact: Artifact | None, members: Members
) -> str:
    """The version's number: the client's, else the next one, counting rejected versions of a missing artifact."""
    if members.get("version") is not None:
        return str(members["version"])
    if action == "create":
        return "1"
    if artifact:
        return str(artifact.highest + 1)
    lacking = [
        rejection
        for rejection in registry.dropped.get(key, [])
        if rejection.reason in (r.LACKING, r.ARTIFACT_MISSING)
    ]
    return str(len(lacking) + 1)


def refusal_reason(
    registry: Registry,
    action: str,
    key: ArtifactKey,
    artifact: Artifact | None,
    content: Content | None,
    number: str,
    members: Members,
) -> tuple[str | None, str | None]:
    """Why the service rejects an artifact record, and what it lacked; None if it accepts it. Checks run in the service's order."""
    if content is None:
        return r.LACKING, needed_content(registry, key[0], members)
    if action == "update" and artifact is None:
        return r.ARTIFACT_MISSING, f"artifact:{'/'.join(key)}"
    holder = registry.global_ids.get((key[0], scalar(members, "globalId")))
    if holder and holder.uuid is not None and holder.uuid == members.get("uuid"):
        return r.REPEATED, needed_content(registry, key[0], members)
    taken = artifact is not None and (action == "create" or number in artifact.versions)
    if taken or (holder and holder.artifact == key and holder.content is content):
        return r.ALREADY_EXISTS, needed_content(registry, key[0], members)
    if holder:
        return r.ID_TAKEN, f"version:{'/'.join(holder.artifact)}/{holder.number}"
    return None, None


def needed_content(registry: Registry, tenant: str, members: Members) -> str:
    """The content that a version needs, as an entity id; `#id` until a record shows its hash."""
    content_hash = members.get("contentHash") or registry.hash_of_id.get(
        (tenant, scalar(members, "contentId"))
    )
    return r.content_entity(tenant, content_hash or f"#{members.get('contentId')}")


def add_artifact(registry: Registry, key: ArtifactKey, members: Members, offset: int) -> Artifact:
    artifact = registry.artifacts[key] = Artifact(key)
    registry.by_group.setdefault(key[:2], set()).add(key)
    attributes = {
        "type": members.get("artifactType"),
        "createdBy": members.get("createdBy"),
        "createdOn": members.get("createdOn"),
    }
    registry.history.put("artifact", r.entity_id(*key), attributes, offset)
    if key in registry.rules:
        show_rules(registry, key, offset)
    return artifact


def version_attributes(version: Version, members: Members, offset: int) -> Members:
    """A version's attributes for pages and detectors; `record_offset`: the last copy of its artifact record."""
    key = version.artifact
    return {
        "tenantId": key[0],
        "groupId": key[1],
        "artifactId": key[2],
        "version": version.number,
        "globalId": version.global_id,
        "contentId": version.content.content_id,
        "contentHash": version.content.content_hash,
        "artifactType": members.get("artifactType"),
        "state": members.get("state") or "ENABLED",
        "name": meta_name(members),
        "createdBy": members.get("createdBy"),
        "createdOn": members.get("createdOn"),
        "uuid": version.uuid,
        "record_offset": offset,
    }


def forgive_copies(registry: Registry, key: ArtifactKey, members: Members) -> None:
    """An accepted record makes up for rejected copies of it: same key, or same global id."""
    uuid, global_id = members.get("uuid"), scalar(members, "globalId")
    registry.forgive(
        key,
        lambda rejection: (uuid is not None and rejection.uuid == uuid) or rejection.global_id == global_id,
        r.REPEATED_LATER,
    )


def apply_version(registry: Registry, offset: int, action: str, members: Members) -> None:
    """ArtifactVersion: state and meta-data, or DELETE, which takes the artifact with its last version."""
    key, number = artifact_key(members), str(members.get("version"))
    if action == "tombstone":
        return
    artifact = registry.artifacts.get(key)
    if action == "delete":
        registry.forgive(key, lambda rejection: rejection.version == number, r.DELETED_LATER)
    if artifact is None or number not in artifact.versions:
        needs = f"version:{'/'.join((*key, number))}"
        registry.refuse(offset, "version", r.entity_id(*key, number), r.VERSION_MISSING, needs)
    elif action == "delete":
        delete_version(registry, artifact, number, offset)
    elif action in ("update", "clear"):
        update_version(registry, r.entity_id(*key, number), offset, members)


def update_version(registry: Registry, name: str, offset: int, members: Members) -> None:
    """State and meta-data; CLEAR brings neither and takes the meta-data away."""
    attributes = registry.history.attributes("version", name)
    attributes["name"] = meta_name(members)
    if members.get("state"):
        attributes["state"] = members["state"]
    registry.history.put("version", name, attributes, offset)


def delete_version(registry: Registry, artifact: Artifact, number: str, offset: int) -> None:
    """Deletes a version with its comments. The last one takes its artifact along, unless that has comments."""
    if len(artifact.versions) == 1 and artifact.has_comments:
        registry.refuse(offset, "version", r.entity_id(*artifact.key, number), r.HAS_COMMENTS)
        return
    registry.remove_version(artifact, number, offset)
    if not artifact.versions:
        registry.remove_artifact(artifact.key, offset)
    registry.clean_up(offset)
