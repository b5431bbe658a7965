"""Settings that a compaction would lose or change, and deletions that it would undo: records that keep them as they are.

    rule, role, group  a CREATE under its key, the last record of the key, which needs no other; a registry that has it
                     rejects the CREATE and writes nothing; one that has it with another value gets a DELETE before
    comment          a CREATE under its key, the same
    deleted version  its ArtifactVersion DELETE again: the null record behind the first one let compaction take both
    deleted artifact null records under the keys of all its Artifact records, which compaction then removes; a DELETE, too,
                     where it is back already

Source: the same keys and rules as at replay (settings.py, attached.py, groups.py); tried like every repair.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from spark.dialects import Entity
from spark.dialects.apicurio_v2.message_types import ARTIFACT, DELETE, message
from spark.difference.members import Attributes
from spark.repair import Added
from spark.repair.apicurio_v2.attached import MADE_HERE, as_create
from spark.repair.apicurio_v2.effects import corrected, reason, rewritten, stays, value_in
from spark.repair.apicurio_v2.older import RULES
from spark.repair.apicurio_v2.stake import Stake, artifact_of
from spark.repair.apicurio_v2.versions import MAKES_VERSION, entries_of
from spark.repair.journal import JournalEntry, PartitionJournal, StoredRecord
from spark.repair.marks import with_requests
from spark.tables.repair_records import REQUEST

SETTINGS = {
    "global-rule": "GlobalRule",
    "artifact-rule": "ArtifactRule",
    "role": "RoleMapping",
    "group": "Group",
}


@dataclass(frozen=True)
class Settling:
    """Records to add, and in words what they keep and what they set right."""

    records: tuple[Added, ...] = ()
    settled: tuple[str, ...] = ()  # a compaction would change it
    corrected: tuple[str, ...] = ()  # it is no longer so
    reasons: tuple[str, ...] = ()  # why it is not


def settling(
    journal: PartitionJournal,
    older: Sequence[PartitionJournal],
    stake: Stake,
    written_again: set[str],
) -> Settling:
    """What else would change, artifacts that are written again left out."""
    sides = [journal, *older]
    changes = stake.changes
    records: list[Added] = []
    entities: list[Entity] = []
    for kind, name in sorted(changes.lost | changes.changed):
        is_written_again = kind == "artifact-rule" and artifact_of(name) in written_again
        if kind in SETTINGS and not is_written_again:
            setting = list(kept_setting(sides, stake, (kind, name)))
            records += setting
            entities += [(kind, name)] if setting else []
    for name in sorted(name for kind, name in changes.lost if kind == "comment"):
        comments = list(kept_comment(sides, stake, name, written_again))
        records += comments
        entities += [("comment", name)] if comments else []
    for kind, name in sorted(changes.revived):
        added = kept_away(sides, stake, (kind, name), written_again)
        if added:
            records += added
            entities.append((kind, name))
    done, state = stake.already.by_entity, journal.state
    again = [*(entity for entity in entities if entity in done), *rewritten(stake, written_again)]
    rules = [
        entity for entity in dict.fromkeys(again) if entity in stake.already.changed and entity[0] in RULES
    ]
    return Settling(
        with_requests(records, REQUEST),
        tuple(stays(entity, stake) for entity in entities if entity not in done),
        tuple(corrected(entity, state.get(entity), stake) for entity in dict.fromkeys(again)),
        tuple(filter(None, (reason(rule, journal, older, stake) for rule in rules))),
    )


def kept_setting(sides: Sequence[PartitionJournal], stake: Stake, entity: Entity) -> Iterator[Added]:
    """Records after which a rule, role or group needs no earlier record. The last one of its key need not be the one
    that counts, so what the registry holds goes in. Where it is there with another value, a DELETE makes room."""
    kind, name = entity
    last = last_of(sides, SETTINGS[kind], name)
    if last is None:
        return
    journal, entry = last
    record = journal.records([entry.offset])[entry.offset]
    key = record.key or b""
    if kind != "group" and entity in stake.at_next_start.changed:
        value = key[:1] + orjson.dumps({"action": DELETE})
        yield Added(key, value, record.headers, None, f"DELETE of {entry.type} {name}", MADE_HERE)
    required = stake.required.get(entity, {})
    members = value_of(kind, required)
    label = ", ".join(filter(None, (f"{entry.type} {name}", value_in(required))))
    written = record_with(sides, entry, members)
    created = as_create((written or record).added(label))
    if written is None:
        created = replace(created, source=f"{created.source}, with the value that the registry had")
    value = key[:1] + orjson.dumps(orjson.loads((created.value or b"")[1:]) | members)
    yield replace(created, key=key, value=value)


def record_with(
    sides: Sequence[PartitionJournal], entry: JournalEntry, members: dict[str, Any]
) -> StoredRecord | None:
    """The last record that sets what an entry is about to these members: of the journal, else of the newest dump. The last record
    of the key may be one that the registry rejected."""
    condition = "entry_type = $type AND list_contains($actions, entry_action) AND entity_id = $name"
    values = {"type": entry.type, "actions": list(MAKES_VERSION), "name": entry.id}
    for journal in (sides[0], *sorted(sides[1:], key=PartitionJournal.end_offset, reverse=True)):
        for setter in reversed(list(journal.entries(condition, **values))):
            if setter.members | members == setter.members:
                return journal.records([setter.offset])[setter.offset]
    return None


def kept_comment(
    sides: Sequence[PartitionJournal], stake: Stake, comment: str, written_again: Collection[str]
) -> Iterator[Added]:
    """The CREATE of a comment on a version that stays as it is. A registry that has the comment rejects it."""
    condition = (
        "entry_type = 'Comment' AND (attributes->>'commentId') = $comment "
        "AND entry_action IN ('create', 'update', 'import')"
    )
    entries = [
        (journal, entry)
        for journal in sides
        for entry in list(journal.entries(condition, comment=comment))[-1:]
    ]
    for journal, entry in entries[:1]:
        version = entry.id.rpartition("/")[0]
        if is_kept(artifact_of(version), stake, written_again) and ("version", version) in stake.required:
            created = as_create(journal.records([entry.offset])[entry.offset].added(f"Comment {entry.id}"))
            members = orjson.loads((created.value or b"")[1:])
            members["text"] = stake.required["comment", comment].get("value")
            yield replace(created, value=created.key[:1] + orjson.dumps(members))


def value_of(kind: str, required: Attributes) -> dict[str, Any]:
    """The members of a value that say what the registry holds."""
    if kind in ("global-rule", "artifact-rule"):
        return {"config": {"configuration": required.get("config")}}
    return {name: required[name] for name in ("role", "principalName", "description") if name in required}


def last_of(
    sides: Sequence[PartitionJournal],
    entry_type: str,
    name: str,
    actions: Sequence[str] = MAKES_VERSION,
) -> tuple[PartitionJournal, JournalEntry] | None:
    """The last record that sets it, of the journal, else of an older dump."""
    condition = "entry_type = $type AND list_contains($actions, entry_action) AND entity_id = $name"
    for journal in sides:
        entries = list(journal.entries(condition, type=entry_type, actions=list(actions), name=name))
        if entries:
            return journal, entries[-1]
    return None


def kept_away(
    sides: Sequence[PartitionJournal], stake: Stake, entity: Entity, written_again: Collection[str]
) -> Sequence[Added]:
    """Records that keep a deleted version, artifact or setting away."""
    kind, name = entity
    if kind == "artifact":
        return [
            *deleted_artifact(sides[0], name, entity in stake.at_next_start.revived),
            *tombstones(sides[0], name),
        ]
    is_due = kind != "artifact-rule" or is_kept(artifact_of(name), stake, written_again)
    if kind in SETTINGS and is_due:
        return list(deleted_again(sides, SETTINGS[kind], name, MAKES_VERSION))
    if kind != "version" or not is_kept(artifact_of(name), stake, written_again):
        return ()
    return list(deleted_again(sides, "ArtifactVersion", name, ("update", "delete", "clear", "tombstone")))


def is_kept(artifact: str, stake: Stake, written_again: Collection[str]) -> bool:
    """Whether an artifact stays as it is: it is neither deleted nor written again."""
    return artifact not in written_again and ("artifact", artifact) in stake.required


def tombstones(journal: PartitionJournal, artifact: str) -> Iterator[Added]:
    """A null record under the key of each record that makes a version of it."""
    makers = [e for e in entries_of(artifact, journal) if e.type == "Artifact" and e.action in MAKES_VERSION]
    records = journal.records(entry.offset for entry in makers)
    for entry in makers:
        record = records[entry.offset]
        yield Added(
            record.key or b"", None, record.headers, None,
            f"tombstone for offset {entry.offset}, of the deleted artifact {artifact}", MADE_HERE, stays_deleted=True,
        )  # fmt: skip


def deleted_again(
    sides: Sequence[PartitionJournal], entry_type: str, name: str, actions: Sequence[str]
) -> Iterator[Added]:
    """The DELETE of a version or a setting once more, as the last record of its key."""
    last = last_of(sides, entry_type, name, actions)
    if last is not None:
        journal, entry = last
        record = journal.records([entry.offset])[entry.offset]
        key = record.key or b""
        value = key[:1] + orjson.dumps({"action": DELETE})
        label = f"DELETE of {'version' if entry_type == 'ArtifactVersion' else entry_type} {name}"
        yield Added(key, value, record.headers, None, label, MADE_HERE, stays_deleted=True)


def deleted_artifact(journal: PartitionJournal, artifact: str, is_back: bool) -> Iterator[Added]:
    """The DELETE of an artifact that is back. The tombstones alone would end it at the next compaction only, and of an
    artifact that is not back yet a DELETE fails."""
    makers = [e for e in entries_of(artifact, journal) if e.type == "Artifact" and e.action in MAKES_VERSION]
    if is_back and makers:
        record = journal.records([makers[0].offset])[makers[0].offset]
        key = orjson.loads((record.key or b"")[1:]) | {"uuid": str(uuid.uuid4())}
        yield Added(
            message(ARTIFACT, key), message(ARTIFACT, {"action": DELETE}), record.headers, None,
            f"DELETE of artifact {artifact}", MADE_HERE, stays_deleted=True,
        )  # fmt: skip
