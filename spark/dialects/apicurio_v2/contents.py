"""Replay of Content and ContentV2 records: what the registry's content table becomes."""

from __future__ import annotations

from spark.dialects.apicurio_v2 import registry as r
from spark.dialects.apicurio_v2.members import Members, scalar, tenant_of
from spark.dialects.apicurio_v2.registry import Content, Registry


def apply_content(registry: Registry, offset: int, action: str, members: Members) -> None:
    """Content: CREATE is skipped when the hash is there, IMPORT when the id is; UPDATE only sets a canonical hash."""
    tenant, content_id = tenant_of(members), scalar(members, "contentId")
    content_hash = str(members.get("contentHash"))
    registry.hash_of_id[tenant, content_id] = content_hash
    if not members.get("has_content"):
        registry.null_contents.add(r.content_entity(tenant, content_hash))
    else:
        registry.full_contents.setdefault(r.content_entity(tenant, content_hash), []).append(offset)
        registry.full_content_ids.add((content_id, content_hash))
    if action == "update":
        update_canonical_hash(registry, offset, members)
    elif action in ("create", "import", "create_or_update") and members.get("has_content"):
        insert_content(
            registry, offset, action, Content(tenant, content_id, content_hash, content_attributes(members))
        )


def content_attributes(members: Members) -> Members:
    """What a page shows of a content."""
    wanted = ("tenantId", "contentId", "contentHash", "canonicalHash", "content_size_bytes", "references")
    return {name: members.get(name) for name in wanted}


def update_canonical_hash(registry: Registry, offset: int, members: Members) -> None:
    """Content UPDATE: sets the canonical hash where id and hash agree; else nothing happens but a warning."""
    tenant, content_hash = tenant_of(members), str(members.get("contentHash"))
    content = registry.contents.get((tenant, content_hash))
    if content is None or content.content_id != scalar(members, "contentId"):
        name = r.entity_id(tenant, scalar(members, "contentId"))
        needs = r.content_entity(tenant, content_hash)
        registry.refuse(offset, "content", name, r.LACKING, needs, content_id=scalar(members, "contentId"))
        return
    content.attributes = {**content.attributes, "canonicalHash": members.get("canonicalHash")}
    registry.note_content(content, offset)


def insert_content(registry: Registry, offset: int, action: str, content: Content) -> None:
    """Insert under both unique rules. ContentV2 rewrites the row of its id."""
    same_hash = registry.contents.get((content.tenant, content.content_hash))
    same_id = registry.content_ids.get((content.tenant, content.content_id))
    if same_hash and same_hash is not same_id and same_hash.is_orphan:
        registry.remove_content(
            same_hash, offset
        )  # the service cleaned it up, else it had not written this one
        same_hash = None
    if same_id and action == "create_or_update" and same_hash in (None, same_id):
        content.users, content.was_used = same_id.users, same_id.was_used
        registry.contents.pop((same_id.tenant, same_id.content_hash), None)
        rewrite_content(registry, offset, same_id, content)
    elif same_hash or same_id:
        name = r.entity_id(content.tenant, content.content_id)
        registry.refuse(
            offset, "content", name, r.ALREADY_EXISTS, r.content_entity(content.tenant, content.content_hash)
        )
    else:
        registry.add_content(content, offset)


def rewrite_content(registry: Registry, offset: int, held: Content, content: Content) -> None:
    """Give a row new hashes; versions keep pointing to it."""
    held.content_hash, held.attributes = content.content_hash, content.attributes
    registry.add_content(held, offset)
