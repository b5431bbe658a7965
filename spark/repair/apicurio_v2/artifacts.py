"""Artifacts that a loss takes along, or took: their records in the order in which they must stand."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from spark.dialects.apicurio_v2.artifacts import IMPORTED_ID
from spark.dialects.apicurio_v2.message_types import ARTIFACT, DELETE, message
from spark.repair import Added
from spark.repair.apicurio_v2.attached import MADE_HERE, Side, attached_records, belongings, comment_deletions
from spark.repair.apicurio_v2.versions import (
    MAKES_VERSION,
    VersionRecord,
    deleted_versions,
    entries_of,
    lost_before_recreation,
    refused_versions,
    since,
    uuid_of,
    version_records,
    versions_held,
    written_again_from,
)
from spark.repair.journal import JournalEntry, PartitionJournal

BEFORE, HERE, AFTER = -1, 0, 1
CopyPosition = tuple[int, int]  # an offset of the journal, and on which side of it


@dataclass
class BrokenArtifact:
    """An artifact that cannot be read now, or not once compaction is done.

    versions    in the order in which they were made, deleted ones among them
    deletions   of versions, each with how many versions were made before it
    attached    what follows for the artifact: state, meta-data, rules, owner, comments
    nulls       offsets of null records under the keys of living versions
    copies      offsets of records that stand for one of the versions once more
    belongings  its rules and comments that nothing deletes: type, name, and the version of a comment
    comments    DELETEs of its comments: the registry deletes no artifact that has one
    restored    of the attached records those that only an older dump has
    unfinished  offsets of an unfinished repair's records that delete it or make one of the versions once more
    predecessor where the artifact was created after the registry had lost one of that name, and the versions of that one
    """

    label: str
    is_held: bool = False
    versions: list[VersionRecord] = field(default_factory=list)
    deletions: list[tuple[int, Added]] = field(default_factory=list)
    attached: list[Added] = field(default_factory=list)
    nulls: list[int] = field(default_factory=list)
    copies: set[int] = field(default_factory=set)
    belongings: list[tuple[str, str, str]] = field(default_factory=list)
    unfinished: list[int] = field(default_factory=list)
    restored: list[Added] = field(default_factory=list)
    comments: list[Added] = field(default_factory=list)
    predecessor: tuple[int, list[str]] = (0, [])

    @property
    def begins(self) -> bool:
        """Whether its first version is here: later ones need it."""
        return self.versions[0].action in ("create", "import")

    @property
    def living(self) -> list[VersionRecord]:
        """Versions that nobody deleted."""
        return [version for version in self.versions if not version.is_deleted]

    @property
    def labels(self) -> list[str]:
        """Its versions, as pages name them."""
        return [version.label for version in self.living]

    @property
    def needs(self) -> list[str]:
        """The contents of its versions, each once."""
        return list(dict.fromkeys(version.need for version in self.versions))

    def labels_with(self, need: str) -> list[str]:
        return [version.label for version in self.living if version.need == need]

    def positions_with(self, need: str) -> list[CopyPosition]:
        """Where a copy has the records that need a content."""
        positions = (
            self.position(number) for number, version in enumerate(self.versions) if version.need == need
        )
        return [position for position in positions if position is not None]

    def without(self, lacking: Collection[str]) -> BrokenArtifact:
        """The artifact without the versions whose content is lost; the others keep their numbers."""
        remaining = [version for version in self.versions if version.need not in lacking]
        if len(remaining) == len(self.versions):
            return self
        first = self.versions[0]
        numbered = [
            version.numbered(is_first=number == 0 and version is not first)
            for number, version in enumerate(remaining)
        ]
        gone = {version.label for version in self.versions} - {version.label for version in remaining}
        attached = [
            record for record in self.attached if not any(f" {label}" in record.what for label in gone)
        ]
        return replace(self, versions=numbered, attached=attached)

    def standing_in(self, lacking: Collection[str]) -> None:
        """Give deleted versions whose content is lost another one of the artifact."""
        own = next((version.need for version in self.living if version.need not in lacking), None)
        if own is not None:
            self.versions = [
                version.with_content(own.rpartition("/")[2])
                if version.is_deleted and version.need in lacking
                else version
                for version in self.versions
            ]

    def deletion(self) -> Iterator[Added]:
        """The records that delete it before it is written again."""
        yield from self.comments
        first = self.versions[0].record
        key = orjson.loads(first.key[1:]) | {"uuid": str(uuid.uuid4())}
        yield Added(
            message(ARTIFACT, key),
            message(ARTIFACT, {"action": DELETE}),
            first.headers,
            None,
            f"DELETE of artifact {self.label}",
            MADE_HERE,
        )

    def records(self) -> Iterator[Added]:
        """Every record of the artifact, to be written again in this order."""
        for number, version in enumerate(self.versions):
            yield version.appended()
            yield from (record for after, record in self.deletions if after == number + 1)
        yield from self.attached

    def position(self, number: int) -> CopyPosition | None:
        """Where a copy has a version: at its own record, or beside a neighbour's where only an older dump has its record."""
        offset = self.versions[number].offset
        if offset is not None:
            return offset, HERE
        earlier = [version.offset for version in self.versions[:number] if version.offset is not None]
        later = [version.offset for version in self.versions[number:] if version.offset is not None]
        if earlier:
            return earlier[-1], AFTER
        return (later[0], BEFORE) if later else None

    def strayed(self) -> Iterator[tuple[CopyPosition, Added]]:
        """Records that only an older dump has, and where they belong."""
        for number, version in enumerate(self.versions):
            position = self.position(number)
            if version.offset is None and position is not None:
                yield position, version.record


