"""Settings that a compaction would lose or change, and deletions that it would undo: records that keep them as they are.

    rule, role       a DELETE and a CREATE under its key: the CREATE is the last record of the key and needs no other
    group            a CREATE under its key; the registry that has the group rejects it and writes nothing
    deleted version  its ArtifactVersion DELETE again: the null record behind the first one let compaction take both
    deleted artifact null records under the keys of all its Artifact records, which compaction then removes

Source: the same keys and rules as at replay (settings.py, attached.py, groups.py); tried like every repair.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from spark.dialects import Entity
from spark.dialects.apicurio_v2.message_types import ARTIFACT_VERSION, DELETE, message
from spark.repair import Added
from spark.repair.apicurio_v2.artifacts import as_create
from spark.repair.apicurio_v2.stake import Attributes, Stake, artifact_of
from spark.repair.apicurio_v2.versions import MAKES_VERSION, entries_of
from spark.repair.journal import JournalEntry, PartitionJournal
from spark.tables.replica import quoted

SETTINGS = {
    "global-rule": "GlobalRule",
    "artifact-rule": "ArtifactRule",
    "role": "RoleMapping",
    "group": "Group",
}
MADE_HERE = "made for this repair"


@dataclass(frozen=True)
class Settling:
    """Records to add, and what each keeps, in words."""

    records: tuple[Added, ...] = ()
    what: tuple[str, ...] = ()


def settling(journal: PartitionJournal, stake: Stake, written_again: Collection[str]) -> Settling:
    """What else would change, artifacts that are written again left out."""
    settings = sorted(one for one in stake.lost | stake.changed if one[0] in SETTINGS)
    settings = [
        one for one in settings if one[0] != "artifact-rule" or artifact_of(one[1]) not in written_again
    ]
    records: list[Added] = []
    what: list[str] = []
    for entity in settings:
        records += kept_setting(journal, entity, stake.required.get(entity, {}))
        what.append(f"{entity[0]} {entity[1]} stays")
    for entity in sorted(stake.returning):
        added = kept_away(journal, stake, entity, written_again)
        if added:
            records += added
            what.append(f"{entity[0]} {entity[1]} stays deleted")
    return Settling(tuple(records), tuple(what))


def kept_setting(journal: PartitionJournal, entity: Entity, required: Attributes) -> Iterator[Added]:
    """Records after which a rule, role or group needs no earlier record. The last one of its key need not be the one
    that counts, so what the registry holds goes in."""
    kind, name = entity
    entry = last_of(journal, SETTINGS[kind], name)
    if entry is None:
        return
    record = journal.records([entry.offset])[entry.offset].added(f"{entry.type} {name}")
    if kind != "group":
        value = record.key[:1] + orjson.dumps({"action": DELETE})
        yield Added(record.key, value, record.headers, None, f"DELETE of {entry.type} {name}", MADE_HERE)
    created = as_create(record)
    members = orjson.loads((created.value or b"")[1:]) | value_of(kind, required)
    yield replace(created, value=record.key[:1] + orjson.dumps(members))


def value_of(kind: str, required: Attributes) -> dict[str, Any]:
    """The members of a value that say what the registry holds."""
    if kind in ("global-rule", "artifact-rule"):
        return {"config": {"configuration": required.get("config")}}
    return {name: required[name] for name in ("role", "principalName", "description") if name in required}


def last_of(journal: PartitionJournal, entry_type: str, name: str) -> JournalEntry | None:
    """The last record that sets it."""
    condition = f"entry_type = {quoted(entry_type)} AND entry_action IN ('create', 'update', 'import') AND entity_id = {quoted(name)}"
    return next(reversed(list(journal.entries(condition))), None)


def kept_away(
    journal: PartitionJournal, stake: Stake, entity: Entity, written_again: Collection[str]
) -> Sequence[Added]:
    """Records that keep a deleted version or artifact away."""
    kind, name = entity
    if kind == "artifact" and entity not in stake.required:
        return list(tombstones(journal, name))
    is_settled = artifact_of(name) in written_again or ("artifact", artifact_of(name)) not in stake.required
    if kind != "version" or is_settled:
        return ()
    return list(deleted_again(journal, name))


def tombstones(journal: PartitionJournal, artifact: str) -> Iterator[Added]:
    """A null record under the key of each record that makes a version of it."""
    makers = [e for e in entries_of(artifact, journal) if e.type == "Artifact" and e.action in MAKES_VERSION]
    records = journal.records(entry.offset for entry in makers)
    for entry in makers:
        record = records[entry.offset]
        yield Added(
            record.key or b"", None, record.headers, None,
            f"null record for offset {entry.offset}, of the deleted artifact {artifact}", MADE_HERE,
        )  # fmt: skip


def deleted_again(journal: PartitionJournal, version: str) -> Iterator[Added]:
    """The DELETE of a version once more, as the last record of its key."""
    entries = list(journal.entries(f"entry_type = 'ArtifactVersion' AND entity_id = {quoted(version)}"))
    for entry in entries[-1:]:
        record = journal.records([entry.offset])[entry.offset]
        value = message(ARTIFACT_VERSION, {"action": DELETE})
        yield Added(record.key or b"", value, record.headers, None, f"DELETE of version {version}", MADE_HERE)
