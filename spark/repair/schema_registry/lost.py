"""Versions that a journal lost: from older dumps, from its own records, or from a file whose id the user gives.

Without being asked for, these come back:

    an older dump holds the version, not marked as deleted, and no record deletes it, here or in another older dump
    an older dump holds an id that no version has here, and its version has another schema now
    a version was written once more with another id, and no version has the first id
    Karapace passes over a version because what it references is gone or comes later

What was deleted permanently, or was marked as deleted in the older dump and is gone, comes back only by `--id`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import orjson

from spark.dialects import Entity
from spark.dialects.schema_registry.confluent import context_of
from spark.dialects.schema_registry.owner import KARAPACE, REDPANDA
from spark.difference import changes_between
from spark.difference.members import Attributes, meets
from spark.repair import MissingEntity, RequestedSchema
from spark.repair.journal import PartitionJournal
from spark.repair.schema_registry.files import fields_of_file
from spark.repair.schema_registry.holdings import Holdings, place_of, schema_record
from spark.tables.replica import IN_REPLICA

INTERVALS = f"""
    SELECT entity_id, attributes, valid_from_offset, valid_to_offset FROM state_history
    WHERE {IN_REPLICA} AND entity_type = 'schema'
    QUALIFY count(*) OVER (PARTITION BY entity_id) > 1 ORDER BY entity_id, valid_from_offset
"""
DELETED_LATER = f"""
    SELECT "offset", entry_type, entry_action, entity_id, TRY_CAST(json_extract(attributes, '$.version') AS BIGINT) AS version
    FROM entries WHERE {IN_REPLICA} AND "offset" > $offset
    AND (entry_type = 'SCHEMA' AND entity_id = $name OR entry_type = 'DELETE_SUBJECT' AND entity_id = $subject)
    ORDER BY "offset"
"""
OF_ID = f"""
    SELECT entity_id, max("offset") AS last_offset FROM entries
    WHERE {IN_REPLICA} AND entry_type = 'SCHEMA' AND entry_action IN ('register', 'soft-delete')
    AND TRY_CAST(json_extract(attributes, '$.id') AS BIGINT) = $id
    GROUP BY entity_id ORDER BY last_offset
"""


@dataclass(frozen=True)
class SharedId:
    """The id that a version has with another text's: the first version with it, which keeps it, and the one whose text its
    registry gives for it today."""

    schema_id: int
    first: str
    today: str


@dataclass(frozen=True)
class LostVersion:
    """A version to be written again. `fields`: its value as an object. `is_moved`: its version has another schema, so it takes
    the next version of the subject, marked as deleted: the id can be read, and the latest version stays what it is."""

    subject: str
    version: int
    schema_id: int
    is_deleted: bool
    fields: dict[str, Any]
    source: str
    is_moved: bool = False
    replaced_at: int | None = None  # offset of its record in this journal, which another one replaced
    shared: SharedId | None = None  # it is written again under an id of its own

    @property
    def name(self) -> str:
        """`subject/version`."""
        return f"{self.subject}/{self.version}"

    @property
    def label(self) -> str:
        instead = f" instead of {self.shared.schema_id}" if self.shared else ""
        return f"{self.name} (schema ID {self.schema_id}{instead})"

    @property
    def value(self) -> bytes:
        own = {"subject": self.subject, "version": self.version, "id": self.schema_id}
        return orjson.dumps({**own, **self.fields, **own, "deleted": self.is_deleted})

    def at(self, version: int) -> LostVersion:
        """The same under another version."""
        return replace(self, version=version)


def lost_versions(
    holdings: Holdings, older: Sequence[PartitionJournal], requested: Sequence[RequestedSchema]
) -> tuple[list[LostVersion], list[MissingEntity]]:
    """Versions to write again, each once, and ids that nobody can bring back."""
    candidates = [version for dump in reversed(older) for version in of_older_dump(holdings, dump, older)]
    candidates += [*overwritten(holdings), *rejected_for_a_reference(holdings, older)]
    missing = []
    for wish in requested:
        versions, gone = of_wish(holdings, older, wish)
        candidates += versions
        missing += gone
    distinct = {(version.subject, version.schema_id, version.is_moved): version for version in candidates}
    return list(distinct.values()), missing


def of_older_dump(
    holdings: Holdings, dump: PartitionJournal, older: Sequence[PartitionJournal]
) -> Iterator[LostVersion]:
    """What an older dump holds and this journal lost without a trace."""
    schemas = {entity: schema for entity, schema in dump.state.items() if entity[0] == "schema"}
    changes = changes_between(schemas, holdings.state, is_same_schema)
    for entity in sorted(changes.lost | changes.changed):
        slot, schema = place_of(entity[1]), schemas[entity]
        record = schema_record(dump, entity[1], schema["id"])
        if record is None or schema["deleted"]:
            continue
        deletion = deleted_later(holdings, older, entity[1], record.offset)
        is_taken = entity in changes.changed
        if deletion != "permanently" and (not is_taken or is_free(holdings, slot[0], schema["id"])):
            yield lost_version(slot, schema["id"], record.value, record.source, is_taken, bool(deletion))


def is_same_schema(_: Entity, schema: Attributes, other: Attributes) -> bool:
    return meets(schema, other, ("id", "schemaHash"))


def deleted_later(holdings: Holdings, older: Sequence[PartitionJournal], name: str, offset: int) -> str:
    """How records behind an offset delete a version: "", "marked" or "permanently". A compaction may have removed them from this
    journal, but not yet from an older dump."""
    subject, version = place_of(name)
    values = {"offset": offset, "name": name, "subject": subject}
    deletion = ""
    rows = {
        row["offset"]: row
        for journal in (*older, holdings.journal)
        for row in journal.rows(DELETED_LATER, **values)
    }
    for _, row in sorted(rows.items()):
        if row["entry_type"] == "DELETE_SUBJECT":
            reaches = holdings.profile == REDPANDA or (row["version"] or 0) >= version
            deletion = "marked" if reaches and row["entry_action"] == "delete-subject" else deletion
        elif row["entry_action"] in ("delete", "empty"):
            deletion = "permanently"
        else:
            deletion = "marked" if row["entry_action"] == "soft-delete" else ""
    return deletion


def is_free(holdings: Holdings, subject: str, schema_id: int) -> bool:
    """Whether no version of the subject's context has the id."""
    return not any(
        schema["id"] == schema_id and id_context(holdings, other) == id_context(holdings, subject)
        for (other, _), schema in holdings.schemas.items()
    )


