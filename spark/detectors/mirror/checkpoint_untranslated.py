"""Checkpoint untranslated: MirrorMaker 2 wrote a group's offset of the source cluster down as its offset in the target, where the log ends before it.

Before 3.3 (KAFKA-12635) a partition without offset sync, such as one that was empty at the source, counted as in step: -1 + (upstream + 1).
Needs the target's log, or a print of its end. Innocent: a copy from offset 0, whose offsets are equal and within the log; a log that was copied
before the checkpoint was written. Page: docs/detectors/checkpoint-untranslated.md

Source: Kafka `MirrorCheckpointTask.checkpoint`, `OffsetSyncStore.translateDownstream` (2.8, 3.3, 4.0).
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, DoesNotApply, clause, located
from spark.detectors.groups._words import committed_for
from spark.log.log_ends import LOGS
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import at_offsets, moment, plural

MAX_MARKERS = 10  # control records that may follow the last record of a dump, which shows none
FAR = 100  # offsets, and twice the log's length: no log grew so far while checkpoints and log were copied
PARTITIONS_NAMED = 3

ANY_EQUAL = """
    SELECT 1 FROM entries WHERE entry_type = 'checkpoint' AND entry_action = 'update'
        AND attributes->>'upstreamOffset' = attributes->>'downstreamOffset' AND attributes->>'downstreamOffset' NOT IN ('0', '-1') LIMIT 1
"""
# A row per checkpoint. `first_ms`: when one first named an offset that the log does not have.
CHECKPOINTS = f"""
    checkpoint_entries AS MATERIALIZED (
        SELECT {REPLICA_COLUMNS}, "offset", entity_id, attributes->>'group' AS group_id, attributes->>'topic' AS data_topic,
            TRY_CAST(attributes->>'partition' AS INT) AS data_partition, TRY_CAST(attributes->>'upstreamOffset' AS BIGINT) AS upstream,
            TRY_CAST(attributes->>'downstreamOffset' AS BIGINT) AS downstream
        FROM entries WHERE entry_type = 'checkpoint'
    ),
    newest AS MATERIALIZED (
        SELECT * FROM checkpoint_entries QUALIFY row_number() OVER (PARTITION BY {REPLICA_COLUMNS}, entity_id ORDER BY "offset" DESC) = 1
    )
"""
# Without segments or a print, markers may follow the last record that is seen.
TARGETS = f"""
    data_logs AS (
        SELECT topic, partition, max(data_end) AS data_end, bool_or(has_segments) AS has_segments FROM data_ends GROUP BY ALL
        UNION ALL SELECT topic, partition, max("offset"), true FROM printed WHERE kind = 'log_end' GROUP BY ALL
    ),
    targets AS MATERIALIZED (
        SELECT topic AS data_topic, partition AS data_partition, max(data_end) AS end_offset, bool_or(has_segments) AS is_told,
            end_offset + if(is_told, 0, {MAX_MARKERS}) AS bound
        FROM data_logs SEMI JOIN newest ON (data_topic, data_partition) = (data_logs.topic, data_logs.partition) GROUP BY ALL
    ),
    written AS MATERIALIZED (
        SELECT topic AS data_topic, partition AS data_partition, max(timestamp_ms) AS newest_ms FROM lifelines
        WHERE topic IN (SELECT data_topic FROM newest) GROUP BY ALL
    )
"""
SYNCS = """
    syncs AS MATERIALIZED (
        SELECT DISTINCT attributes->>'topic' AS topic, TRY_CAST(attributes->>'partition' AS INT) AS partition FROM entries
        WHERE entry_type = 'offset-sync' AND entry_action = 'update'
    )
"""
UNTRANSLATED = f"""
    WITH {LOGS}, {CHECKPOINTS}, {TARGETS}, {SYNCS},
    suspects AS (
        SELECT n.*, end_offset, bound FROM newest n JOIN targets USING (data_topic, data_partition)
        WHERE upstream = downstream AND downstream > bound
    ),
    dated AS (
        SELECT s.*, (
            SELECT min(nullif(r.timestamp_ms, -1)) FROM checkpoint_entries c JOIN records r USING ({REPLICA_COLUMNS}, "offset")
            WHERE c.entity_id = s.entity_id AND c.upstream = c.downstream AND c.downstream > s.bound
        ) AS first_ms FROM suspects s
    ),
    siblings AS (
        SELECT {REPLICA_COLUMNS}, data_topic, arg_min(entity_id, "offset") AS sibling, arg_min("offset", "offset") AS sibling_at,
            arg_min(upstream, "offset") AS sibling_upstream, arg_min(downstream, "offset") AS sibling_downstream
        FROM newest JOIN targets USING (data_topic, data_partition) WHERE upstream <> downstream AND downstream <= bound GROUP BY ALL
    ),
    judged AS (
        SELECT d.*, s.* EXCLUDE ({REPLICA_COLUMNS}, data_topic),
            first_ms <= (SELECT newest_ms FROM written w WHERE (w.data_topic, w.data_partition) = (d.data_topic, d.data_partition)) AS is_older_than_log,
            first_ms <= (SELECT max(newest_ms) FROM written w WHERE w.data_topic = d.data_topic) AS is_older_than_topic,
            EXISTS (FROM syncs y WHERE y.topic = d.data_topic OR suffix(d.data_topic, '.' || y.topic)) AS has_syncs,
            EXISTS (FROM syncs y WHERE y.partition = d.data_partition AND (y.topic = d.data_topic OR suffix(d.data_topic, '.' || y.topic))) AS has_own_sync
        FROM dated d LEFT JOIN siblings s USING ({REPLICA_COLUMNS}, data_topic)
    )
    SELECT *, coalesce(is_older_than_log, false) OR (has_syncs AND NOT has_own_sync) AS is_proven FROM judged
    WHERE is_proven OR (sibling IS NOT NULL AND (is_older_than_topic OR (first_ms IS NULL AND downstream > 2 * end_offset + {FAR})))
    ORDER BY {REPLICA_COLUMNS}, data_topic, data_partition, group_id