def artifact_of(
    label: str, journal: PartitionJournal, older: Sequence[PartitionJournal], is_held: bool
) -> BrokenArtifact:
    ours = entries_of(label, journal)
    sides: list[Side] = [*((dump, entries_of(label, dump)) for dump in older), (journal, ours)]
    born = max(since(side, entries) for side, entries in sides)
    created, lost = lost_before_recreation(label, journal, ours)
    born = max(born, created - 1)
    deleted = {name for _, entries in sides for name in deleted_versions(entries)}
    names: dict[str, str] = {}
    ids: dict[str, Any] = {}
    for side, _ in sides:
        for name, (version, global_id) in versions_held(label, side).items():
            names[name], ids[name] = version, global_id
    names |= refused_versions(label, journal, ours)
    artifact = BrokenArtifact(label, is_held, predecessor=(created, lost))
    artifact.versions = [
        replace(version, drawn_id=ids.get(version.uuid)) if version.global_id == IMPORTED_ID else version
        for version in version_records(names, deleted, sides, born)
    ]
    artifact.deletions = deletions(artifact.versions, sides)
    taken = any(entity == ("artifact", label) for entity in journal.unfinished.lost)
    artifact.attached, artifact.restored = attached_records(sides, born, is_held or taken)
    lasting = [e for e in ours if e.offset > born and e.offset not in journal.unfinished.deletes]
    artifact.belongings = belongings(lasting)
    artifact.comments = comment_deletions(journal, lasting)
    living = {version.uuid for version in artifact.living}
    records = [entry for entry in ours if entry.type == "Artifact" and uuid_of(entry) in living]
    artifact.nulls = [entry.offset for entry in records if entry.action == "tombstone"]
    makers = {entry.offset for entry in records if entry.action in MAKES_VERSION}
    artifact.copies = makers - {version.offset for version in artifact.versions if version.offset is not None}
    artifact.unfinished = written_again(artifact.versions, journal, ours)
    return artifact


def written_again(
    versions: Sequence[VersionRecord], journal: PartitionJournal, entries: Sequence[JournalEntry]
) -> list[int]:
    """Offsets of the records by which an unfinished repair deleted an artifact and began to make it again."""
    chosen = {version.offset for version in versions}
    ids = {version.global_id for version in versions}
    first = written_again_from(journal, entries)
    return [
        entry.offset
        for entry in entries
        if entry.type == "Artifact" and entry.offset >= first and entry.offset not in chosen
        and (entry.offset in journal.unfinished.offsets or entry.members.get("globalId") in ids)
    ]  # fmt: skip


def deletions(versions: Sequence[VersionRecord], sides: Sequence[Side]) -> list[tuple[int, Added]]:
    """The records that delete versions, each with how many of the versions stand before it; of the latest dump that has
    them, for a null record behind such a DELETE lets compaction take both."""
    gone = {version.label for version in versions if version.is_deleted}
    by_label: dict[str, list[tuple[int, Added]]] = {}
    for journal, entries in sides:
        deletes = [
            e for e in entries if e.type == "ArtifactVersion" and e.action == "delete" and e.id in gone
        ]
        records = journal.records(entry.offset for entry in deletes)
        for label in {entry.id for entry in deletes}:
            by_label[label] = []
        for entry in deletes:
            before = [
                number
                for number, version in enumerate(versions, start=1)
                if version.label == entry.id or (version.offset is not None and version.offset < entry.offset)
            ]
            record = replace(records[entry.offset].added(f"DELETE of version {entry.id}"), stays_deleted=True)
            by_label[entry.id].append((max(before, default=0), record))
    return [deletion for label in by_label for deletion in by_label[label]]