def id_context(holdings: Holdings, subject: str) -> str:
    """Where an id must be the only one of its kind: Karapace has no contexts."""
    return "" if holdings.profile == KARAPACE else context_of(subject)


def rejected_for_a_reference(holdings: Holdings, older: Sequence[PartitionJournal]) -> Iterator[LostVersion]:
    """Versions whose record is here, but that their registry passes over because what they reference is gone, or came later."""
    at = [position for position, reason in holdings.reading.rejected.items() if reason == "reference-missing"]
    offsets = [offset for position in at if (offset := holdings.log.offset(position)) is not None]
    for record in holdings.journal.records(offsets).values():
        fields = orjson.loads(record.value or b"{}")
        name = f"{fields['subject']}/{fields['version']}"
        if (
            place_of(name) not in holdings.schemas
            and deleted_later(holdings, older, name, record.offset) != "permanently"
        ):
            is_marked = fields.get("deleted") is True
            yield lost_version(place_of(name), fields["id"], record.value, record.source, False, is_marked)


def overwritten(holdings: Holdings) -> Iterator[LostVersion]:
    """Versions that were written once more with another id, where no version has the first one."""
    for first, second in pairwise(holdings.journal.rows(INTERVALS)):
        before, after = orjson.loads(first["attributes"]), orjson.loads(second["attributes"])
        is_successor = first["entity_id"] == second["entity_id"] and (
            first["valid_to_offset"] == second["valid_from_offset"]
        )
        subject, _ = slot = place_of(first["entity_id"])
        if is_successor and before["id"] != after["id"] and is_free(holdings, subject, before["id"]):
            record = schema_record(holdings.journal, first["entity_id"], before["id"])
            if record is not None:
                again = lost_version(slot, before["id"], record.value, record.source, True, True)
                yield replace(again, replaced_at=record.offset)


def of_wish(
    holdings: Holdings, older: Sequence[PartitionJournal], wish: RequestedSchema
) -> tuple[list[LostVersion], list[MissingEntity]]:
    """An id that the user asks for: from this journal's records, from older dumps, or from the file."""
    for (subject, version), schema in holdings.schemas.items():
        if schema["id"] == wish.schema_id and wish.subject in ("", subject):
            why = f"{subject}/{version} has it already"
            return [], [MissingEntity(f"schema ID {wish.schema_id}", (), why)]
    places = list(places_of(holdings.journal, older, wish))
    if wish.file:
        slots = [(wish.subject, wish.version)] if wish.subject else [slot for slot, _ in places]
        source = f"file {wish.file.name}"
        value = orjson.dumps(fields_of_file(wish.file))
        versions = [of_value(holdings, slot, wish.schema_id, value, source) for slot in slots]
    else:
        versions = [
            of_value(holdings, slot, wish.schema_id, value, source) for slot, (value, source) in places
        ]
    return versions, [] if versions else [not_there(wish)]


def not_there(wish: RequestedSchema) -> MissingEntity:
    """In words for the browser, too, where a file's name gives what `--id` gives."""
    schema_name = f"{wish.schema_id}=SUBJECT/VERSION"
    if wish.file:
        text = f"the dumps do not name its subject and version: give them with its ID, {schema_name}"
    else:
        text = f"no record here and in the older dumps has it: add an older dump, or a file with its text as {schema_name}"
    return MissingEntity(f"schema ID {wish.schema_id}", (), text)


def places_of(
    journal: PartitionJournal, older: Iterable[PartitionJournal], wish: RequestedSchema
) -> Iterator[tuple[tuple[str, int], tuple[bytes, str]]]:
    """Subject and version that had an id, with the value of their record and where it stands; each once."""
    seen = set()
    for side in (journal, *older):
        for row in side.rows(OF_ID, id=wish.schema_id):
            slot = place_of(row["entity_id"])
            record = side.records([row["last_offset"]])[row["last_offset"]]
            if slot not in seen and wish.subject in ("", slot[0]) and record.value:
                seen.add(slot)
                yield slot, (record.value, record.source)


def of_value(
    holdings: Holdings, slot: tuple[str, int], schema_id: int, value: bytes, source: str
) -> LostVersion:
    """A version that the user asks for: not marked as deleted, unless its version is taken."""
    is_taken = slot in holdings.schemas
    return lost_version(slot, schema_id, value, source, is_taken, is_taken)


def lost_version(
    slot: tuple[str, int],
    schema_id: int,
    value: bytes | None,
    source: str,
    is_moved: bool,
    is_deleted: bool,
) -> LostVersion:
    """From the value of a record; what a leader noted of its cache is left out."""
    fields = orjson.loads(value or b"{}")
    cached = {name: member for name, member in fields.items() if name not in ("offset", "ts")}
    return LostVersion(*slot, schema_id, is_moved or is_deleted, cached, source, is_moved)
