"""Replay: entries -> state and rejections, as when the registry starts (2.5.8; releases.py: how other versions differ).

One function per entry type in APPLY. A record that the service rejects has one of these reasons:

    content-missing | content-later | content-null   an artifact record whose contentHash is in no earlier record:
                                                     in none at all, in a later one, in records without content only
    artifact-missing, version-missing, group-missing it changes something that does not exist
    rule-missing, role-missing, comment-missing      the same
    already-exists, repeated                         the entity exists; in the second case by an equal record
    has-comments                                     it deletes an artifact with a comment, or a group with one
    id-taken                                         its globalId or contentId belongs to something else
    other-tenant                                     a Content UPDATE for a content that another tenant owns
    deleted-later, repeated-later                    it lacked its content, but a later record made that irrelevant

Source: KafkaSqlSink.java, AbstractSqlRegistryStorage.java and h2.ddl, tag 2.5.8.Final; checked against real starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import orjson
import pyarrow as pa

from spark.dialects._bulk import has_many
from spark.dialects._history import History, entry_values
from spark.dialects.apicurio_v2 import registry as r
from spark.dialects.apicurio_v2.artifacts import apply_artifact, apply_version
from spark.dialects.apicurio_v2.attached import apply_artifact_rule, apply_comment, apply_owner, unseen_rules
from spark.dialects.apicurio_v2.bulk import PlainArtifacts, bulk
from spark.dialects.apicurio_v2.contents import apply_content, foreign
from spark.dialects.apicurio_v2.groups import apply_global_action, apply_group
from spark.dialects.apicurio_v2.members import Members, artifact_key, tenant_of
from spark.dialects.apicurio_v2.message_types import SINGLE_TENANT
from spark.dialects.apicurio_v2.registry import Registry, RejectedEntry
from spark.dialects.apicurio_v2.sequences import SEQUENCES
from spark.dialects.apicurio_v2.settings import (
    apply_global_rule,
    apply_log_config,
    apply_property,
    apply_role,
)

Apply = Callable[[Registry, int, str, Members], None]
APPLY: dict[str | None, Apply] = {
    "GlobalRule": apply_global_rule,
    "Content": apply_content,
    "ContentV2": apply_content,
    "Artifact": apply_artifact,
    "ArtifactRule": apply_artifact_rule,
    "ArtifactVersion": apply_version,
    "ArtifactOwner": apply_owner,
    "Group": apply_group,
    "LogConfig": apply_log_config,
    "RoleMapping": apply_role,
    "ConfigProperty": apply_property,
    "GlobalAction": apply_global_action,
    "Comment": apply_comment,
}
ONE_TENANT = '{"tenantId":"_"'  # how the attributes of most records begin
TELLING = ("ContentV2", "Upgrader", "Bootstrap")
DELETIONS = (None, "tombstone", "restart")  # actions of records that cleaning takes away in the end
SPELLED = ("2.0", "2.1")
COMMITTED = "upgrade_commit_and_unlock"
MAX_DIGITS = 19  # of a 64-bit number


def replay(entries: Iterable[pa.Table], history: History) -> None:
    read_by(Registry(history), entries)


def replay_profiles(entries: Iterable[pa.Table], histories: Sequence[History]) -> None:
    """Replays many entries in bulk; there is but one profile."""
    (history,) = histories
    whole = bulk(entries) if has_many(entries) else None
    if whole is None:
        replay(entries, history)
    else:
        replay_bulk(entries, history, whole)


def replay_bulk(entries: Iterable[pa.Table], history: History, whole: PlainArtifacts) -> None:
    """Bulk first; the reader takes the remaining entries."""
    registry = Registry(history)
    registry.elsewhere = whole.elsewhere
    read_by(registry, whole.rest(entries, [history]))


def read_by(registry: Registry, entries: Iterable[pa.Table]) -> None:
    """The reader takes all entries."""
    history = registry.history
    read_all(registry, entries)
    history.heeds_deletions = registry.heeds_deletions
    history.nulled = registry.failed
    settle(registry)
    unseen_rules(registry)
    note_sequences(registry)


def read_all(registry: Registry, entries: Iterable[pa.Table]) -> None:
    for entry in entry_values(entries, "offset", "entry_type", "entry_action", "attributes"):
        apply_entry(registry, *entry)


def apply_entry(
    registry: Registry, offset: int, entry_type: str | None, action: str | None, attributes: str | None
) -> None:
    """Applies one entry. Sequence draws and null values are not parsed: there are many of them."""
    if entry_type in TELLING:
        family = registry.family
        registry.learn_family(entry_type, None, offset)
        if action in DELETIONS and registry.family != family:
            registry.heeds_deletions = True
    if not action or not attributes:
        return
    if entry_type in SEQUENCES:
        apply_sequence(registry, offset, SEQUENCES[entry_type], action, attributes)
        return
    if entry_type == "Upgrader":
        registry.topic_version = max(registry.topic_version, committed_version(action, attributes))
        registry.upgrader_at = offset if registry.upgrader_at is None else registry.upgrader_at
        return
    apply = APPLY.get(entry_type)
    if apply is None or (action == "tombstone" and entry_type != "Artifact"):
        return
    members = orjson.loads(attributes)
    if action in DELETIONS and may_matter(registry, action, members):
        registry.heeds_deletions = True
    spelled = members.get("action")
    if isinstance(spelled, str) or registry.family in SPELLED:
        registry.learn_family(entry_type, spelled, offset)
    apply(registry, offset, action, members)


def committed_version(action: str, attributes: str) -> int:
    """The topic version that a finished upgrade names; 0 for any other Upgrader record."""
    if action != COMMITTED:
        return 0
    version = orjson.loads(attributes).get("version")
    return version if isinstance(version, int) else 0


def may_matter(registry: Registry, action: str, members: Members) -> bool:
    """Whether a deletion can have an effect: null under an artifact's key only after rejected records of it."""
    return action == "restart" or "action" in members or artifact_key(members) in registry.dropped


