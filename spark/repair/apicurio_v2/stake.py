"""What is at stake in a journal: what the registry holds, and what it loses, or gets back, with starts and compactions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import orjson

from spark.dialects import Entity, ReleaseCannotStart, State
from spark.repair.apicurio_v2.older import restore
from spark.repair.apicurio_v2.versions import LACKING
from spark.repair.journal import PartitionJournal
from spark.repair.trial import compared, every_start
from spark.tables.replica import quoted

HELD = """
    SELECT entity_type, entity_id, attributes FROM state
    WHERE {here} AND is_own AND view = 'log' AND valid_to_offset IS NULL
"""
BROKEN = f"""
    SELECT DISTINCT entity_id FROM refusals
    WHERE {{here}} AND is_own AND view IN ('log', 'full') AND entity_type = 'version' AND reason IN {LACKING}
    ORDER BY entity_id
"""
GONE = """
    SELECT DISTINCT refusals.entity_id FROM refusals
    WHERE {here} AND is_own AND view = 'log' AND entity_type = 'version' AND reason = 'version-missing'
    ORDER BY refusals.entity_id
"""
LAST_WORDS = """
    SELECT entity_id, max_by(entry_action, "offset") AS action FROM entries
    WHERE {here} AND entry_type = 'ArtifactVersion' GROUP BY entity_id
"""
DELETED = ("delete", "tombstone")
Attributes = Mapping[str, Any]


@dataclass
class Stake:
    """What is at stake.

    required       entities that the registry that wrote the journal held at its end, and their attributes
    held           labels of artifacts that a registry holds at its next start
    gone_versions  versions that records speak of, with no record that makes them
    lost, returning, changed   what the journal loses, gets back or changes if nothing is done, with what it is then
    """

    required: dict[Entity, Attributes]
    held: set[str] = field(default_factory=set)
    broken: list[str] = field(default_factory=list)
    gone_versions: list[str] = field(default_factory=list)
    lost: set[Entity] = field(default_factory=set)
    returning: dict[Entity, Attributes] = field(default_factory=dict)
    changed: set[Entity] = field(default_factory=set)
    changed_at_once: set[Entity] = field(default_factory=set)  # at the next start, without a compaction
    returned: set[Entity] = field(default_factory=set)  # the same

    @property
    def labels(self) -> list[str]:
        """The artifacts to write again, by name."""
        lost = (
            name if kind == "artifact" else artifact_of(name)
            for kind, name in self.lost | self.changed
            if kind in ("artifact", "version")
        )
        artifacts = {*map(artifact_of, self.broken), *lost, *map(artifact_of, self.gone_versions)}
        return sorted(artifacts)

    @cached_property
    def _users(self) -> dict[str, set[str]]:
        by_hash: dict[str, set[str]] = defaultdict(set)
        for (kind, name), attributes in self.required.items():
            if kind == "version":
                by_hash[str(attributes.get("contentHash"))].add(artifact_of(name))
        return by_hash

    def users_of(self, content_hash: str) -> set[str]:
        """The artifacts that use a content."""
        return self._users.get(content_hash, set())


def artifact_of(version: str) -> str:
    """The artifact of a version, by their names."""
    return version.rpartition("/")[0]


def stake_of(journal: PartitionJournal, older: Sequence[PartitionJournal]) -> Stake:
    """What is at stake in a journal, also by what older dumps of it held."""
    stake = Stake({**state_of(journal), **journal.unfinished.lost})
    for dump in sorted(older, key=PartitionJournal.end_offset):
        restore(stake.required, journal, dump)
    stake.broken = [row["entity_id"] for row in journal.rows(BROKEN)]
    deleted = {row["entity_id"] for row in journal.rows(LAST_WORDS) if row["action"] in DELETED}
    made = {str(row["entity_id"]) for row in journal.rows(MADE)}
    stake.gone_versions = [
        row["entity_id"]
        for row in journal.rows(GONE)
        if row["entity_id"] not in deleted and row["entity_id"] not in made
    ]
    look_ahead(journal, stake)
    stake.broken += vanished(journal, stake.required, older)
    return stake


MADE = """
    SELECT entity_id FROM state WHERE {here} AND view = 'log' AND entity_type = 'version'
    UNION SELECT entity_id FROM refusals WHERE {here} AND view = 'log' AND entity_type = 'version'
        AND reason NOT IN ('version-missing')
"""


def state_of(journal: PartitionJournal) -> dict[Entity, Attributes]:
    """What the registry holds that wrote the journal."""
    rows = journal.rows(HELD)
    return {(row["entity_type"], row["entity_id"]): orjson.loads(row["attributes"]) for row in rows}


def look_ahead(journal: PartitionJournal, stake: Stake) -> None:
    """Start registries on the journal as it is, and compact it."""
    language = journal.language
    try:
        for release, one in every_start(journal.log(), language):
            state = one.started.state
            if len(one.steps) == 1 or one.steps == ("compaction", "start"):
                stake.held |= {name for kind, name in state if kind == "artifact"}
            outcome = compared(language, release, one.steps, state, stake.required)
            stake.lost |= entities(outcome.lacks)
            stake.changed |= entities(outcome.differs)
            if one.steps == ("start",):
                stake.changed_at_once |= entities(outcome.differs)
                stake.returned |= entities(outcome.returns)
            stake.returning |= {entity: attributes(state, entity) for entity in entities(outcome.returns)}
    except ReleaseCannotStart:
        return


def entities(names: Iterable[str]) -> set[Entity]:
    """`type name` as entities."""
    return {(kind, name) for kind, _, name in (text.partition(" ") for text in names)}


def attributes(state: State, entity: Entity) -> Attributes:
    """An entity's attributes."""
    attributes: Attributes = orjson.loads(state[entity])
    return attributes


def vanished(
    journal: PartitionJournal, held: Mapping[Entity, Any], older: Sequence[PartitionJournal]
) -> list[str]:
    """Versions that an older dump holds and this journal neither holds nor deletes: their records are gone."""
    gone: list[str] = []
    for dump in older:
        there = [name for kind, name in state_of(dump) if kind == "version" and ("version", name) not in held]
        gone += [name for name in there if not is_deleted(name, journal)]
    return sorted(set(gone))


def is_deleted(version: str, journal: PartitionJournal) -> bool:
    """Whether a record of the journal deletes a version, its artifact or its group."""
    artifact = artifact_of(version)
    ignored = ", ".join(map(str, journal.unfinished.deletes)) or "-1"
    query = f"""
        SELECT count(*) AS n FROM entries WHERE {{here}} AND (
            (entry_type = 'ArtifactVersion' AND entry_action IN ('delete', 'tombstone') AND entity_id = {quoted(version)})
            OR (entry_type = 'Artifact' AND entry_action = 'delete' AND entity_id = {quoted(artifact)}
                AND "offset" NOT IN ({ignored}))
            OR (entry_type = 'Group' AND entry_action = 'delete' AND starts_with({quoted(artifact)}, entity_id || '/')))
    """
    return bool(journal.rows(query)[0]["n"])
