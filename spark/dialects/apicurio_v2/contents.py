"""Replay of Content and ContentV2 records into the registry's content table."""

from __future__ import annotations

from typing import Any

from spark.dialects.apicurio_v2 import registry as r
from spark.dialects.apicurio_v2.members import Members, scalar, tenant_of
from spark.dialects.apicurio_v2.registry import Content, Registry

ATTRIBUTES = ("tenantId", "contentId", "contentHash", "canonicalHash", "content_size_bytes", "references")


def apply_content(registry: Registry, offset: int, action: str, members: Members) -> None:
    """Content: CREATE is skipped if the hash exists, IMPORT if the id exists; UPDATE only sets the canonical hash."""
    tenant, content_id = tenant_of(members), scalar(members, "contentId")
    content_hash = str(members.get("contentHash"))
    is_full = bool(members.get("has_content"))
    if action == "update":
        registry.rehashed[tenant, content_hash] = members.get("canonicalHash")
    if not is_full:
        registry.null_contents.add(r.content_entity(tenant, content_hash))
        registry.hash_of_id[tenant, content_id] = content_hash
    elif registry.awaited:
        has_come(registry, tenant, content_id, content_hash, offset)
    if action == "update":
        update_canonical_hash(registry, offset, tenant, content_id, content_hash, members)
    elif is_full and action in ("create", "import", "create_or_update"):
        insert_content(registry, offset, action, Content(tenant, content_id, content_hash, offset), members)


def has_come(registry: Registry, tenant: str, content_id: Any, content_hash: str, offset: int) -> None:
    """Tells rejected records at which offset the content stands that they lacked."""
    for name in (content_hash, f"#{content_id}"):
        for rejection in registry.awaited.get(r.content_entity(tenant, name), ()):
            if rejection.available_from_offset is None:
                rejection.available_from_offset = offset


def come_again(registry: Registry, content: Content) -> None:
    """A registry that had removed the content as an orphan would insert it here."""
    content.is_swept = False
    content.unused_since = registry.clean_ups


def content_attributes(members: Members) -> Members:
    return {name: members.get(name) for name in ATTRIBUTES}


def update_canonical_hash(
    registry: Registry, offset: int, tenant: str, content_id: Any, content_hash: str, members: Members
) -> None:
    """Content UPDATE: sets the canonical hash if id and hash match; otherwise the service only logs a warning."""
    content = registry.contents.get((tenant, content_hash))
    name = r.entity_id(tenant, content_id)
    if content is None or content.content_id != content_id:
        reason = (
            "other-tenant" if content is None and foreign(registry, content_id, content_hash) else r.LACKING
        )
        needs = r.content_entity(tenant, content_hash)
        registry.refuse(offset, "content", name, reason, needs, content_id=content_id)
        return
    attributes = registry.history.attributes("content", name)
    attributes["canonicalHash"] = members.get("canonicalHash")
    content.is_rehashed = True
    registry.history.put("content", name, attributes, offset)


def foreign(registry: Registry, content_id: Any, content_hash: str) -> bool:
    """Whether another tenant owns the same content."""
    contents = (registry.contents.get((tenant, content_hash)) for tenant in registry.tenants)
    return any(content is not None and content.content_id == content_id for content in contents)


def insert_content(registry: Registry, offset: int, action: str, content: Content, members: Members) -> None:
    """Inserts under both unique rules. ContentV2 rewrites the row of its id; so does CREATE from 2.5.9 on."""
    same_hash = registry.contents.get((content.tenant, content.content_hash))
    same_id = registry.content_ids.get((content.tenant, content.content_id))
    if same_hash and same_hash is not same_id and same_hash.is_orphan:
        registry.remove_content(
            same_hash, offset
        )  # the service cleaned it up, else it had not written this one
        same_hash = None
    rewrites = action == "create_or_update" or (
        action == "create" and registry.family == "2.5.9" and same_hash is None
    )
    if same_id and rewrites and same_hash in (None, same_id):
        registry.contents.pop((same_id.tenant, same_id.content_hash), None)
        same_id.content_hash = content.content_hash  # versions keep pointing to the row
        same_id.offset, same_id.is_rehashed = offset, False
        registry.add_content(same_id, offset, content_attributes(members))
    elif same_hash or same_id:
        name = r.entity_id(content.tenant, content.content_id)
        is_other = same_id is not None and same_id.content_hash != content.content_hash
        needs = r.content_entity(content.tenant, content.content_hash)
        registry.refuse(offset, "content", name, r.ID_TAKEN if is_other else r.ALREADY_EXISTS, needs)
        if same_hash is same_id and same_id is not None:
            come_again(registry, same_id)
    else:
        rehash = registry.rehashed.get((content.tenant, content.content_hash))
        content.is_rehashed = rehash is not None and rehash == members.get("canonicalHash")
        registry.add_content(content, offset, content_attributes(members))
