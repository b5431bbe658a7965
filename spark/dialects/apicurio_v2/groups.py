"""Replay of Group and GlobalAction records: what is deleted together."""

from __future__ import annotations

from spark.dialects.apicurio_v2 import registry as r
from spark.dialects.apicurio_v2.members import Members, group_of, tenant_of
from spark.dialects.apicurio_v2.registry import Registry

GROUP_MISSING = "group-missing"
SHOWN = ("description", "artifactsType", "createdBy", "createdOn", "modifiedBy", "modifiedOn", "properties")


def apply_group(registry: Registry, offset: int, action: str, members: Members) -> None:
    """Group: DELETE removes its artifacts; for a missing group it fails and removes nothing."""
    key = tenant_of(members), group_of(members)
    name = r.entity_id(*key)
    exists = key in registry.groups
    if action in ("create", "import"):
        if exists:
            registry.refuse(offset, "group", name, r.ALREADY_EXISTS)
        else:
            registry.groups.add(key)
            registry.history.put("group", name, attributes_of(members), offset)
    elif action == "delete" and has_comments(registry, key):
        registry.refuse(offset, "group", name, r.HAS_COMMENTS)
    elif action == "delete" and (exists or members.get("onlyArtifacts")):
        delete_group(registry, offset, key, bool(members.get("onlyArtifacts")))
        registry.clean_up(offset)
    elif action == "update" and exists:
        registry.history.put(
            "group", name, registry.history.attributes("group", name) | attributes_of(members), offset
        )
    elif action in ("update", "delete"):
        registry.refuse(offset, "group", name, GROUP_MISSING)


def has_comments(registry: Registry, group: tuple[str, str]) -> bool:
    """Whether any artifact of the group has a comment: then its artifacts cannot be deleted together."""
    artifacts = (registry.artifacts.get(key) for key in registry.by_group.get(group, ()))
    return any(artifact.has_comments for artifact in artifacts if artifact)


def attributes_of(members: Members) -> Members:
    return {name: members[name] for name in SHOWN if members.get(name)}


def delete_group(registry: Registry, offset: int, group: tuple[str, str], only_artifacts: bool) -> None:
    """Deletes a group's artifacts, rejected ones included, and the group itself unless `only_artifacts`."""
    for key in registry.by_group.pop(group, ()):
        registry.remove_artifact(key, offset)
    if not only_artifacts:
        registry.groups.discard(group)
        registry.history.end("group", r.entity_id(*group), offset)


def apply_global_action(registry: Registry, offset: int, action: str, members: Members) -> None:
    """DELETE_ALL_USER_DATA: deletes everything of the tenant except sequences and log levels."""
    if action != "delete_all_user_data":
        return
    tenant = tenant_of(members)
    for group in {key for key in (*registry.by_group, *registry.groups) if key[0] == tenant}:
        delete_group(registry, offset, group, False)
    for content in [content for content in registry.contents.values() if content.tenant == tenant]:
        registry.remove_content(content, offset)
    for key in [key for key in registry.settings if key[0] == tenant and key[1] != "log-config"]:
        del registry.settings[key]
        registry.history.end(key[1], r.entity_id(tenant, key[2]), offset)
