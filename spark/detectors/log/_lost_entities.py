"""Which entities the deleted head of a journal had: those that later entries need and no record brings.

The replay of the service tells it (`refusals`: an entry that the service rejects, and what it lacks), for schema registries the
references to versions that are not there.
"""

from __future__ import annotations

from spark.tables.replica import Row, is_of, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked

REJECTED = """
    SELECT needs, entity_type, entity_id, min("offset") AS first_offset FROM refusals
    WHERE {where} AND view = 'log' AND is_own AND reason LIKE '%-missing' AND available_from_offset IS NULL
    GROUP BY ALL ORDER BY first_offset
"""
REFERENCES = """
    WITH schemas AS (
        SELECT "offset", attributes ->> '$.subject' AS subject, TRY_CAST(attributes ->> '$.version' AS BIGINT) AS version,
            CASE WHEN attributes LIKE '%"references":[{{%' THEN attributes END AS attributes
        FROM entries WHERE {where} AND entry_type = 'SCHEMA' AND decode_error IS NULL AND entry_action IN ('register', 'soft-delete')
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


def lost_entities(tables: ResultTables, row: Row) -> list[str]:
    """Names for sentences, in the order of the first entry that needs them, each once."""
    of_replica = is_of(replica_of(row))
    rejected = [lacked(row) for row in tables.rows(REJECTED.format(where=of_replica))]
    references = [
        f"{marked.entity(row['subject'], 'subject')} version {marked.name(row['version'])}"
        for row in tables.rows(REFERENCES.format(where=of_replica))
    ]
    return list(dict.fromkeys([*rejected, *references]))


def lacked(row: Row) -> str:
    """What an entry needs, `content:_/b5f2` as `content _/b5f2`; else the entry's own entity."""
    kind, _, name = (row["needs"] or f"{row['entity_type']}:{marked.entity(row['entity_id'])}").partition(":")
    return f"{kind} {marked.entity(name, kind)}" if name else kind
