"""Versions whose Artifact record is gone, while other records still speak of them: rebuilt where what is left leaves one
reading.

A create writes ContentId, Content, GlobalId, Artifact. Where the Artifact record is gone (it failed, got its null record,
and compaction took both), the content and the draw of the global id are left without a user, and an ArtifactVersion
record (state, meta-data) still has the version's name. With one such name, one such content and one such id these belong
together; otherwise the version is named as missing.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from spark.dialects.apicurio_v2 import registry as r
from spark.dialects.apicurio_v2.members import tenant_of
from spark.dialects.apicurio_v2.message_types import ARTIFACT, CREATE, UPDATE, message
from spark.repair import Added, MissingEntity
from spark.repair.apicurio_v2.artifacts import BrokenArtifact
from spark.repair.apicurio_v2.versions import VersionRecord
from spark.repair.journal import JournalEntry, PartitionJournal


@dataclass(frozen=True)
class Unused:
    """A content that no Artifact record names, and the draw of a global id after it that none uses either."""

    content: JournalEntry
    draw: JournalEntry
    global_id: int

    @property
    def name(self) -> str:
        """How a user may know it."""
        return f"a version with content {self.content.members.get('contentId')} and globalId {self.global_id}"


def rebuilt(
    artifacts: Sequence[BrokenArtifact], gone: Sequence[str], journal: PartitionJournal
) -> list[MissingEntity]:
    """Add to the artifacts the versions that can be rebuilt; what cannot be is missing."""
    labels = {version.label for artifact in artifacts for version in artifact.versions}
    names = [label for label in gone if label not in labels]
    is_lossy = bool(names) or any(not artifact.is_held for artifact in artifacts)
    leftovers = unused(artifacts, journal) if is_lossy else []
    if len(names) == len(leftovers) == 1:
        artifact = next(artifact for artifact in artifacts if artifact.label == names[0].rpartition("/")[0])
        version = rebuilt_version(names[0], artifact, leftovers[0], journal)
        if version:
            artifact.versions = sorted([*artifact.versions, version], key=lambda version: version.global_id)
            return []
    sought = "its Artifact record, from an older dump of the topic"
    missing = [MissingEntity(f"version {label}", (label,), sought) for label in names]
    return missing or [MissingEntity(leftover.name, (), sought) for leftover in leftovers]


def unused(artifacts: Sequence[BrokenArtifact], journal: PartitionJournal) -> list[Unused]:
    """What no Artifact record of the journal uses, nor one that an older dump brings back."""
    makers = list(
        journal.entries("entry_type = 'Artifact' AND entry_action IN ('create', 'update', 'import')")
    )
    members = [entry.members for entry in makers]
    members += [version.members for artifact in artifacts for version in artifact.versions]
    hashes = {str(values.get("contentHash")) for values in members}
    ids = {values.get("globalId") for values in members}
    draws = drawn_ids(journal, makers)
    contents = journal.entries(
        "entry_type IN ('Content', 'ContentV2') AND entry_action IN ('create', 'create_or_update')"
    )
    unused: dict[str, Unused] = {}
    for content in contents:
        follows = next(((draw, number) for draw, number in draws if draw.offset > content.offset), None)
        content_hash = str(content.members.get("contentHash"))
        if (
            content.members.get("has_content")
            and content_hash not in hashes
            and follows
            and follows[1] not in ids
        ):
            unused.setdefault(content_hash, Unused(content, *follows))
    return list(unused.values())


def drawn_ids(journal: PartitionJournal, makers: Sequence[JournalEntry]) -> list[tuple[JournalEntry, int]]:
    """Each draw of a global id with its number; none where the numbers do not agree with the records that use them."""
    draws = list(enumerate(journal.entries("entry_type = 'GlobalId' AND entry_action = 'create'"), start=1))
    by_number = dict(draws)
    for maker in makers:
        number = maker.members.get("globalId")
        drawn = by_number.get(number) if isinstance(number, int) else None
        if maker.action != "import" and (drawn is None or drawn.offset > maker.offset):
            return []
    return [(entry, number) for number, entry in draws]


def rebuilt_version(
    label: str, artifact: BrokenArtifact, leftover: Unused, journal: PartitionJournal
) -> VersionRecord | None:
    """The version's record made anew; None where no other version tells the artifact's type."""
    if not artifact.versions:
        return None
    like = artifact.versions[0]
    records = journal.entries("entry_type = 'ArtifactVersion' AND entry_action = 'update'")
    state_entries = [entry for entry in records if entry.id == label]
    drawn_at = journal.records([leftover.draw.offset])[leftover.draw.offset].timestamp_ms
    is_first = leftover.global_id < artifact.versions[0].global_id
    members = {
        "action": CREATE if is_first else UPDATE,
        "metaData": (state_entries[-1].members.get("metaData") if state_entries else None) or {},
        "globalId": leftover.global_id,
        "version": label.rpartition("/")[2],
        "artifactType": like.members.get("artifactType"),
        "contentHash": leftover.content.members.get("contentHash"),
        "createdBy": like.members.get("createdBy") or "",
        "createdOn": drawn_at,
    }
    name = str(uuid.uuid4())
    key = orjson.loads(like.record.key[1:]) | {"uuid": name}
    offsets = [leftover.content.offset, leftover.draw.offset, *(entry.offset for entry in state_entries[-1:])]
    source = f"rebuilt from offsets {', '.join(map(str, offsets))} of {journal.name}"
    record = Added(
        message(ARTIFACT, key), message(ARTIFACT, members), like.record.headers, drawn_at,
        f"version {label}", source,
    )  # fmt: skip
    need = r.content_entity(tenant_of(leftover.content.members), leftover.content.members.get("contentHash"))
    return VersionRecord(name, label, need, None, "create" if is_first else "update", record)
