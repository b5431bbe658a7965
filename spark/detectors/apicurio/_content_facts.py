"""Rows of one partition as facts about contents: the records that have them, the versions that need them, starts of the registry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import orjson

from spark.detectors.apicurio._repair import artifact_of
from spark.tables.replica import Row

LACKING = ("content-missing", "content-null", "content-later")
FALLEN = "artifact-missing"


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


@dataclass
class ContentFacts:
    """What the rows of a partition say."""

    records: dict[str, list[Record]] = field(default_factory=lambda: defaultdict(list))
    versions: dict[str, list[DependentVersion]] = field(default_factory=lambda: defaultdict(list))
    artifacts: dict[str, list[DependentVersion]] = field(default_factory=lambda: defaultdict(list))
    gone: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    current: dict[str, int] = field(default_factory=dict)  # record of the version that has a name at the end
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
    facts.current[version.label] = version.offset


def add_time(facts: ContentFacts, row: Row) -> None:
    """When a registry started or wrote a content record."""
    facts.times[row["offset"]] = int(row["needs"])


def add_null(facts: ContentFacts, row: Row) -> None:
    """A null under the key of a later version's record: a start had rejected the first, so the artifact was missing."""
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
