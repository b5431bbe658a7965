"""What a schema registry holds by its own rules: of a journal without the records that stop its start."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import orjson

from spark.dialects import Entity
from spark.dialects.schema_registry.keys import FATAL
from spark.dialects.schema_registry.owner import REDPANDA, TITLES
from spark.dialects.schema_registry.starts import WHY, Reading, read
from spark.difference import StateChanges
from spark.difference.members import Attributes
from spark.repair.journal import PartitionJournal, StoredRecord
from spark.repair.trial import changes_of, every_start
from spark.simulation.log import SimulatedLog
from spark.simulation.starts import releases_of
from spark.tables.replica import IN_REPLICA

MAX_STOPS = 200  # that are looked for one by one
STOPPING = f"""
    SELECT "offset", json_extract_string(attributes, '$.reason') AS reason
    FROM entries WHERE {IN_REPLICA} AND (json_extract_string(attributes, '$.effects.' || $profile) = '{FATAL}'
        OR $profile = '{REDPANDA}' AND json_extract(attributes, '$.unknownFields') IS NOT NULL)
    ORDER BY "offset"
"""
OF_ENTITY = f"""
    SELECT "offset" FROM entries WHERE {IN_REPLICA} AND entry_type = $type AND entity_id = $name
    AND entry_action NOT IN ('delete', 'empty') ORDER BY "offset"
"""
OF_SCHEMA = f"""
    SELECT "offset" FROM entries WHERE {IN_REPLICA} AND entry_type = 'SCHEMA' AND entity_id = $name
    AND entry_action IN ('register', 'soft-delete') AND json_extract(attributes, '$.id')::BIGINT = $id
    ORDER BY "offset" DESC LIMIT 1
"""
AT_OFFSETS = '"offset" IN (SELECT unnest($offsets))'
ENTRY_TYPES = {"schema": "SCHEMA", "config": "CONFIG", "mode": "MODE"}


@dataclass
class Holdings:
    """A journal as the registry that owns it reads it. `stops`: offsets of records that stop its start, with the reason."""

    journal: PartitionJournal
    profile: str
    stops: dict[int, str]
    log: SimulatedLog
    reading: Reading

    @property
    def title(self) -> str:
        """The registry's name."""
        return TITLES[self.profile]

    @cached_property
    def state(self) -> dict[Entity, Attributes]:
        return {entity: orjson.loads(text) for entity, text in self.reading.state.items()}

    @cached_property
    def schemas(self) -> dict[tuple[str, int], Attributes]:
        return {
            place_of(name): attributes for (kind, name), attributes in self.state.items() if kind == "schema"
        }

    def offset(self, entity: Entity) -> int | None:
        """The record that set an entity as it is."""
        return self.log.offset(self.reading.origins[entity])

    @cached_property
    def unapplied(self) -> set[Entity]:
        """Entities that are held although somebody deleted them: with a value of zero length, which is none to this registry."""
        at = [position for position, reason in self.reading.rejected.items() if reason == "value-empty"]
        offsets = [offset for position in at if (offset := self.log.offset(position)) is not None]
        if not offsets:
            return set()
        types = {entry_type: kind for kind, entry_type in ENTRY_TYPES.items()}
        deleted = {
            (types[entry.type], entry.id): entry.offset
            for entry in self.journal.entries(AT_OFFSETS, offsets=offsets)
            if entry.type in types
        }
        return {
            entity
            for entity, offset in deleted.items()
            if entity in self.state and (self.offset(entity) or 0) < offset
        }

    def changes(self) -> StateChanges[Entity]:
        """What starts and compactions do to it, if nothing is done."""
        changes = StateChanges[Entity]()
        for _, life in every_start(self.log, self.journal.language):
            changes |= changes_of(life.started.state, self.state, self.journal.language)
        return changes


def holdings_of(journal: PartitionJournal) -> Holdings:
    """What the journal's registry holds; records that stop it are left out, one after the other."""
    log = journal.log()
    profile = releases_of(log, journal.language)[0]
    stops: dict[int, str] = {}
    while True:
        reading = read(log, profile)
        offset = None if reading.stopped_at is None else log.offset(reading.stopped_at)
        if reading.stopped_at is None or offset is None or len(stops) > MAX_STOPS:
            return Holdings(journal, profile, stops, log, reading)
        stops = {**(stops or every_stop(journal, profile)), offset: reading.rejected[reading.stopped_at]}
        log = journal.edited_log({}, {}, stops)


def every_stop(journal: PartitionJournal, profile: str) -> dict[int, str]:
    """Records of which their entry says that they stop this registry."""
    rows = journal.rows(STOPPING, profile=profile)
    return {row["offset"]: row["reason"] or "unknown-field" for row in rows}


def why_it_stops(title: str, reason: str) -> str:
    return f"{title} does not start with this record: {WHY.get(reason, reason)}"


def records_of(journal: PartitionJournal, entity: Entity) -> list[StoredRecord]:
    """The records that set an entity, in offset order."""
    kind, name = entity
    rows = journal.rows(OF_ENTITY, type=ENTRY_TYPES[kind], name=name)
    return list(journal.records(row["offset"] for row in rows).values())


def schema_record(journal: PartitionJournal, name: str, schema_id: int) -> StoredRecord | None:
    """The last record that gave a version this id."""
    rows = journal.rows(OF_SCHEMA, name=name, id=schema_id)
    return next(iter(journal.records(row["offset"] for row in rows).values()), None)


def place_of(name: str) -> tuple[str, int]:
    """`subject/version` as subject and version."""
    subject, _, version = name.rpartition("/")
    return subject, int(version)
