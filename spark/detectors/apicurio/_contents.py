"""Which contents an empty UPDATE took or will take: plain Python over the rows of one partition.

lost     no record holds the content any more
late     records hold it again, but only after an artifact record that needs it
at_risk  everything reads today; after the next compaction nothing stands before the artifact record
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

import orjson

from spark.detectors.apicurio._repair import artifact_of
from spark.tables.replica import Row

LACKING = ("content-missing", "content-null", "content-later")
FALLEN = "artifact-missing"
Status = Literal["lost", "late", "at_risk"]


@dataclass(frozen=True)
class Record:
    """A content record: `key` tells which records compaction takes for copies of one another."""

    offset: int
    kind: Literal["full", "empty", "other"]
    content_id: str
    key: tuple[str, str]


@dataclass(frozen=True)
class DependentVersion:
    """An artifact version that needs a content. A dropped record names no content id."""

    offset: int  # of the last copy of its artifact record
    label: str
    content: str
    content_id: str | None
    lacking: bool


@dataclass(frozen=True)
class Case:
    """One content (hash and id) with an empty UPDATE that harms; every list in offset order."""

    content: str  # as findings name it
    content_id: str
    status: Status
    held_by: list[int]  # records with the content that an empty UPDATE of the same key follows
    retained: list[int]  # records with the same content, under any id, that compaction keeps
    updates: list[int]  # empty ones that count: after the last record with the content, if there is one
    needs: list[DependentVersion]
    gone: list[str]
    later_versions: list[DependentVersion]  # with another content; they fall with the first of their artifact
    restart: int | None
    emptied_ms: int | None
    later_start: int | None  # the last one after the UPDATEs
    later_start_ms: int | None
    failed_by: int | None  # a null under the key of a later version: a start had rejected the first one
    starts_at_zero: bool

    @property
    def content_hash(self) -> str:
        """Of its bytes, as keys have it."""
        return self.content.rpartition("/")[2]

    @property
    def artifacts(self) -> list[str]:
        """The artifacts that need the content, each once."""
        return list(dict.fromkeys(artifact_of(version.label) for version in self.needs))

    @property
    def broken(self) -> list[DependentVersion]:
        """The versions that cannot be read now."""
        return [version for version in self.needs if version.lacking]

    @property
    def to_append(self) -> list[int]:
        """Artifact records that must stand again behind the content, with what follows for their artifacts."""
        stranded = [
            version for version in self.needs if not self.retained or version.offset < self.retained[0]
        ]
        return sorted({version.offset for version in [*stranded, *self.later_versions]})


@dataclass
class ContentFacts:
    """What the rows of a partition say."""

    records: dict[str, list[Record]] = field(default_factory=lambda: defaultdict(list))
    versions: dict[str, list[DependentVersion]] = field(default_factory=lambda: defaultdict(list))
    artifacts: dict[str, list[DependentVersion]] = field(default_factory=lambda: defaultdict(list))
    gone: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    foreign: set[str] = field(default_factory=set)
    restarts: list[int] = field(default_factory=list)
    times: dict[int, int] = field(default_factory=dict)
    nulls: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    starts_at_zero: bool = False


def collect(rows: Iterable[Row]) -> ContentFacts:
    """Sort the rows into facts: content records and restarts from entries, versions from state and refusals."""
    facts = ContentFacts()
    add = {
        "entries": add_entry,
        "state": add_version,
        "refusals": add_refusal,
        "times": add_time,
        "nulls": add_null,
    }
    for row in rows:
        add[row["table"]](facts, row)
    facts.restarts.sort()
    for records in facts.records.values():
        records.sort(key=lambda record: record.offset)
    return facts


def add_entry(facts: ContentFacts, row: Row) -> None:
    """An entry: a content record, a restart, or the very first record."""
    facts.starts_at_zero |= row["offset"] == 0
    if row["action"] == "restart":
        facts.restarts.append(row["offset"])
    if row["type"] not in ("Content", "ContentV2") or row["attributes"] is None:
        return
    members = orjson.loads(row["attributes"])
    if members.get("contentHash") is None:
        return
    kind: Literal["full", "empty", "other"] = "other"
    if members.get("has_content"):
        kind = "full"
    elif row["type"] == "Content" and row["action"] == "update":
        kind = "empty"
    content_id = str(members.get("contentId"))
    record = Record(row["offset"], kind, content_id, (row["type"], content_id))
    facts.records[content_name(members)].append(record)


def content_name(members: Row) -> str:
    """The content as findings name it."""
    return f"content:{members.get('tenantId') or '_'}/{members.get('contentHash')}"


def add_version(facts: ContentFacts, row: Row) -> None:
    """A version as the registry holds it at the end, or held it once."""
    members = orjson.loads(row["attributes"])
    content = content_name(members)
    if row["action"] == "gone":
        facts.gone[content].append(row["entity_id"])
        return
    version = DependentVersion(
        members["record_offset"], row["entity_id"], content, str(members.get("contentId")), False
    )
    facts.versions[content].append(version)
    facts.artifacts[artifact_of(version.label)].append(version)


def add_time(facts: ContentFacts, row: Row) -> None:
    """When a registry started or wrote a content record."""
    facts.times[row["offset"]] = int(row["needs"])


def add_null(facts: ContentFacts, row: Row) -> None:
    """A null under the key of a version's record that replay rejects for want of its artifact."""
    facts.nulls[row["entity_id"]].append(row["offset"])


def add_refusal(facts: ContentFacts, row: Row) -> None:
    """A record the registry drops."""
    reason, needs = row["action"], row["needs"]
    if row["type"] == "content" and reason == "other-tenant":
        facts.foreign.add(needs)
    elif row["type"] == "version" and reason == "deleted-later":
        facts.gone[needs].append(row["entity_id"])
    elif row["type"] == "version" and reason in (*LACKING, FALLEN):
        version = DependentVersion(row["offset"], row["entity_id"], needs, None, reason != FALLEN)
        facts.artifacts[artifact_of(version.label)].append(version)
        if version.lacking:
            facts.versions[needs].append(version)


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
    later = later_versions(facts, needs, content)
    nulls = [at for version in later for at in facts.nulls[version.label] if at > updates[-1]]
    return Case(
        content=content,
        content_id=content_id,
        status=status,
        held_by=[full.offset for full in own if full.kind == "full" and emptied(full, empties)],
        retained=retained(records),
        updates=updates,
        needs=needs,
        gone=facts.gone.get(content, []),
        later_versions=later,
        restart=facts.restarts[before - 1] if before else None,
        emptied_ms=facts.times.get(updates[0]),
        later_start=later_start,
        later_start_ms=None if later_start is None else facts.times.get(later_start),
        failed_by=min(nulls, default=None),
        starts_at_zero=facts.starts_at_zero,
    )


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
