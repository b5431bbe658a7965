"""Which entities the deleted head of a journal had: those that later entries need and no record brings.

The replay of the service tells it (`refusals`: an entry that the service rejects, and what it lacks), for schema registries the
references to versions that are not there. Of Connect's configs only connectors whose config cannot have been deleted: tasks of a deleted one
stay, and compaction removes its tombstone (`_history_heads`).
"""

from __future__ import annotations

from typing import NamedTuple

from spark.detectors.log._history_heads import WITHOUT_CONNECTOR
from spark.tables.replica import Row, is_of, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked

REJECTED = """
    SELECT needs, entity_type, entity_id, min("offset") AS first_offset FROM refusals
    WHERE {of_replica} AND view = 'log' AND is_own AND reason LIKE '%-missing' AND reason <> 'connector-missing'
        AND available_from_offset IS NULL
    GROUP BY ALL ORDER BY first_offset
"""
REFERENCES = """
    WITH schemas AS (
        SELECT "offset", attributes ->> '$.subject' AS subject, TRY_CAST(attributes ->> '$.version' AS BIGINT) AS version,
            CASE WHEN attributes LIKE '%"references":[{{%' THEN attributes END AS attributes
        FROM entries WHERE {of_replica} AND entry_type = 'SCHEMA' AND decode_error IS NULL AND entry_action IN ('register', 'soft-delete')
    ),
    needed AS (
        SELECT "offset", unnest(from_json(json_extract(attributes, '$.references'),
            '[{{"subject":"VARCHAR","version":"BIGINT"}}]')) AS target
        FROM schemas WHERE attributes IS NOT NULL
    )
    SELECT target.subject AS subject, target.version AS version, min("offset") AS first_offset FROM needed
    WHERE NOT EXISTS (FROM schemas WHERE schemas.subject = target.subject AND schemas.version = target.version)
    GROUP BY ALL ORDER BY first_offset
"""


class LostEntity(NamedTuple):
    """One of them. `id` is empty where all that is known is its type."""

    entity_type: str
    id: str

    @property
    def name(self) -> str:
        """For sentences."""
        if self.entity_type == "version":
            subject, _, version = self.id.rpartition("/")
            return f"{marked.entity(subject, 'subject')} version {marked.name(version)}"
        return (
            f"{self.entity_type} {marked.entity(self.id, self.entity_type)}" if self.id else self.entity_type
        )


def lost_entities(tables: ResultTables, row: Row) -> list[LostEntity]:
    """In the order of the first entry that needs them, each once."""
    of_replica = is_of(replica_of(row))
    rejected = [lacked(row) for row in tables.rows(REJECTED.format(of_replica=of_replica))]
    references = [
        LostEntity("version", f"{row['subject']}/{row['version']}")
        for row in tables.rows(REFERENCES.format(of_replica=of_replica))
    ]
    connectors = [
        LostEntity("connector", row["connector"])
        for row in tables.rows(WITHOUT_CONNECTOR.format(of_replica=of_replica))
    ]
    return list(dict.fromkeys([*rejected, *references, *connectors]))


def lacked(row: Row) -> LostEntity:
    """What an entry needs, such as `content:_/b5f2`; else the entry's own entity."""
    entity_type, _, name = (row["needs"] or f"{row['entity_type']}:{row['entity_id']}").partition(":")
    return LostEntity(entity_type, name)
