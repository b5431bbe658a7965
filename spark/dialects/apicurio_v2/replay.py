"""Replay: entries -> state and refusals, the way the registry starts up (2.5.8; later versions differ in ContentV2).

One function per entry type in APPLY. A record that the service drops becomes a refusal with its reason:

    content-missing | content-later | content-null   an artifact record whose contentHash no record before it holds:
                                                     none in the journal, one only later, only records without content
    artifact-missing, version-missing, group-missing it changes something that is not there
    already-exists, repeated                         the place is taken; by the very same record in the second case
    other-tenant                                     a Content UPDATE for a content that another tenant owns
    deleted-later, repeated-later                    it lacked its content, but a later record made that irrelevant

Source: KafkaSqlSink.java, AbstractSqlRegistryStorage.java and h2.ddl, tag 2.5.8.Final; checked against real starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import orjson
import pyarrow as pa

from spark.dialects._history import History
from spark.dialects.apicurio_v2 import registry as r
from spark.dialects.apicurio_v2.artifacts import apply_artifact, apply_version
from spark.dialects.apicurio_v2.contents import apply_content
from spark.dialects.apicurio_v2.members import Members, tenant_of
from spark.dialects.apicurio_v2.registry import Refusal, Registry


def replay(entries: Iterable[pa.Table], history: History) -> None:
    """What one partition's entries make of the registry."""
    registry = Registry(history)
    for portion in entries:
        columns = (
            portion.column(name).to_pylist()
            for name in ("offset", "entry_type", "entry_action", "attributes")
        )
        for offset, entry_type, action, attributes in zip(*columns, strict=True):
            apply = APPLY.get(entry_type)
            if apply and action and attributes:
                apply(registry, offset, action, orjson.loads(attributes))
    settle(registry)
    for refusal in registry.refusals:
        history.refuse(
            refusal.offset, refusal.entity_type, refusal.entity_id, refusal.reason, refusal.needs,
            refusal.available_from_offset,
        )  # fmt: skip


def apply_group(registry: Registry, offset: int, action: str, members: Members) -> None:
    """Group: DELETE takes its artifacts; of a group that is not there it fails and takes nothing."""
    tenant, group = tenant_of(members), str(members.get("groupId"))
    name = r.entity_id(tenant, group)
    exists = (tenant, group) in registry.groups
    if action in ("create", "import"):
        if exists:
            registry.refuse(offset, "group", name, r.ALREADY_EXISTS)
            return
        registry.groups[tenant, group] = members
        registry.history.put(
            "group",
            name,
            {"createdOn": members.get("createdOn"), "description": members.get("description")},
            offset,
        )
    elif action == "delete" and (exists or members.get("onlyArtifacts")):
        delete_group(registry, offset, (tenant, group), name, bool(members.get("onlyArtifacts")))
    elif action in ("update", "delete") and not exists:
        registry.refuse(offset, "group", name, "group-missing")


def delete_group(
    registry: Registry, offset: int, group: tuple[str, str], name: str, only_artifacts: bool
) -> None:
    """Delete a group's artifacts, refused ones included, and the group itself unless only they are meant."""
    for key in registry.by_group.pop(group, set()):
        registry.remove_artifact(key, offset)
    if not only_artifacts:
        registry.groups.pop(group, None)
        registry.history.end("group", name, offset)


def apply_global_action(registry: Registry, offset: int, action: str, members: Members) -> None:
    """DELETE_ALL_USER_DATA: nothing of the tenant is left."""
    tenant = tenant_of(members)
    if action != "delete_all_user_data":
        return
    for group in {
        key[:2] for key in [*registry.artifacts, *registry.dropped, *registry.groups] if key[0] == tenant
    }:
        delete_group(registry, offset, (group[0], group[1]), r.entity_id(*group), False)
    for content in [content for content in registry.contents.values() if content.tenant == tenant]:
        registry.remove_content(content, offset)


def apply_global_id(registry: Registry, offset: int, action: str, members: Members) -> None:
    """GlobalId: CREATE draws the next id, RESET lifts the sequence to the highest id in use."""
    tenant = tenant_of(members)
    if action == "create":
        registry.next_global_id(tenant)
    elif action == "reset":
        used = (key[1] for key in registry.global_ids if key[0] == tenant and isinstance(key[1], int))
        registry.last_global_id[tenant] = max([registry.last_global_id.get(tenant, 0), *used])


Apply = Callable[[Registry, int, str, Members], None]
APPLY: dict[str | None, Apply] = {
    "Content": apply_content,
    "ContentV2": apply_content,
    "Artifact": apply_artifact,
    "ArtifactVersion": apply_version,
    "Group": apply_group,
    "GlobalId": apply_global_id,
    "GlobalAction": apply_global_action,
}


def settle(registry: Registry) -> None:
    """Say precisely what each refused record lacked, now that the whole journal is known."""
    for refusal in registry.refusals:
        if refusal.reason != r.LACKING:
            continue
        if refusal.artifact and refusal.needs and "/#" in refusal.needs:
            content_hash = registry.hash_of_id.get((refusal.artifact[0], refusal.content_id))
            refusal.needs = (
                r.content_entity(refusal.artifact[0], content_hash) if content_hash else refusal.needs
            )
        refusal.available_from_offset = full_content_after(registry, refusal)
        refusal.reason = settled_reason(registry, refusal)


def full_content_after(registry: Registry, refusal: Refusal) -> int | None:
    """Offset of the first record after the refused one that holds the content."""
    offsets = registry.full_contents.get(refusal.needs or "", [])
    return next((offset for offset in offsets if offset > refusal.offset), None)


def settled_reason(registry: Registry, refusal: Refusal) -> str:
    """The reason of a record that lacked its content, in its precise form."""
    needs = refusal.needs or ""
    if refusal.entity_type == "content":
        held = (refusal.content_id, needs.rpartition("/")[2]) in registry.full_content_ids
        return "other-tenant" if held and needs not in registry.full_contents else r.LACKING
    if refusal.available_from_offset is not None:
        return "content-later"
    return "content-null" if needs in registry.null_contents else r.LACKING
