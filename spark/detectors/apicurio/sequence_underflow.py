"""A sequence of ids that ends below the highest id in use: the next write draws an id that already exists.

Ids follow from how many records drew one. Before 2.1.4 these records share one key, and compaction leaves the last. Innocent: as many
records as are missing cannot be read, because their bytes are damaged: they may be the draws.
Page: docs/detectors/sequence-underflow.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding

WHAT = {"globalId": "version", "contentId": "content", "commentId": "comment"}

# One row per sequence.
# Today's state decides; where that is fine, what compaction will make of it.
SHORT = f"""
    WITH sequences AS (
        SELECT {REPLICA_COLUMNS}, view, entity_id, origin_offset, TRY_CAST(attributes ->> '$.value' AS BIGINT) AS value,
            TRY_CAST(attributes ->> '$.highest' AS BIGINT) AS highest
        FROM state WHERE entity_type = 'sequence' AND is_own AND view IN ('log', 'full') AND valid_to_offset IS NULL
    ),
    unread AS (
        SELECT {REPLICA_COLUMNS}, sum(records)::BIGINT AS records FROM (
            SELECT {REPLICA_COLUMNS}, greatest(record_count - coalesce(records_read, 0), 0) AS records FROM batches WHERE NOT crc_ok
            UNION ALL SELECT {REPLICA_COLUMNS}, last_offset - first_offset + 1 FROM damage WHERE last_offset IS NOT NULL
            UNION ALL SELECT {REPLICA_COLUMNS}, 1 FROM entries WHERE decode_error IS NOT NULL
        ) GROUP BY ALL
    ),
    short AS (
        SELECT sequences.* FROM sequences LEFT JOIN unread USING ({REPLICA_COLUMNS}) WHERE value + coalesce(unread.records, 0) < highest
        QUALIFY row_number() OVER (PARTITION BY {REPLICA_COLUMNS}, entity_id ORDER BY view = 'log' DESC) = 1
    ),
    holders AS (
        SELECT {REPLICA_COLUMNS}, view, origin_offset, entity_type, entity_id AS holder,
            coalesce(attributes ->> '$.globalId', attributes ->> '$.contentId') AS id
        FROM state
        WHERE entity_type IN ('version', 'content') AND is_own AND valid_to_offset IS NULL
            AND EXISTS (SELECT 1 FROM short)
    )
    SELECT short.*, holders.origin_offset AS holder_offset, holder
    FROM short LEFT JOIN holders ON (holders.topic, holders.partition, holders.replica, holders.view)
            = (short.topic, short.partition, short.replica, short.view)
        AND holders.id = short.highest::VARCHAR
        AND holders.entity_type = CASE WHEN short.entity_id LIKE '%globalId' THEN 'version' ELSE 'content' END
    QUALIFY row_number() OVER (PARTITION BY short.topic, short.partition, short.replica, short.entity_id
        ORDER BY holders.origin_offset) = 1
    ORDER BY ALL
"""
SEQUENCE_RECORDS = {"globalId": "GlobalId", "contentId": "ContentId", "commentId": "CommentId"}


def describe(row: Row) -> Finding:
    name, is_now = row["entity_id"], row["view"] == "log"
    holder = row["holder_offset"]
    offsets = [offset for offset in (holder, row["origin_offset"]) if offset is not None]
    fails = "can fail" if is_now else "can fail after the next compaction"
    value = "is at" if is_now else "will be at"
    return Finding(
        detector=detector.id,
        severity="high",
        effects=on_entities("at_risk", "sequence", [name], "already" if is_now else "next_compaction"),
        title=f"New registrations {fails}: sequence {marked.entity(name, 'sequence')} {value} {marked.number(row['value'])}, but ID {marked.number(row['highest'])} is in use",
        explanation=explanation(row, is_now),
        **located(row, min(offsets), max(offsets)),
        entity=f"sequence:{name}",
        evidence=offsets,
        remedy=remedy(row, is_now),
        references=detector.references,
        entities={f"sequence:{name}", *(["head", "topic:elsewhere"] if is_now else [])},
    )


def explanation(row: Row, is_now: bool) -> str:
    """How it came to that, and what the next write does."""
    id_name = row["entity_id"].rpartition("/")[2]
    id_kind = WHAT[id_name]
    holder = (
        f" ({id_kind} {marked.name(row['holder'])}, offset {marked.offset(row['holder_offset'])})"
        if row.get("holder")
        else ""
    )
    start = "At the next start" if is_now else "At the first start after the next compaction"
    draws = (
        f"This journal contains {marked.number(row['value'])} of them"
        if is_now
        else f"After the next compaction {marked.number(row['value'])} of them remain"
    )
    return (
        f"The registry counts the records that draw a {id_name}. Their values contain no number. {draws}. The highest {id_name} "
        f"in use is {marked.number(row['highest'])}{holder}. Records are missing. Before version 2.1.4 all of them have the same key, so "
        f"compaction keeps only the last one. They can also be lost with the start of the log. {start} the sequence is at "
        f"{marked.number(row['value'])} and the next {id_kind} gets {marked.number(row['value'] + 1)}. If that number is already in use, the write fails, or "
        f"clients get another {id_kind} for it."
    )


def remedy(row: Row, is_now: bool) -> str:
    """What sets the sequence right."""
    name = row["entity_id"].rpartition("/")[2]
    return detector.remedy(
        topic=row["topic"],
        compaction_is_the_cause=not is_now,
        sequence=SEQUENCE_RECORDS[name],
    )


detector = Detector(
    id="sequence-underflow",
    title="Sequence below the highest ID",
    find=query(SHORT),
    describe=describe,
    headline=clause(
        "new registrations can fail: {count} below the highest ID in use",
        "ID sequence is",
        "ID sequences are",
    ),
    dialects=("apicurio-v2",),
    follows=("deleted-by-retention", "missing-head", "several-partitions"),
    rows_of="state",
    scope="partition",
)
