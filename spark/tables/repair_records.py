"""Records that a repair wrote, as the header says that each of them carries.

    journalscope-repair => id SP number "/" total [ SP "stays-deleted" ]     5b1c0d6a-3f0e-4d57-9d5a-0c8f0f1f2a11 3/11

`stays-deleted`: what the record deletes stays so; any other DELETE of a repair is followed by what it took.

Repairs from before this header gave the DELETE of an artifact the `req` of its CREATE. No registry does: each record that
one writes has a request id of its own. Source: KafkaSqlSubmitter.java, tag 2.6.13.Final.
"""

from __future__ import annotations

from spark.tables.replica import REPLICA_COLUMNS

HEADER = "journalscope-repair"
REQUEST = "req"
STAYS_DELETED = "stays-deleted"
MARK = rf"^(\S+) ([0-9]+)/([0-9]+)( {STAYS_DELETED})?$"


def header(name: str) -> str:
    """In SQL: the value of a record's first header of this name, as text; null where it has none."""
    return f"CAST(list_filter(headers, lambda header: header['key'] = '{name}'::BLOB)[1]['value'] AS VARCHAR)"


# One row per record that carries the header: of which repair, its number there from 1 on, and how many there are in all.
MARKED = f"""
    SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms, regexp_extract(mark, '{MARK}', 1) AS repair,
        CAST(regexp_extract(mark, '{MARK}', 2) AS BIGINT) AS number, CAST(regexp_extract(mark, '{MARK}', 3) AS BIGINT) AS total,
        ends_with(mark, '{STAYS_DELETED}') AS stays_deleted
    FROM (
        SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms, {header(HEADER)} AS mark FROM records
        WHERE control_type IS NULL AND len(headers) > 0
    ) WHERE regexp_matches(mark, '{MARK}')
"""
# DELETEs of artifacts by repairs without the header. One key is no proof: a tool may have copied a record with its headers.
UNMARKED_DELETES = f"""
    WITH requests AS (
        SELECT {REPLICA_COLUMNS}, "offset", entries.entry_action, entries.entity_id, records.key, records.timestamp_ms,
            {header(REQUEST)} AS request, {header(HEADER)} AS mark
        FROM entries JOIN records USING ({REPLICA_COLUMNS}, "offset")
        WHERE entries.entry_type = 'Artifact' AND entries.entry_action IN ('create', 'import', 'delete') AND len(headers) > 0
    )
    SELECT DISTINCT {REPLICA_COLUMNS}, deletes."offset", deletes.timestamp_ms, deletes.entity_id
    FROM (FROM requests WHERE entry_action = 'delete' AND mark IS NULL) AS deletes
    JOIN (FROM requests WHERE entry_action <> 'delete') AS made USING ({REPLICA_COLUMNS}, entity_id, request)
    WHERE deletes.key <> made.key
"""
