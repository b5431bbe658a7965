"""Source offset regression: the offset of a source connector goes back, so it reads a part of its source again, or another source.

Innocent: an offset that was deleted before; one that was altered while the connector was stopped; a snapshot; positions without an order
(`_source_positions`). Page: docs/detectors/source-offset-regression.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors import _words as words
from spark.detectors._effects import on_entities
from spark.detectors.connect._source_positions import IS_SNAPSHOT, MIRROR, POSITION
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, moment, plural

ANY_OFFSET = "SELECT 1 FROM entries WHERE entry_type = 'connector-offset' LIMIT 1"
# One row per connector and copy of a partition. A connector's offsets can be altered while it is stopped.
REGRESSIONS = f"""
    WITH positions AS (
        SELECT {REPLICA_COLUMNS}, "offset", entity_id, attributes, {IS_SNAPSHOT} AS is_snapshot, {POSITION}
        FROM entries WHERE entry_type = 'connector-offset' AND decode_error IS NULL
    ),
    steps AS (
        SELECT *, lag(position_kind) OVER one AS kind_before, lag(position) OVER one AS position_before, lag("offset") OVER one AS offset_before,
            lag(is_snapshot) OVER one AS was_snapshot, lag(attributes) OVER one AS attributes_before
        FROM positions WINDOW one AS (PARTITION BY {REPLICA_COLUMNS}, entity_id ORDER BY "offset")
    ),
    back AS (
        SELECT *, regexp_extract(entity_id, '^(.*?)/\\{{', 1) AS connector FROM steps
        WHERE position_kind = kind_before AND position < position_before AND length(position) = length(position_before)
            AND NOT is_snapshot AND NOT was_snapshot
    ),
    timed AS (
        SELECT b.*, l.timestamp_ms FROM back b LEFT JOIN lifelines l
            ON (l.topic, l.partition, l.replica, l."offset") = (b.topic, b.partition, b.replica, b."offset")
    ),
    targets AS (
        SELECT entity_id AS connector, coalesce(attributes->>'state.v2', attributes->>'state') AS target, timestamp_ms
        FROM entries e JOIN lifelines l USING ({REPLICA_COLUMNS}, "offset") WHERE e.entry_type = 'target-state' AND decode_error IS NULL
    ),
    unexplained AS (
        SELECT t.* FROM timed t WHERE coalesce((
            SELECT arg_max(s.target, s.timestamp_ms) FROM targets s WHERE s.connector = t.connector AND s.timestamp_ms <= t.timestamp_ms
        ), 'STARTED') <> 'STOPPED'
    )
    SELECT {REPLICA_COLUMNS}, connector, count(*) AS times, count(DISTINCT entity_id) AS sources, bool_and(position_kind = '{MIRROR}') AS is_mirror,
        list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets, min(offset_before) AS first_offset, max("offset") AS last_offset,
        arg_min({{'entity_id': entity_id, 'before': attributes_before, 'after': attributes, 'offset_before': offset_before, 'offset': "offset",
            'timestamp_ms': timestamp_ms}}, "offset") AS example,
        (SELECT list(DISTINCT entity_id) FROM entries WHERE entry_type = 'task-status' AND regexp_replace(entity_id, '/[0-9]+$', '') = connector) AS tasks
    FROM unexplained GROUP BY {REPLICA_COLUMNS}, connector ORDER BY {REPLICA_COLUMNS}, connector
"""


def describe(row: Row) -> Finding:
    connector, example = marked.entity(row["connector"], "connector"), row["example"]
    source = example["entity_id"].removeprefix(row["connector"] + "/")
    more = (
        f" This happens {plural(row['times'], 'time')}, to {plural(row['sources'], 'source partition')}."
        if row["times"] > 1
        else ""
    )
    return Finding(
        detector=detector.id,
        severity="medium",
        effects=on_entities("at_risk", "connector", [row["connector"]]),
        title=(
            f"Source connector {connector} went back: its offset at offset {marked.offset(example['offset'])} of {words.partition_name(row)} is below "
            f"the one at offset {marked.offset(example['offset_before'])}"
        ),
        explanation=(
            f"The offset of source partition {marked.quote(source)} was {marked.quote(example['before'])}. At {moment(example['timestamp_ms'])} it became "
            f"{marked.quote(example['after'])}, and no record deletes it between.{more} {meaning(row)}"
        ),
        **located(row),
        entity=f"connector:{row['connector']}",
        entities={f"connector:{row['connector']}", *(f"task:{name}" for name in row["tasks"] or [])},
        evidence=sorted({example["offset_before"], *row["offsets"]}),
        remedy=detector.remedy(
            "MirrorMaker" if row["is_mirror"] else "Other connectors", connector=row["connector"]
        ),
        references=detector.references,
    )


def meaning(row: Row) -> str:
    """What it means for the target, and the possible causes."""
    if row["is_mirror"]:
        return (
            "MirrorMaker reads with `auto.offset.reset=earliest`. If the source topic is deleted and created again, or truncated, it starts again at "
            "the start of the log and says nothing. The target then contains the records of both topics one after the other, and committed offsets that "
            "were translated before point to wrong records."
        )
    return (
        "A connector that restarts continues at its offset and never goes back. Possible causes: a task of an older generation still runs and "
        "writes its older offset, an operator altered the offset, or the source was restored or replaced and its positions start again. In the first two "
        "cases, records are written to the topics again. In the last one, changes can be missing."
    )


detector = Detector(
    id="source-offset-regression",
    title="Offset of a source connector goes back",
    find=query(REGRESSIONS, if_any=ANY_OFFSET),
    describe=describe,
    headline=clause("offsets of {count} go back", "source connector"),
    rows_of="entries",
    dialects=("connect",),
    follows=("zombie-worker",),
    one_cause="topic",
)
