"""What follows for an artifact: state, meta-data, rules, owner, comments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import orjson

from spark.dialects.apicurio_v2 import registry as r
from spark.dialects.apicurio_v2.members import tenant_of
from spark.dialects.apicurio_v2.message_types import COMMENT, CREATE, DELETE, message
from spark.repair import Added
from spark.repair.apicurio_v2.versions import CREATES
from spark.repair.journal import JournalEntry, PartitionJournal

MADE_HERE = "made for this repair"
TAKES_AWAY = ("delete", "tombstone", "")
Side = tuple[
    PartitionJournal, list[JournalEntry]
]  # a dump, or the journal itself, with the artifact's entries


def belongings(entries: Sequence[JournalEntry]) -> list[tuple[str, str, str]]:
    """Rules and comments whose last record does not take them away."""
    last: dict[tuple[str, str, str], str] = {}
    for entry in entries:
        if entry.type == "ArtifactRule":
            last["artifact-rule", entry.id, ""] = entry.action
        elif entry.type == "Comment":
            name = r.entity_id(tenant_of(entry.members), entry.members.get("commentId"))
            last["comment", name, entry.id.rpartition("/")[0]] = entry.action
    return [entity for entity, action in last.items() if action not in TAKES_AWAY]


def comment_deletions(journal: PartitionJournal, entries: Sequence[JournalEntry]) -> list[Added]:
    """The DELETE of each comment that nothing deletes, under the key of the record that makes it: when that is written again, a
    compaction removes the DELETE."""
    comments = [entry for entry in entries if entry.type == "Comment"]
    last = {entry.id: entry.action for entry in comments}
    makers = [
        entry
        for entry in comments
        if entry.action in ("create", "import") and last[entry.id] not in TAKES_AWAY
    ]
    records = journal.records(entry.offset for entry in makers)
    return [
        replace(
            records[entry.offset].added(f"DELETE of Comment {entry.id}"),
            value=message(COMMENT, {"action": DELETE, "globalId": -1}),
            timestamp_ms=None,
            source=MADE_HERE,
        )
        for entry in {entry.id: entry for entry in makers}.values()
    ]


def attached_records(sides: Sequence[Side], born: int, is_held: bool) -> tuple[list[Added], list[Added]]:
    """What follows for the artifact: the last record of each key, unless it takes something away; and those of them that only
    an older dump has. A rule of an artifact that is not there is kept by the registry until the artifact comes, so only a
    deletion makes it due again."""
    last: dict[tuple[str, str, Any], tuple[JournalEntry, PartitionJournal]] = {}
    first: dict[tuple[str, str, Any], str] = {}
    for journal, entries in sides:
        for entry in entries:
            is_over = entry.offset <= born or entry.offset in journal.unfinished.deletes
            if entry.type != "Artifact" and not is_over:
                key = (entry.type, entry.id, entry.members.get("uuid"))
                last[key] = entry, journal
                first.setdefault(key, entry.action)
    ours = sides[-1][0]
    due = [
        (entry, journal)
        for key, (entry, journal) in last.items()
        if entry.action not in TAKES_AWAY
        and (is_held or journal is not ours or not (entry.type == "ArtifactRule" and first[key] == "create"))
    ]
    due.sort(key=lambda pair: pair[0].offset)
    records = [
        attached_record(
            entry, journal.records([entry.offset])[entry.offset].added(f"{entry.type} {entry.id}")
        )
        for entry, journal in due
    ]
    return records, [record for record, (_, journal) in zip(records, due, strict=True) if journal is not ours]


def attached_record(entry: JournalEntry, record: Added) -> Added:
    """A record as it is; a rule's UPDATE as CREATE."""
    return as_create(record) if entry.type == "ArtifactRule" and entry.action == "update" else record


def as_create(record: Added) -> Added:
    """An UPDATE as CREATE: its CREATE has the same key, and without it the registry rejects the UPDATE."""
    value = record.value or b""
    members = orjson.loads(value[1:])
    create = CREATES.get(type(members.get("action")), CREATE)
    is_create = members.get("action") == create
    text = value[:1] + orjson.dumps(members | {"action": create})
    return replace(record, value=text, source=record.source if is_create else f"{record.source}, as CREATE")