"""
HAS_TARGET = """
    SELECT 1 FROM (SELECT DISTINCT attributes->>'topic' AS topic FROM entries WHERE entry_type = 'checkpoint')
    SEMI JOIN (SELECT topic FROM files UNION ALL SELECT topic FROM runs UNION ALL SELECT topic FROM printed WHERE kind = 'log_end') USING (topic) LIMIT 1
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per journal of checkpoints and mirrored topic, with its checkpoints."""
    by_topic: dict[tuple[str, ...], list[Row]] = {}
    for row in tables.rows(UNTRANSLATED) if tables.rows(ANY_EQUAL) else []:
        by_topic.setdefault(
            (row["topic"], str(row["partition"]), row["replica"], row["data_topic"]), []
        ).append(row)
    for rows in by_topic.values():
        yield {**rows[0], "rows": rows}


def describe(row: Row) -> Finding:
    rows, first = row["rows"], row["rows"][0]
    group, partition = marked.entity(first["group_id"], "group"), committed_for(first["entity_id"])
    offsets = sorted({other["offset"] for other in rows})
    others = (
        f" The same is true of {plural(len(rows) - 1, 'other checkpoint')} of this topic." if rows[1:] else ""
    )
    return Finding(
        detector=detector.id,
        severity="medium",
        confidence="proven" if any(other["is_proven"] for other in rows) else "likely",
        title=(
            f"Group {group} does not find its place in {partition} after a failover: MirrorMaker copied its offset "
            f"{marked.number(first['downstream'])} untranslated, and the log ends at offset {marked.number(first['end_offset'])}"
        ),
        explanation=(
            f"The checkpoint at offset {marked.offset(first['offset'])} gives group {group} the same offset {marked.number(first['downstream'])} in "
            f"{partition} as in the source cluster, and the log of {partition} in the target ends at offset {marked.number(first['end_offset'])}. "
            f"{shown_by(first)}{others} MirrorMaker before 3.3 copies the offset if it has no offset sync for the partition, for example "
            "because retention had emptied it in the source. A member that starts there gets OFFSET_OUT_OF_RANGE and continues by "
            "`auto.offset.reset`. If the log has grown beyond that offset by then, the group skips the records before it."
        ),
        **located(row, *offsets),
        entity=f"checkpoint:{first['entity_id']}",
        entities={f"committed:{other['entity_id']}" for other in rows},
        evidence=[*offsets, *([first["sibling_at"]] if first["sibling"] else [])],
        effects=[Effect("at_risk", "checkpoint", other["entity_id"]) for other in rows],
        remedy=detector.remedy(
            group=first["group_id"], data_topic=row["data_topic"], partition=first["data_partition"]
        ),
        references=detector.references,
    )


def shown_by(row: Row) -> str:
    """What else the input shows of this topic's translation."""
    sentences = []
    if row["is_older_than_log"] or row["is_older_than_topic"]:
        younger = "the partition" if row["is_older_than_log"] else "the topic"
        sentences.append(
            f"The checkpoint was written at {moment(row['first_ms'])}, and {younger} has a newer record, so the log is not an older copy."
        )
    if row["has_syncs"] and not row["has_own_sync"]:
        sentences.append(
            "The offset syncs in the input have other partitions of this topic and not this one."
        )
    if row["sibling"]:
        sentences.append(
            f"The checkpoint at {at_offsets([row['sibling_at']])} is translated: offset {marked.number(row['sibling_upstream'])} of the source is offset "
            f"{marked.number(row['sibling_downstream'])} of {committed_for(row['sibling'])}."
        )
    return " ".join(sentences)


def absent(tables: ResultTables) -> str | None:
    if not tables.rows(ANY_EQUAL):
        return DoesNotApply("No checkpoint has the same offset in source and target.")
    return (
        None
        if tables.rows(HAS_TARGET)
        else "The log of a mirrored topic in the target cluster is not part of the input, and no print shows its end."
    )


detector = Detector(
    id="checkpoint-untranslated",
    title="Checkpoint with the offset of the source cluster",
    find=find,
    describe=describe,
    headline=clause("MirrorMaker copied offsets of groups untranslated ({count})", "topic"),
    rows_of="entries",
    dialects=("mirror-maker",),
    absent=absent,
    wants="target",
    one_cause="partition",
)
