"""What is at stake in a journal: what the registry holds, and what it loses, or gets back, with starts and compactions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import orjson

from spark.dialects import Entity, ReleaseCannotStart
from spark.difference import StateChanges
from spark.difference.members import Attributes
from spark.repair.apicurio_v2.older import restore
from spark.repair.apicurio_v2.versions import LACKING
from spark.repair.journal import PartitionJournal
from spark.repair.trial import changes_of, every_start
from spark.tables.replica import IN_REPLICA

BROKEN = f"""
    SELECT DISTINCT entity_id FROM refusals
    WHERE {IN_REPLICA} AND is_own AND view IN ('log', 'full') AND entity_type = 'version' AND reason IN {LACKING}
    ORDER BY entity_id
"""
GONE = f"""
    SELECT DISTINCT entity_id FROM live_refusals
    WHERE {IN_REPLICA} AND entity_type = 'version' AND reason = 'version-missing'
    ORDER BY entity_id
"""
MADE = f"""
    SELECT entity_id FROM state WHERE {IN_REPLICA} AND view = 'log' AND entity_type = 'version'
    UNION SELECT entity_id FROM refusals WHERE {IN_REPLICA} AND view = 'log' AND entity_type = 'version'
        AND reason <> 'version-missing'
"""
DELETES = f"""
    SELECT count(*) AS n FROM entries WHERE {IN_REPLICA} AND (
        (entry_type = 'ArtifactVersion' AND entry_action IN ('delete', 'tombstone') AND entity_id = $version)
        OR (entry_type = 'Artifact' AND entry_action = 'delete' AND entity_id = $artifact
            AND "offset" NOT IN (SELECT unnest($ignored::BIGINT[])))
        OR (entry_type = 'Group' AND entry_action = 'delete' AND starts_with($artifact, entity_id || '/')))
"""
LAST_ACTIONS = f"""
    SELECT entity_id, max_by(entry_action, "offset") AS action FROM entries
    WHERE {IN_REPLICA} AND entry_type = 'ArtifactVersion' GROUP BY entity_id
"""
DELETED = ("delete", "tombstone")


@dataclass
class Stake:
    """What is at stake.

    required       entities that the registry that wrote the journal held at its end, and their attributes
    artifacts      labels of artifacts that a registry holds at its next start
    gone_versions  versions that records speak of, with no record that makes them
    changes        what the journal loses, changes or gets back if nothing is done
    at_next_start  what of it happens at the next start, without a compaction
    already        what of it has happened: the journal's own state is no longer the required one
    """

    required: dict[Entity, Attributes]
    artifacts: set[str] = field(default_factory=set)
    broken: list[str] = field(default_factory=list)
    gone_versions: list[str] = field(default_factory=list)
    changes: StateChanges[Entity] = field(default_factory=StateChanges)
    at_next_start: StateChanges[Entity] = field(default_factory=StateChanges)
    already: StateChanges[Entity] = field(default_factory=StateChanges)

    @property
    def labels(self) -> list[str]:
        """The artifacts to write again, by name."""
        lost = (
            name if kind == "artifact" else artifact_of(name)
            for kind, name in self.changes.lost | self.changes.changed
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
        return self._users.get(content_hash, set())


def artifact_of(version: str) -> str:
    """The artifact of a version, by their names."""
    return version.rpartition("/")[0]


def stake_of(journal: PartitionJournal, older: Sequence[PartitionJournal]) -> Stake:
    """What is at stake in a journal, also by what older dumps of it held."""
    stake = Stake({**journal.state, **journal.unfinished.lost})
    for dump in sorted(older, key=PartitionJournal.end_offset):
        restore(stake.required, journal, dump)
    own_state = {entity: orjson.dumps(attributes).decode() for entity, attributes in journal.state.items()}
    stake.already = changes_of(own_state, stake.required, journal.language)
    stake.broken = [row["entity_id"] for row in journal.rows(BROKEN)]
    deleted = {row["entity_id"] for row in journal.rows(LAST_ACTIONS) if row["action"] in DELETED}
    made = {str(row["entity_id"]) for row in journal.rows(MADE)}
    stake.gone_versions = [
        row["entity_id"]
        for row in journal.rows(GONE)
        if row["entity_id"] not in deleted and row["entity_id"] not in made
    ]
    look_ahead(journal, stake)
    stake.broken += vanished(journal, stake.required, older)
    return stake


def look_ahead(journal: PartitionJournal, stake: Stake) -> None:
    """Start registries on the journal as it is, and compact it."""
    language = journal.language
    try:
        for _, life in every_start(journal.log(), language):
            state = life.started.state
            if life.steps in (("start",), ("compaction", "start")):
                stake.artifacts |= {name for kind, name in state if kind == "artifact"}
            changes = changes_of(state, stake.required, language)
            stake.changes |= changes
            if life.steps == ("start",):
                stake.at_next_start |= changes
    except ReleaseCannotStart:
        return


def vanished(
    journal: PartitionJournal, required: Mapping[Entity, Attributes], older: Sequence[PartitionJournal]
) -> list[str]:
    """Versions that an older dump holds and this journal neither holds nor deletes: their records are gone."""
    lost = {entity for dump in older for entity in dump.state.keys() - required.keys()}
    return sorted(name for kind, name in lost if kind == "version" and not is_deleted(name, journal))


def is_deleted(version: str, journal: PartitionJournal) -> bool:
    """Whether a record of the journal deletes a version, its artifact or its group."""
    ignored = sorted(journal.unfinished.deletes)
    (row,) = journal.rows(DELETES, version=version, artifact=artifact_of(version), ignored=ignored)
    return bool(row["n"])
