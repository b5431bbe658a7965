"""The records that make an artifact's versions, of the journal and of older dumps, in the order in which they were made."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from spark.dialects.apicurio_v2 import registry as r
from spark.dialects.apicurio_v2.members import group_of, tenant_of
from spark.dialects.apicurio_v2.message_types import CREATE
from spark.repair import Added
from spark.repair.journal import JournalEntry, PartitionJournal
from spark.tables.replica import IN_REPLICA

# Which artifact an entry belongs to; ids may hold slashes, types of rules and numbers of versions do not.
ARTIFACT = """CASE
    WHEN entry_type IN ('Artifact', 'ArtifactOwner') THEN entity_id
    WHEN entry_type IN ('ArtifactRule', 'ArtifactVersion') THEN regexp_replace(entity_id, '/[^/]*$', '')
    WHEN entry_type = 'Comment' THEN regexp_replace(entity_id, '/[^/]*/[^/]*$', '')
END"""
MAKES_VERSION = ("create", "update", "import")
CREATES = {int: CREATE, str: "CREATE"}
LACKING = ("content-missing", "content-later", "content-null", "artifact-missing")
VERSIONS_HELD = f"""
    SELECT entity_id, attributes->>'uuid' AS uuid, CAST(attributes->'globalId' AS VARCHAR) AS global_id FROM state_history
    WHERE {IN_REPLICA} AND entity_type = 'version' AND regexp_replace(entity_id, '/[^/]*$', '') = $label AND uuid IS NOT NULL
    ORDER BY valid_from_offset
"""
VERSIONS_REFUSED = f"""
    SELECT "offset", entity_id FROM live_refusals
    WHERE {IN_REPLICA} AND entity_type = 'version' AND reason IN {LACKING}
        AND regexp_replace(entity_id, '/[^/]*$', '') = $label
