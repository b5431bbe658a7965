"""What shows that a dump starts too late: entries that need what lay before its first offset.

An export carries no segment names, and compaction takes first records, too. So each kind of journal has its own proof:

    Apicurio Registry 3.x   every key is written once, so nothing but retention or a cut takes records
    Apicurio Registry 2.x   ids are drawn by records that compaction keeps: fewer of them than the first id in use
    schema registry         ids begin late, and a live schema refers to a version that is not there (likely: ids and
                            versions begin late, and nobody imported them)
    histories, configs      `_history_heads`
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spark.detectors.apicurio._journals import SCHEMAS, V2, V3, services
from spark.detectors.log._history_heads import HISTORY_PROOFS, history_owners, is_asked_later
from spark.tables.replica import REPLICA_COLUMNS, PartitionReplica, is_of, quoted, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.typed_wording import plural

LATE_IDS = 3  # so many first ids must be missing, for a first schema may have been deleted for good
STARTS = f"""
    SELECT {REPLICA_COLUMNS}, min("offset") AS head_offset FROM lifelines
    WHERE topic IN (%s) GROUP BY ALL HAVING min("offset") > 0 ORDER BY {REPLICA_COLUMNS}
"""
REFUSED = """
    SELECT count(*) AS refused, min("offset") AS first_offset FROM refusals
    WHERE {of_replica} AND view = 'log' AND is_own AND reason LIKE '%-missing'
"""
DRAWN = """
    WITH first AS (
        SELECT "offset", TRY_CAST(attributes ->> '$.globalId' AS BIGINT) AS global_id FROM entries
        WHERE {of_replica} AND entry_type = 'Artifact' AND entry_action IN ('create', 'update')
            AND (attributes ->> '$.globalId') IS NOT NULL
        ORDER BY "offset" LIMIT 1
    ),
    ids AS (
        SELECT "offset", entry_action, attributes LIKE '%"uuid"%' AS has_uuid FROM entries
        WHERE {of_replica} AND entry_type = 'GlobalId'
    )
    SELECT first."offset" AS first_offset, first.global_id,
        (SELECT count(*) FROM ids WHERE entry_action = 'create' AND ids."offset" < first."offset") AS drawn,
        (SELECT coalesce(bool_and(has_uuid), false) FROM ids) AS are_kept,
        (SELECT count(*) FROM ids WHERE entry_action = 'reset') AS resets
    FROM first
"""
SCHEMA_IDS = """
    WITH schemas AS (
        SELECT "offset", entry_action, attributes ->> '$.subject' AS subject,
            TRY_CAST(attributes ->> '$.version' AS BIGINT) AS version, TRY_CAST(attributes ->> '$.id' AS BIGINT) AS id,
            CASE WHEN attributes LIKE '%"references":[{{%' THEN attributes END AS attributes
        FROM entries WHERE {of_replica} AND entry_type = 'SCHEMA' AND decode_error IS NULL
    ),
    written AS (SELECT * FROM schemas WHERE entry_action IN ('register', 'soft-delete')),
    needed AS (
        SELECT "offset", unnest(from_json(json_extract(attributes, '$.references'),
            '[{{"subject":"VARCHAR","version":"BIGINT"}}]')) AS target
        FROM written WHERE attributes IS NOT NULL
    ),
    dangling AS (
        SELECT "offset", target.subject AS subject, target.version AS version FROM needed
        WHERE NOT EXISTS (
            FROM written WHERE written.subject = target.subject AND written.version = target.version
        )
    )
    SELECT (SELECT min(id) FROM written) AS first_id, (SELECT count(*) FROM dangling) AS dangling,
        (SELECT min("offset") FROM dangling) AS first_offset,
        (SELECT list(DISTINCT subject || ' version ' || version)[:3] FROM dangling) AS missing,
        (SELECT count(*) FROM (
            SELECT subject FROM written GROUP BY subject HAVING min(version) > 1
        )) AS late_subjects,
        (SELECT count(*) FROM entries WHERE {of_replica} AND entry_type = 'MODE' AND attributes LIKE '%"IMPORT"%') AS imports
"""


def late_starts(tables: ResultTables, without: set[PartitionReplica]) -> Iterator[dict[str, Any]]:
    """Journals that begin above 0 and lack what lay there; `without`: copies whose segments' names tell."""
    owners = services(tables) | history_owners(tables)
    proofs = {V2: drawn_before, V3: never_compacted, SCHEMAS: schemas_before, **HISTORY_PROOFS}
    topics = ", ".join(quoted(topic) for topic, service in sorted(owners.items()) if service in proofs)
    for row in tables.rows(STARTS % topics) if topics else ():
        replica = replica_of(row)
        if replica in without:
            continue
        owner = owners[replica[0]]
        if owner in HISTORY_PROOFS and is_asked_later(tables, replica):
            continue
        proof = proofs[owner](tables, replica)
        if proof:
            yield {**row, "service": owners[replica[0]], **proof}


def only_row(tables: ResultTables, query: str, replica: PartitionReplica) -> dict[str, Any] | None:
    """A question's only row."""
    rows = tables.rows(query.format(of_replica=is_of(replica)))
    return rows[0] if rows else None


def never_compacted(tables: ResultTables, replica: PartitionReplica) -> dict[str, Any] | None:
    """Apicurio 3.x: the first offset is proof enough; calls that fail show that something is lacking."""
    row = only_row(tables, REFUSED, replica) or {}
    if row.get("refused"):
        calls = plural(row["refused"], "call changes", "calls change")
        sentence = f"{calls} entities that no record creates, the first at offset {marked.offset(row['first_offset'])}."
        return {"shown": sentence, "evidence": [row["first_offset"]], "confidence": "proven"}
    sentence = "Each key of this journal occurs only once, so compaction removes no record."
    return {"shown": sentence, "evidence": [], "confidence": "likely"}


def drawn_before(tables: ResultTables, replica: PartitionReplica) -> dict[str, Any] | None:
    """Apicurio 2.x: the first id in use is higher than the number of ids drawn before it."""
    row = only_row(tables, DRAWN, replica)
    if row is None or not row["are_kept"] or row["resets"] or row["global_id"] <= row["drawn"]:
        return None
    sentence = (
        f"The first version (offset {marked.offset(row['first_offset'])}) has globalId {marked.name(row['global_id'])}, but only {marked.number(row['drawn'])} GlobalId "
        "records precede it. Each of them has a separate key, so compaction does not remove them."
    )
    return {"shown": sentence, "evidence": [row["first_offset"]], "confidence": "proven"}


def schemas_before(tables: ResultTables, replica: PartitionReplica) -> dict[str, Any] | None:
    """Schema registries: ids begin late, and references or versions show that something was there."""
    row = only_row(tables, SCHEMA_IDS, replica)
    if row is None or row["first_id"] is None or row["first_id"] <= 1 or row["imports"]:
        return None
    begins = f"The lowest schema ID in the dump is {marked.number(row['first_id'])}"
    if row["dangling"]:
        missing = " and ".join(marked.entity(label, "schema") for label in row["missing"])
        sentence = f"{begins}, and offset {marked.offset(row['first_offset'])} refers to {missing}, which the dump does not contain."
        return {"shown": sentence, "evidence": [row["first_offset"]], "confidence": "proven"}
    if row["late_subjects"] and row["first_id"] > LATE_IDS:
        sentence = f"{begins}, and {plural(row['late_subjects'], 'subject starts', 'subjects start')} with a version above 1."
        return {"shown": sentence, "evidence": [], "confidence": "likely"}
    return None