def apply_sequence(registry: Registry, offset: int, sequence: str, action: str, attributes: str) -> None:
    """GlobalId, ContentId, CommentId: CREATE draws the next id, RESET raises the sequence to the highest id in use."""
    tenant = "_" if attributes.startswith(ONE_TENANT) else tenant_of(orjson.loads(attributes))
    if action == "create":
        registry.sequences.draw(sequence, tenant, offset)
    elif action == "reset":
        registry.sequences.reset(sequence, tenant, highest_ids(registry, sequence).get(tenant, 0), offset)


def highest_ids(registry: Registry, sequence: str) -> dict[str, int]:
    """The highest id in the table by tenant."""
    table: dict[str, Iterable[tuple[str, Any]]] = {
        "globalId": registry.global_ids,
        "contentId": registry.content_ids,
        "commentId": registry.comments,
    }
    highest: dict[str, int] = {}
    for tenant, drawn in table[sequence]:
        number = int(drawn) if isinstance(drawn, str) and is_number(drawn) else drawn
        if isinstance(number, int) and number > highest.get(tenant, 0):
            highest[tenant] = number
    return highest


def is_number(text: str) -> bool:
    """Whether a text is a decimal id that fits 64 bits."""
    return text.isascii() and text.isdigit() and len(text) < MAX_DIGITS


def note_sequences(registry: Registry) -> None:
    """Writes an entity of type `sequence` for each sequence: its last number and the highest id in use at the end."""
    sequences, elsewhere = registry.sequences, registry.elsewhere
    for sequence, (count, last_offset) in (elsewhere.draws if elsewhere else {}).items():
        sequences.draw_more(sequence, SINGLE_TENANT, count, last_offset)
    tenants = {SINGLE_TENANT} | {tenant for _, tenant in sequences.last} | registry.tenants
    for sequence in SEQUENCES.values():
        highest = highest_ids(registry, sequence)
        if elsewhere and sequence in elsewhere.highest:
            highest[SINGLE_TENANT] = max(highest.get(SINGLE_TENANT, 0), elsewhere.highest[sequence])
        for tenant in sorted(tenants):
            last = sequences.last.get((sequence, tenant), 0)
            if last or highest.get(tenant):
                offset = sequences.last_offset.get((sequence, tenant), 0)
                attributes = {"value": last, "highest": highest.get(tenant, 0)}
                registry.history.put("sequence", r.entity_id(tenant, sequence), attributes, offset)


def settle(registry: Registry) -> None:
    """Sets the exact reason of each rejected record, now that the whole journal is known, and hands them on."""
    for rejection in registry.rejections:
        if rejection.reason == r.LACKING:
            name_content(registry, rejection)
            rejection.reason = settled_reason(registry, rejection)
        registry.history.refuse(
            rejection.offset,
            rejection.entity_type,
            rejection.entity_id,
            rejection.reason,
            rejection.needs,
            rejection.available_from_offset,
        )


def name_content(registry: Registry, rejection: RejectedEntry) -> None:
    """Names the content by its hash if the record gave only its id and another record has both."""
    if not rejection.artifact or "/#" not in (rejection.needs or ""):
        return
    key = rejection.artifact[0], rejection.content_id
    content = registry.content_ids.get(key)
    content_hash = content.content_hash if content else registry.hash_of_id.get(key)
    if content_hash:
        rejection.needs = r.content_entity(key[0], content_hash)


def settled_reason(registry: Registry, rejection: RejectedEntry) -> str:
    """The exact reason of a record that lacked its content."""
    if rejection.entity_type == "content":
        is_foreign = foreign(registry, rejection.content_id, (rejection.needs or "").rpartition("/")[2])
        return "other-tenant" if is_foreign and rejection.available_from_offset is None else r.LACKING
    if rejection.available_from_offset is not None:
        return "content-later"
    return "content-null" if rejection.needs in registry.null_contents else r.LACKING