"""


@dataclass(frozen=True)
class VersionRecord:
    """A record that makes a version. `offset`: of its first copy in the journal; None: only an older dump has it.
    `is_deleted`: a later record deletes the version, but the numbers of those after it depend on it."""

    uuid: str
    label: str
    need: str
    offset: int | None
    action: str
    record: Added
    is_deleted: bool = False
    is_replaced: bool = False  # with another content
    drawn_id: Any = None  # the global id that an import drew, which names none

    @property
    def global_id(self) -> Any:
        """The id that clients know it by."""
        return self.members.get("globalId") if self.drawn_id is None else self.drawn_id

    @property
    def members(self) -> dict[str, Any]:
        return dict(orjson.loads((self.record.value or b"")[1:]))

    def appended(self) -> Added:
        """To be written again. A CREATE keeps its key, so that its first copy goes, and so does an IMPORT that names its
        global id. An UPDATE gets a key of its own: the null record that the registry writes under the key of a first
        copy that fails must not take this one along. So does an IMPORT that draws its global id: its first copy must
        stay, or those after it draw other ones."""
        is_drawn = self.action == "import" and self.drawn_id is not None
        if self.action in ("create", "import") and not is_drawn:
            return self.record
        key = orjson.loads(self.record.key[1:]) | {"uuid": str(uuid.uuid4())}
        value = (self.record.value or b"")[:1] + orjson.dumps(self.members | {"globalId": self.global_id})
        return replace(
            self.record,
            key=self.record.key[:1] + orjson.dumps(key),
            value=value if is_drawn else self.record.value,
        )

    def numbered(self, is_first: bool) -> VersionRecord:
        """The version with its number in its record, where versions before it are left out; the first one as CREATE."""
        members = self.members | {"version": self.label.rpartition("/")[2]}
        action = self.action
        if is_first and action == "update":
            action = "create"
            members["action"] = CREATES.get(type(members.get("action")), CREATE)
        value = (self.record.value or b"")[:1] + orjson.dumps(members)
        return replace(self, action=action, record=replace(self.record, value=value), is_replaced=True)

    def with_content(self, content_hash: str) -> VersionRecord:
        """A version that will be deleted at once, with another content: its own is lost and nobody misses it."""
        value = (self.record.value or b"")[:1] + orjson.dumps(self.members | {"contentHash": content_hash})
        need = f"{self.need.rpartition('/')[0]}/{content_hash}"
        return replace(self, need=need, record=replace(self.record, value=value), is_replaced=True)


def entries_of(label: str, journal: PartitionJournal) -> list[JournalEntry]:
    return list(journal.entries(f"{ARTIFACT} = $label", label=label))


def since(journal: PartitionJournal, entries: Sequence[JournalEntry]) -> int:
    """Offset of the last record that deleted the artifact, itself or with its group; what is before it is over. An unfinished
    repair deletes nothing for good."""
    ignored = journal.unfinished.deletes
    deletes = (entry for entry in entries if entry.type == "Artifact" and entry.action == "delete")
    over = [entry.offset for entry in deletes if entry.offset not in ignored]
    if entries:
        members = entries[0].members
        group = r.entity_id(tenant_of(members), group_of(members))
        condition = "entry_type = 'Group' AND entry_action = 'delete' AND entity_id = $group"
        over += [entry.offset for entry in journal.entries(condition, group=group)]
    return max(over, default=-1)


def deleted_versions(entries: Sequence[JournalEntry]) -> set[str]:
    """Versions whose last ArtifactVersion record deletes them."""
    last = {entry.id: entry.action for entry in entries if entry.type == "ArtifactVersion"}
    return {name for name, action in last.items() if action in ("delete", "tombstone")}


def versions_held(label: str, journal: PartitionJournal) -> dict[str, tuple[str, Any]]:
    """By the uuid of their record the versions that the registry held once, or does, with their global ids."""
    return {
        row["uuid"]: (row["entity_id"], orjson.loads(row["global_id"] or "null"))
        for row in journal.rows(VERSIONS_HELD, label=label)
    }


def refused_versions(
    label: str, journal: PartitionJournal, entries: Sequence[JournalEntry]
) -> dict[str, str]:
    """By the uuid of their record the versions that the registry would hold if it could read them."""
    uuids = {entry.offset: uuid_of(entry) for entry in entries if entry.type == "Artifact"}
    rows = journal.rows(VERSIONS_REFUSED, label=label)
    return {uuids[row["offset"]]: row["entity_id"] for row in rows if row["offset"] in uuids}


def lost_before_recreation(
    label: str, journal: PartitionJournal, entries: Sequence[JournalEntry]
) -> tuple[int, list[str]]:
    """The offset at which an artifact was created under the name of one that the registry had lost, and the versions of the
    lost one; (0, []) where it was not. The registry accepts such a CREATE only while it has no artifact of that name."""
    accepted = versions_held(label, journal).keys()
    lost = refused_versions(label, journal, entries)
    records = [entry for entry in entries if entry.type == "Artifact"]
    gone = {e.offset: lost[uuid_of(e)] for e in records if uuid_of(e) in lost.keys() - accepted}
    first = min(gone, default=0)
    creates = [
        e.offset for e in records if e.action == "create" and uuid_of(e) in accepted and e.offset > first
    ]
    created = max(creates, default=0) if gone else 0
    return created, list(dict.fromkeys(name for offset, name in gone.items() if offset < created))


def version_records(
    names: dict[str, str],
    deleted: Collection[str],
    sides: Sequence[tuple[PartitionJournal, list[JournalEntry]]],
    born: int,
) -> list[VersionRecord]:
    """The records of these versions; the journal itself is the last side, and its copies count."""
    versions: dict[str, VersionRecord] = {}
    for number, (journal, entries) in enumerate(sides):
        makers = [
            e
            for e in entries
            if e.type == "Artifact" and e.action in MAKES_VERSION and uuid_of(e) in names and e.offset > born
        ]
        records = journal.records(entry.offset for entry in makers)
        is_own = number == len(sides) - 1
        for entry in makers:
            name = uuid_of(entry)
            if name in versions and (not is_own or versions[name].offset is not None):
                continue
            label = names[name]
            record = records[entry.offset].added(f"version {label}")
            offset = entry.offset if is_own else None
            versions[name] = VersionRecord(
                name, label, need_of(entry, journal), offset, entry.action, record, label in deleted
            )
    again_from = written_again_from(*sides[-1])
    firsts_last = sorted(
        versions.values(), key=lambda version: version.offset is None or version.offset < again_from
    )
    return in_order(without_copies(firsts_last))


def written_again_from(journal: PartitionJournal, entries: Sequence[JournalEntry]) -> int:
    """The first offset from which an unfinished repair may have written records of the artifact again."""
    own = (entry.offset for entry in entries if entry.offset in journal.unfinished.offsets)
    return min(own, default=journal.end_offset())


def without_copies(versions: Collection[VersionRecord]) -> list[VersionRecord]:
    """Of several records with one global id (an earlier repair wrote it again under another key) the last; that of an
    unfinished repair stands first."""
    by_id = {(version.label, str(version.global_id)): version for version in versions}
    return list(by_id.values())


def in_order(versions: list[VersionRecord]) -> list[VersionRecord]:
    """As they were made: global ids are drawn in turn. Imported ones stay as they stand."""
    if all(isinstance(version.global_id, int) and version.action != "import" for version in versions):
        return sorted(versions, key=lambda version: version.global_id)
    return versions


def need_of(entry: JournalEntry, journal: PartitionJournal) -> str:
    """The content that a version needs, as refusals name it; an import names it by id alone."""
    content_hash = entry.members.get("contentHash")
    if not content_hash:
        content_id = str(entry.members.get("contentId"))
        condition = "entry_type IN ('Content', 'ContentV2') AND (attributes->>'contentId') = $content_id"
        contents = journal.entries(condition, content_id=content_id)
        hashes = [
            content.members["contentHash"] for content in contents if content.members.get("contentHash")
        ]
        content_hash = hashes[-1] if hashes else f"#{content_id}"
    return r.content_entity(tenant_of(entry.members), content_hash)


def uuid_of(entry: JournalEntry) -> str:
    """What tells records of one artifact apart."""
    return str(entry.members.get("uuid"))
