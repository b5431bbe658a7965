"""What an older dump of the same topic tells: entities that it held, or deleted, and that no record since is about.

Its log is the beginning of the journal's, so what differs without a record behind its end was made by compaction, by
retention, or by a null record that a start wrote. Tombstones and an earlier repair's records are no records of a wish.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, replace

import numpy as np

from spark.dialects import Entity
from spark.dialects.apicurio_v2.members import configuration
from spark.difference.members import Attributes
from spark.repair.journal import PartitionJournal
from spark.tables.replica import IN_REPLICA

SINCE = f"""
    SELECT DISTINCT entry_type, entry_action, entity_id FROM entries
    WHERE {IN_REPLICA} AND "offset" >= $first AND entry_type IS NOT NULL AND coalesce(entry_action, '') <> 'tombstone'
        AND "offset" NOT IN (SELECT unnest($ignored::BIGINT[]))
"""
FIRST_OFFSETS = f"""
    SELECT entity_type, entity_id, min(valid_from_offset) AS first_offset
    FROM state_history WHERE {IN_REPLICA} GROUP BY ALL
"""
# What a record of its own sets, so that only such a record changes it.
SET = {
    "version": ("state", "name"),
    "artifact": ("owner",),
    "group": ("description",),
    "global-rule": ("config",),
    "artifact-rule": ("config",),
    "role": ("role",),
    "config-property": ("value",),
}
ENTRY_TYPES = {
    "version": "ArtifactVersion",
    "artifact": "ArtifactOwner",
    "group": "Group",
    "global-rule": "GlobalRule",
    "artifact-rule": "ArtifactRule",
    "role": "RoleMapping",
    "config-property": "ConfigProperty",
}
RULES = ("global-rule", "artifact-rule")
Required = MutableMapping[Entity, Attributes]


@dataclass(frozen=True)
class Since:
    """What records behind the end of an older dump are about."""

    set: frozenset[tuple[str, str]]  # type and id of entries
    deleted_artifacts: frozenset[str]
    deleted_groups: frozenset[str]
    is_everything: bool

    @classmethod
    def of(cls, journal: PartitionJournal, end_offset: int) -> Since:
        rows = journal.rows(SINCE, first=end_offset, ignored=sorted(journal.unfinished.offsets))
        deletes = [row for row in rows if row["entry_action"] == "delete"]
        return cls(
            frozenset((row["entry_type"], row["entity_id"]) for row in rows),
            frozenset(row["entity_id"] for row in deletes if row["entry_type"] == "Artifact"),
            frozenset(row["entity_id"] for row in deletes if row["entry_type"] == "Group"),
            any(row["entry_type"] == "GlobalAction" for row in rows),
        )

    def is_about(self, entity: Entity) -> bool:
        """Whether a record sets or deletes the entity, or what it belongs to."""
        kind, name = entity
        artifact = name if kind == "artifact" else name.rpartition("/")[0]
        is_of_artifact = kind in ("artifact", "version", "artifact-rule")
        return (
            self.is_everything
            or (ENTRY_TYPES.get(kind, ""), name) in self.set
            or (is_of_artifact and artifact in self.deleted_artifacts)
            or (is_of_artifact and any(artifact.startswith(f"{group}/") for group in self.deleted_groups))
            or (kind in ("artifact", "artifact-rule") and self.may_have_ended(artifact))
        )

    def sets(self, rule: Entity) -> bool:
        """Whether a record of its own is about a rule, and none deletes what the rule belongs to."""
        kind, name = rule
        own = replace(self, set=self.set - {(ENTRY_TYPES.get(kind, ""), name)})
        return kind in RULES and self.is_about(rule) and not own.is_about(rule)

    def may_have_ended(self, artifact: str) -> bool:
        """Whether a version of the artifact is deleted since: the last one takes the artifact along."""
        return any(kind == "ArtifactVersion" and name.startswith(f"{artifact}/") for kind, name in self.set)


def is_beginning(dump: PartitionJournal, journal: PartitionJournal) -> bool:
    """Whether the dump is of the same log: the records that both have are of the same keys."""
    earlier, later = dump.inspected_log, journal.inspected_log
    common, in_dump, in_journal = np.intersect1d(earlier.offsets, later.offsets, return_indices=True)
    has_same_keys = bool((earlier.keys[in_dump] == later.keys[in_journal]).all())
    return len(common) > 0 and has_same_keys and dump.end_offset() <= journal.end_offset()


def restore(required: Required, journal: PartitionJournal, dump: PartitionJournal) -> None:
    """Require what the dump held, and no more what it had deleted, where no record since is about it."""
    if dump.dialect != journal.dialect or not is_beginning(dump, journal):
        return
    end = dump.end_offset()
    since = Since.of(journal, end)
    first_offsets = first_offsets_of(journal)
    for entity in first_offsets_of(dump):
        if entity in dump.state and since.sets(entity):
            required.update(updated(journal, entity, end))
        if entity[0] not in SET or since.is_about(entity):
            continue
        if entity in dump.state:
            require(required, entity, dump.state[entity])
        elif first_offsets.get(entity, end) < end:
            required.pop(entity, None)


def updated(journal: PartitionJournal, rule: Entity, end: int) -> dict[Entity, Attributes]:
    """A rule whose last record is an UPDATE that the journal rejects, because compaction took the CREATE: the registry writes an
    UPDATE of a rule that exists only, so it had this value."""
    kind, name = rule
    condition = 'entry_type = $type AND entity_id = $name AND "offset" >= $first'
    entries = list(journal.entries(condition, type=ENTRY_TYPES[kind], name=name, first=end))
    is_rejected = bool(entries) and entries[-1].action == "update" and rule not in journal.state
    return {rule: {"config": configuration(entries[-1].members)}} if is_rejected else {}


def first_offsets_of(journal: PartitionJournal) -> dict[Entity, int]:
    """Where each entity that the journal ever held began."""
    return {
        (row["entity_type"], row["entity_id"]): row["first_offset"] for row in journal.rows(FIRST_OFFSETS)
    }


def require(required: Required, entity: Entity, attributes: Attributes) -> None:
    """What the dump held; of an entity that is here, what a record of its own sets."""
    if entity not in required:
        required[entity] = attributes
        return
    own = {name: attributes[name] for name in SET[entity[0]] if name in attributes}
    required[entity] = {**required[entity], **own}
