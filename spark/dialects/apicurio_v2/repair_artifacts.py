"""Artifacts that a lost content takes along: their records in the order in which they must stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from spark.detectors import quoted
from spark.dialects.apicurio_v2 import registry as r
from spark.dialects.apicurio_v2.members import tenant_of
from spark.repair import Added
from spark.repair.journal import Entry, Journal

LACKING = ("content-missing", "content-later", "content-null", "artifact-missing")
BROKEN = f"""
    SELECT DISTINCT entity_id FROM refusals
    WHERE {{here}} AND is_own AND view IN ('log', 'full') AND entity_type = 'version' AND reason IN {LACKING}
    ORDER BY entity_id
"""
# Which artifact an entry belongs to; ids may hold slashes, types of rules and numbers of versions do not.
ARTIFACT = """CASE
    WHEN entry_type IN ('Artifact', 'ArtifactOwner') THEN entity_id
    WHEN entry_type IN ('ArtifactRule', 'ArtifactVersion') THEN regexp_replace(entity_id, '/[^/]*$', '')
    WHEN entry_type = 'Comment' THEN regexp_replace(entity_id, '/[^/]*/[^/]*$', '')
END"""
MAKES_VERSION = ("create", "update", "import")
CREATE = {int: 1, str: "CREATE"}


@dataclass(frozen=True)
class VersionRecord:
    """A record that makes a version. `offset`: of its first copy in the journal; None: only an older dump has it."""

    uuid: str
    label: str
    need: str
    offset: int | None
    record: Added


@dataclass
class BrokenArtifact:
    """An artifact that cannot be read now, or not once compaction is done."""

    label: str
    versions: list[VersionRecord] = field(default_factory=list)
    attached: list[Added] = field(default_factory=list)
    nulls: list[int] = field(default_factory=list)

    @property
    def labels(self) -> list[str]:
        """Its versions, as pages name them."""
        return [version.label for version in self.versions]

    @property
    def needs(self) -> list[str]:
        """The contents of its versions, each once."""
        return list(dict.fromkeys(version.need for version in self.versions))

    def labels_with(self, need: str) -> list[str]:
        """Its versions with this content."""
        return [version.label for version in self.versions if version.need == need]

    def first_use(self, need: str) -> int:
        """Offset of the first record that needs a content."""
        offsets = [
            version.offset for version in self.versions if version.need == need and version.offset is not None
        ]
        return min(offsets, default=1 << 62)

    def records(self) -> Iterator[Added]:
        """Every record of the artifact, to be written again in this order."""
        yield from (version.record for version in self.versions)
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


def broken_artifacts(journal: Journal, older: Sequence[Journal]) -> list[BrokenArtifact]:
    """The artifacts to mend, by name."""
    labels = dict.fromkeys(row["entity_id"].rpartition("/")[0] for row in journal.rows(BROKEN))
    found = [artifact_of(label, journal, older) for label in labels]
    return [artifact for artifact in found if artifact.versions]


def artifact_of(label: str, journal: Journal, older: Sequence[Journal]) -> BrokenArtifact:
    """One artifact with all that belongs to it."""
    ours = entries_of(label, journal)
    deleted = deleted_versions(ours)
    names: dict[str, str] = {}
    for held in (*older, journal):
        names |= {uuid: name for uuid, name in versions_held(label, held).items() if name not in deleted}
    names |= refused_versions(label, journal, ours)
    artifact = BrokenArtifact(label)
    artifact.versions = version_records(
        names, [*((one, entries_of(label, one)) for one in older), (journal, ours)]
    )
    artifact.attached = attached_records(ours, journal)
    artifact.nulls = [
        e.offset for e in ours if e.type == "Artifact" and e.action == "tombstone" and uuid_of(e) in names
    ]
    return artifact


def entries_of(label: str, journal: Journal) -> list[Entry]:
    """Every entry of an artifact."""
    return list(journal.entries(f"{ARTIFACT} = {quoted(label)}"))


def deleted_versions(entries: Sequence[Entry]) -> set[str]:
    """Versions whose last ArtifactVersion record deletes them."""
    last = {entry.id: entry.action for entry in entries if entry.type == "ArtifactVersion"}
    return {name for name, action in last.items() if action in ("delete", "tombstone")}


def versions_held(label: str, journal: Journal) -> dict[str, str]:
    """By the uuid of their record the versions that the registry holds at the end of a journal."""
    asked = f"""
        SELECT entity_id, attributes->>'uuid' AS uuid FROM state
        WHERE {{here}} AND is_own AND view = 'log' AND valid_to_offset IS NULL AND entity_type = 'version'
            AND regexp_replace(entity_id, '/[^/]*$', '') = {quoted(label)} AND uuid IS NOT NULL
        ORDER BY valid_from_offset
    """
    return {row["uuid"]: row["entity_id"] for row in journal.rows(asked)}


def refused_versions(label: str, journal: Journal, entries: Sequence[Entry]) -> dict[str, str]:
    """By the uuid of their record the versions that the registry would hold if it could read them."""
    asked = f"""
        SELECT "offset", entity_id FROM refusals
        WHERE {{here}} AND is_own AND view = 'log' AND entity_type = 'version' AND reason IN {LACKING}
            AND regexp_replace(entity_id, '/[^/]*$', '') = {quoted(label)}
    """
    uuids = {entry.offset: uuid_of(entry) for entry in entries if entry.type == "Artifact"}
    return {uuids[row["offset"]]: row["entity_id"] for row in journal.rows(asked) if row["offset"] in uuids}


def version_records(
    names: dict[str, str], sides: Sequence[tuple[Journal, list[Entry]]]
) -> list[VersionRecord]:
    """The records of these versions, those of older dumps first; the journal itself is the last side."""
    found: dict[str, VersionRecord] = {}
    for number, (journal, entries) in enumerate(sides):
        makers = [
            e for e in entries if e.type == "Artifact" and e.action in MAKES_VERSION and uuid_of(e) in names
        ]
        records = journal.records(entry.offset for entry in makers)
        is_own = number == len(sides) - 1
        for entry in makers:
            uuid = uuid_of(entry)
            if uuid in found and (not is_own or found[uuid].offset is not None):
                continue
            name = names[uuid]
            record = records[entry.offset].added(
                f"version {name}", f"offset {entry.offset} of {journal.name}"
            )
            offset = entry.offset if is_own else None
            found[uuid] = VersionRecord(uuid, name, need_of(entry, journal), offset, record)
    return list(found.values())


def need_of(entry: Entry, journal: Journal) -> str:
    """The content that a version needs, as refusals name it; an import names it by id alone."""
    content_hash = entry.members.get("contentHash")
    if not content_hash:
        wanted = quoted(str(entry.members.get("contentId")))
        asked = f"entry_type IN ('Content', 'ContentV2') AND (attributes->>'contentId') = {wanted}"
        known = [e.members["contentHash"] for e in journal.entries(asked) if e.members.get("contentHash")]
        content_hash = known[-1] if known else f"#{entry.members.get('contentId')}"
    return r.content_entity(tenant_of(entry.members), content_hash)


def attached_records(entries: Sequence[Entry], journal: Journal) -> list[Added]:
    """What follows for the artifact: the last record of each key, unless it takes something away."""
    last: dict[tuple[str, str, Any], Entry] = {}
    for entry in entries:
        if entry.type != "Artifact":
            last[entry.type, entry.id, entry.members.get("uuid")] = entry
    kept = sorted(
        (e for e in last.values() if e.action not in ("delete", "tombstone", "")), key=lambda e: e.offset
    )
    records = journal.records(entry.offset for entry in kept)
    found = []
    for entry in kept:
        record = records[entry.offset].added(
            f"{entry.type} {entry.id}", f"offset {entry.offset} of {journal.name}"
        )
        found.append(
            as_create(record) if entry.type == "ArtifactRule" and entry.action == "update" else record
        )
    return found


def as_create(record: Added) -> Added:
    """A rule's UPDATE as CREATE: its CREATE has the same key, and without it the registry drops the UPDATE."""
    value = record.value or b""
    members = orjson.loads(value[1:])
    members["action"] = CREATE.get(type(members.get("action")), 1)
    text = value[:1] + orjson.dumps(members)
    return Added(
        record.key, text, record.headers, record.timestamp_ms, record.what, f"{record.source}, as CREATE"
    )


def uuid_of(entry: Entry) -> str:
    """What tells records of one artifact apart."""
    return str(entry.members.get("uuid"))
