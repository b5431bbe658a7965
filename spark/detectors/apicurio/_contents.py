"""Which contents an empty UPDATE took or will take: plain Python over the rows of one partition.

lost     no record holds the content any more
late     records hold it again, but only after an artifact record that needs it
at_risk  everything reads today; after the next compaction nothing stands before the artifact record
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from spark.detectors.apicurio._content_facts import ContentFacts, DependentVersion, Record
from spark.detectors.apicurio._repair import artifact_of

Status = Literal["lost", "late", "at_risk"]


@dataclass(frozen=True)
class Case:
    """One content (hash and id) with an empty UPDATE that harms; every list in offset order."""

    content: str  # as findings name it
    content_id: str
    status: Status
    held_by: list[int]  # records with the content that an empty UPDATE of the same key follows
    retained: list[int]  # records with the same content, under any id, that compaction keeps
    copies: list[int]  # records with the same content under another id, whatever compaction does
    updates: list[int]  # empty ones that count: after the last record with the content, if there is one
    needs: list[DependentVersion]
    gone: list[str]
    later_versions: list[DependentVersion]  # with intact contents; they fall with the first of their artifact
    restart: int | None
    emptied_ms: int | None
    later_start: int | None  # the last one after the UPDATEs
    later_start_ms: int | None
    failed_by: int | None  # such a null (add_null): since then versions return 404
    starts_at_zero: bool
    is_recreated: (
        bool  # a registry accepted the CREATE of an artifact that needs it again, so it had lost it by then
    )
    again: list[int]  # later records that create all its versions again by name, with other ids; else none

    @property
    def content_hash(self) -> str:
        """Of its bytes, as keys have it."""
        return self.content.rpartition("/")[2]

    @property
    def artifacts(self) -> list[str]:
        """The artifacts that need the content, each once."""
        return list(dict.fromkeys(artifact_of(version.label) for version in self.needs))

    @property
    def has_bytes(self) -> bool:
        """Whether any record contains the content."""
        return bool(self.held_by or self.retained or self.copies)

    @property
    def broken(self) -> list[DependentVersion]:
        """The versions that cannot be read now."""
        return [version for version in self.needs if version.lacking]

    @property
    def to_append(self) -> list[int]:
        """Artifact records that must stand again behind the content, with what follows for their artifacts."""
        behind = self.retained[0] if self.retained else None
        stranded = [v for v in self.needs if not self.again and (behind is None or v.offset < behind)]
        return sorted({version.offset for version in [*stranded, *self.later_versions]})


def harmed(facts: ContentFacts) -> Iterator[Case]:
    """One per content (hash and id) with an empty UPDATE that harms."""
    for content, records in facts.records.items():
        ids = dict.fromkeys(record.content_id for record in records if record.kind == "empty")
        for content_id in ids:
            needs = needing(facts.versions.get(content, []), records, content_id)
            status = status_of(facts, content, content_id, needs)
            if status:
                yield case(facts, content, content_id, needs, status)


def needing(
    versions: list[DependentVersion], records: list[Record], content_id: str
) -> list[DependentVersion]:
    """The versions that need this id: those that hold it, and those dropped for want of what it held.

    A dropped record is this id's when no record, or only one behind an empty UPDATE, has the content.
    """
    own = [record for record in records if record.content_id == content_id and record.kind != "other"]
    was_here = own[0].kind == "empty"
    needing_it = [
        version for version in versions if version.content_id == content_id or (was_here and version.lacking)
    ]
    return sorted(needing_it, key=lambda version: version.offset)


def retained(records: list[Record]) -> list[int]:
    """Offsets of the records with the content that compaction keeps: no later record has their key."""
    last = {record.key: record.offset for record in records}
    return [
        record.offset for record in records if record.kind == "full" and last[record.key] == record.offset
    ]


def status_of(
    facts: ContentFacts, content: str, content_id: str, needs: list[DependentVersion]
) -> Status | None:
    """What the empty UPDATE did or will do; None: nothing."""
    records = facts.records[content]
    fulls = [record for record in records if record.kind == "full"]
    unneeded = not facts.versions.get(content)
    if not fulls:
        return None if unneeded and content in facts.foreign else "lost"
    if any(version.lacking for version in needs):
        return "late" if any(record.content_id == content_id for record in fulls) else "lost"
    first = min(retained(records), default=None)
    doomed = any(first is None or version.offset < first for version in needs)
    return "at_risk" if doomed or (unneeded and first is None) else None


def case(
    facts: ContentFacts, content: str, content_id: str, needs: list[DependentVersion], status: Status
) -> Case:
    """What the finding tells."""
    records = facts.records[content]
    own = [record for record in records if record.content_id == content_id]
    empties = [record for record in own if record.kind == "empty"]
    updates = counting(empties, own)
    before = bisect_left(facts.restarts, updates[-1])
    later_start = facts.restarts[-1] if before < len(facts.restarts) else None
    fallen = later_versions(facts, needs, content)
    nulls = [at for version in [*fallen, *needs] for at in facts.nulls[version.label] if at > updates[-1]]
    again = [facts.current.get(version.label, -1) for version in needs]
    are_later = all(version.lacking and at > version.offset for version, at in zip(needs, again, strict=True))
    return Case(
        content=content,
        content_id=content_id,
        status=status,
        held_by=[full.offset for full in own if full.kind == "full" and emptied(full, empties)],
        retained=retained(records),
        copies=[r.offset for r in records if (r.kind, r.key[0]) == ("full", "Content") and r not in own],
        updates=updates,
        needs=needs,
        gone=facts.gone.get(content, []),
        later_versions=[version for version in fallen if not version.lacking],
        restart=facts.restarts[before - 1] if before else None,
        emptied_ms=facts.times.get(updates[0]),
        later_start=later_start,
        later_start_ms=None if later_start is None else facts.times.get(later_start),
        failed_by=min(nulls, default=None),
        starts_at_zero=facts.starts_at_zero,
        is_recreated=any(v.lacking and is_recreated(facts, artifact_of(v.label)) for v in needs),
        again=again if are_later else [],
    )


def is_recreated(facts: ContentFacts, artifact: str) -> bool:
    """Whether a version that a registry cannot read has its name from a later record, too."""
    family = facts.artifacts[artifact]
    return any(other.lacking and facts.current.get(other.label, -1) > other.offset for other in family)


def emptied(full: Record, empties: list[Record]) -> bool:
    """Whether an empty UPDATE of the same key stands after a record."""
    return any(empty.key == full.key and empty.offset > full.offset for empty in empties)


def counting(empties: list[Record], own: list[Record]) -> list[int]:
    """The empty UPDATEs after the last record of their key with the content; all of them if none follows one."""
    last_full = max(
        (record.offset for record in own if record.kind == "full" and record.key == empties[0].key),
        default=-1,
    )
    after = [empty.offset for empty in empties if empty.offset > last_full]
    return after or [empty.offset for empty in empties]


def later_versions(
    facts: ContentFacts, needs: list[DependentVersion], content: str
) -> list[DependentVersion]:
    """Versions with another content that fall with the first version of their artifact."""
    fallen: dict[str, DependentVersion] = {}
    for version in needs:
        family = facts.artifacts[artifact_of(version.label)]
        if version.offset == min(other.offset for other in family):
            fallen |= {other.label: other for other in family if other.content != content}
    return sorted(fallen.values(), key=lambda version: version.offset)
