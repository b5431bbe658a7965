"""Artifacts that a loss takes along, or took: their records in the order in which they must stand."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from spark.detectors import quoted
from spark.dialects.apicurio_v2 import registry as r
from spark.dialects.apicurio_v2.artifacts import IMPORTED_ID
from spark.dialects.apicurio_v2.members import group_of, tenant_of
from spark.repair import Added
from spark.repair.journal import Entry, Journal

ARTIFACT_TYPE = 3  # of a key
# Which artifact an entry belongs to; ids may hold slashes, types of rules and numbers of versions do not.
ARTIFACT = """CASE
    WHEN entry_type IN ('Artifact', 'ArtifactOwner') THEN entity_id
    WHEN entry_type IN ('ArtifactRule', 'ArtifactVersion') THEN regexp_replace(entity_id, '/[^/]*$', '')
    WHEN entry_type = 'Comment' THEN regexp_replace(entity_id, '/[^/]*/[^/]*$', '')
END"""
MAKES_VERSION = ("create", "update", "import")
TAKES_AWAY = ("delete", "tombstone", "")
CREATE = {int: 1, str: "CREATE"}
DELETE = 3


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
        """The members of its value."""
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

    def with_content(self, content_hash: str) -> VersionRecord:
        """A version that will be deleted at once, with another content: its own is lost and nobody misses it."""
        value = (self.record.value or b"")[:1] + orjson.dumps(self.members | {"contentHash": content_hash})
        need = f"{self.need.rpartition('/')[0]}/{content_hash}"
        return replace(self, need=need, record=replace(self.record, value=value), is_replaced=True)


@dataclass
class BrokenArtifact:
    """An artifact that cannot be read now, or not once compaction is done.

    versions    in the order in which they were made, deleted ones among them
    deletions   of versions, each with how many versions were made before it
    attached    what follows for the artifact: state, meta-data, rules, owner, comments
    nulls       offsets of null records under the keys of wanted versions
    copies      offsets of records that stand for one of the versions once more
    belongings  its rules and comments that nothing deletes, by type and name
    """

    label: str
    is_held: bool = False
    versions: list[VersionRecord] = field(default_factory=list)
    deletions: list[tuple[int, Added]] = field(default_factory=list)
    attached: list[Added] = field(default_factory=list)
    nulls: list[int] = field(default_factory=list)
    copies: set[int] = field(default_factory=set)
    belongings: list[tuple[str, str]] = field(default_factory=list)

    @property
    def begins(self) -> bool:
        """Whether its first version is here: later ones need it."""
        return self.versions[0].action in ("create", "import")

    @property
    def wanted(self) -> list[VersionRecord]:
        """Versions that nobody deleted."""
        return [version for version in self.versions if not version.is_deleted]

    @property
    def labels(self) -> list[str]:
        """Its versions, as pages name them."""
        return [version.label for version in self.wanted]

    @property
    def needs(self) -> list[str]:
        """The contents of its versions, each once."""
        return list(dict.fromkeys(version.need for version in self.versions))

    def labels_with(self, need: str) -> list[str]:
        """Its versions with this content."""
        return [version.label for version in self.wanted if version.need == need]

    def offsets_with(self, need: str) -> list[int]:
        """Offsets of the records that need a content."""
        return [one.offset for one in self.versions if one.need == need and one.offset is not None]

    def standing_in(self, lacking: Collection[str]) -> None:
        """Give deleted versions whose content is lost another one of the artifact."""
        own = next((one.need for one in self.wanted if one.need not in lacking), None)
        if own is not None:
            self.versions = [
                one.with_content(own.rpartition("/")[2]) if one.is_deleted and one.need in lacking else one
                for one in self.versions
            ]

    def deletion(self) -> Added:
        """The record that deletes it before it is written again."""
        first = self.versions[0].record
        key = orjson.loads(first.key[1:]) | {"uuid": str(uuid.uuid4())}
        return Added(
            bytes([ARTIFACT_TYPE]) + orjson.dumps(key),
            bytes([ARTIFACT_TYPE]) + orjson.dumps({"action": DELETE}),
            first.headers,
            None,
            f"DELETE of artifact {self.label}",
            "made for this repair",
        )

    def records(self) -> Iterator[Added]:
        """Every record of the artifact, to be written again in this order."""
        for number, version in enumerate(self.versions):
            yield version.appended()
            yield from (record for after, record in self.deletions if after == number + 1)
        yield from self.attached

    def strayed(self) -> Iterator[tuple[str, int, Added]]:
        """Records that only an older dump has: "after" or "before" which offset they belong."""
        for number, version in enumerate(self.versions):
            if version.offset is not None:
                continue
            earlier = [one.offset for one in self.versions[:number] if one.offset is not None]
            later = [one.offset for one in self.versions[number:] if one.offset is not None]
            if earlier:
                yield "after", earlier[-1], version.record
            elif later:
                yield "before", later[0], version.record


def artifact_of(label: str, journal: Journal, older: Sequence[Journal], is_held: bool) -> BrokenArtifact:
    """One artifact with all that belongs to it."""
    ours = entries_of(label, journal)
    sides = [*((one, entries_of(label, one)) for one in older), (journal, ours)]
    born = max((since(side, entries) for side, entries in sides), default=-1)
    deleted = {name for _, entries in sides for name in deleted_versions(entries)}
    names: dict[str, str] = {}
    ids: dict[str, Any] = {}
    for side, _ in sides:
        for name, (version, global_id) in versions_held(label, side).items():
            names[name], ids[name] = version, global_id
    names |= refused_versions(label, journal, ours)
    artifact = BrokenArtifact(label, is_held)
    artifact.versions = [
        replace(one, drawn_id=ids.get(one.uuid)) if one.global_id == IMPORTED_ID else one
        for one in version_records(names, deleted, sides, born)
    ]
    artifact.deletions = deletions(artifact.versions, journal, ours)
    artifact.attached = attached_records(ours, journal, is_held)
    artifact.belongings = belongings(ours)
    wanted = {version.uuid for version in artifact.wanted}
    records = [entry for entry in ours if entry.type == "Artifact" and uuid_of(entry) in wanted]
    artifact.nulls = [entry.offset for entry in records if entry.action == "tombstone"]
    makers = {entry.offset for entry in records if entry.action in MAKES_VERSION}
    artifact.copies = makers - {version.offset for version in artifact.versions if version.offset is not None}
    return artifact


def belongings(entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """Rules and comments whose last record does not take them away."""
    last: dict[tuple[str, str], str] = {}
    for entry in entries:
        if entry.type == "ArtifactRule":
            last["artifact-rule", entry.id] = entry.action
        elif entry.type == "Comment":
            name = r.entity_id(tenant_of(entry.members), entry.members.get("commentId"))
            last["comment", name] = entry.action
    return [entity for entity, action in last.items() if action not in TAKES_AWAY]


def entries_of(label: str, journal: Journal) -> list[Entry]:
    """Every entry of an artifact."""
    return list(journal.entries(f"{ARTIFACT} = {quoted(label)}"))


def since(journal: Journal, entries: Sequence[Entry]) -> int:
    """Offset of the last record that deleted the artifact, itself or with its group; what is before it is over."""
    over = [entry.offset for entry in entries if entry.type == "Artifact" and entry.action == "delete"]
    if entries:
        members = entries[0].members
        group = quoted(r.entity_id(tenant_of(members), group_of(members)))
        asked = f"entry_type = 'Group' AND entry_action = 'delete' AND entity_id = {group}"
        over += [entry.offset for entry in journal.entries(asked)]
    return max(over, default=-1)


def deleted_versions(entries: Sequence[Entry]) -> set[str]:
    """Versions whose last ArtifactVersion record deletes them."""
    last = {entry.id: entry.action for entry in entries if entry.type == "ArtifactVersion"}
    return {name for name, action in last.items() if action in ("delete", "tombstone")}


def versions_held(label: str, journal: Journal) -> dict[str, tuple[str, Any]]:
    """By the uuid of their record the versions that the registry held once, or does, with their global ids."""
    asked = f"""
        SELECT entity_id, attributes->>'uuid' AS uuid, CAST(attributes->'globalId' AS VARCHAR) AS global_id FROM state
        WHERE {{here}} AND is_own AND view = 'log' AND entity_type = 'version'
            AND regexp_replace(entity_id, '/[^/]*$', '') = {quoted(label)} AND uuid IS NOT NULL
        ORDER BY valid_from_offset
    """
    return {
        row["uuid"]: (row["entity_id"], orjson.loads(row["global_id"] or "null")) for row in journal.rows(asked)
    }


def refused_versions(label: str, journal: Journal, entries: Sequence[Entry]) -> dict[str, str]:
    """By the uuid of their record the versions that the registry would hold if it could read them."""
    asked = f"""
        SELECT "offset", entity_id FROM refusals
        WHERE {{here}} AND is_own AND view = 'log' AND entity_type = 'version' AND reason IN {LACKING}
            AND regexp_replace(entity_id, '/[^/]*$', '') = {quoted(label)}
    """
    uuids = {entry.offset: uuid_of(entry) for entry in entries if entry.type == "Artifact"}
    return {uuids[row["offset"]]: row["entity_id"] for row in journal.rows(asked) if row["offset"] in uuids}


LACKING = ("content-missing", "content-later", "content-null", "artifact-missing")


def version_records(
    names: dict[str, str],
    deleted: Collection[str],
    sides: Sequence[tuple[Journal, list[Entry]]],
    born: int,
) -> list[VersionRecord]:
    """The records of these versions; the journal itself is the last side, and its copies count."""
    found: dict[str, VersionRecord] = {}
    for number, (journal, entries) in enumerate(sides):
        makers = [
            e
            for e in entries
            if e.type == "Artifact"
            and e.action in MAKES_VERSION
            and uuid_of(e) in names
            and e.offset > born
        ]
        records = journal.records(entry.offset for entry in makers)
        is_own = number == len(sides) - 1
        for entry in makers:
            name = uuid_of(entry)
            if name in found and (not is_own or found[name].offset is not None):
                continue
            label = names[name]
            record = records[entry.offset].added(
                f"version {label}", f"offset {entry.offset} of {journal.name}"
            )
            offset = entry.offset if is_own else None
            found[name] = VersionRecord(
                name, label, need_of(entry, journal), offset, entry.action, record, label in deleted
            )
    return in_order(one_each(found.values()))


def one_each(versions: Collection[VersionRecord]) -> list[VersionRecord]:
    """Of several records with one global id (an earlier repair wrote it again under another key) the last."""
    by_id = {(one.label, str(one.global_id)): one for one in versions}
    return list(by_id.values())


def in_order(versions: list[VersionRecord]) -> list[VersionRecord]:
    """As they were made: global ids are drawn in turn. Imported ones stay as they stand."""
    if all(isinstance(one.global_id, int) and one.action != "import" for one in versions):
        return sorted(versions, key=lambda one: one.global_id)
    return versions


def deletions(
    versions: Sequence[VersionRecord], journal: Journal, entries: Sequence[Entry]
) -> list[tuple[int, Added]]:
    """The records that delete versions, each with how many of the versions stand before it."""
    found = []
    gone = {version.label for version in versions if version.is_deleted}
    deletes = [e for e in entries if e.type == "ArtifactVersion" and e.action == "delete" and e.id in gone]
    records = journal.records(entry.offset for entry in deletes)
    for entry in deletes:
        before = [
            number
            for number, version in enumerate(versions, start=1)
            if version.label == entry.id or (version.offset is not None and version.offset < entry.offset)
        ]
        record = records[entry.offset].added(
            f"DELETE of version {entry.id}", f"offset {entry.offset} of {journal.name}"
        )
        found.append((max(before, default=0), record))
    return found


def need_of(entry: Entry, journal: Journal) -> str:
    """The content that a version needs, as refusals name it; an import names it by id alone."""
    content_hash = entry.members.get("contentHash")
    if not content_hash:
        wanted = quoted(str(entry.members.get("contentId")))
        asked = f"entry_type IN ('Content', 'ContentV2') AND (attributes->>'contentId') = {wanted}"
        known = [e.members["contentHash"] for e in journal.entries(asked) if e.members.get("contentHash")]
        content_hash = known[-1] if known else f"#{entry.members.get('contentId')}"
    return r.content_entity(tenant_of(entry.members), content_hash)


def attached_records(entries: Sequence[Entry], journal: Journal, is_held: bool) -> list[Added]:
    """What follows for the artifact: the last record of each key, unless it takes something away. A rule of an artifact
    that is not there is kept by the registry until the artifact comes, so only a deletion makes it due again."""
    last: dict[tuple[str, str, Any], Entry] = {}
    first: dict[tuple[str, str, Any], str] = {}
    for entry in entries:
        if entry.type != "Artifact":
            key = (entry.type, entry.id, entry.members.get("uuid"))
            last[key] = entry
            first.setdefault(key, entry.action)
    due = [
        entry
        for key, entry in last.items()
        if entry.action not in TAKES_AWAY and (is_held or not (entry.type == "ArtifactRule" and first[key] == "create"))
    ]
    due.sort(key=lambda entry: entry.offset)
    records = journal.records(entry.offset for entry in due)
    return [attached_record(entry, records[entry.offset].added(
        f"{entry.type} {entry.id}", f"offset {entry.offset} of {journal.name}"
    )) for entry in due]


def attached_record(entry: Entry, record: Added) -> Added:
    """A record as it is; a rule's UPDATE as CREATE."""
    return as_create(record) if entry.type == "ArtifactRule" and entry.action == "update" else record


def as_create(record: Added) -> Added:
    """An UPDATE as CREATE: its CREATE has the same key, and without it the registry rejects the UPDATE."""
    value = record.value or b""
    members = orjson.loads(value[1:])
    members["action"] = CREATE.get(type(members.get("action")), 1)
    text = value[:1] + orjson.dumps(members)
    return replace(record, value=text, source=f"{record.source}, as CREATE")


def uuid_of(entry: Entry) -> str:
    """What tells records of one artifact apart."""
    return str(entry.members.get("uuid"))
