"""Metadata orphan: records of the controllers' journal that lack what they belong to.

Three ways: a record for a topic id that no record before it and no snapshot brings; a BeginTransaction without end; a
log that begins above 0 with no snapshot that reaches so far. The last explains the first, which is then not said.
Page: docs/detectors/metadata-orphan.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors._effects import on_records
from spark.detectors._words import partition_name
from spark.dialects.cluster_metadata.snapshots import MARK as SNAPSHOT
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, moment, offset_range, plural

MAX_NAMED = 10

KIP_630 = "https://cwiki.apache.org/confluence/display/KAFKA/KIP-630%3A+Kafka+Raft+Snapshot"
KIP_868 = "https://cwiki.apache.org/confluence/display/KAFKA/KIP-868+Metadata+Transactions"

JOURNALS = f"""
    journals AS (
        SELECT DISTINCT {REPLICA_COLUMNS} FROM entries
        WHERE entry_type IN ('RegisterBroker', 'RegisterController', 'Topic', 'Partition', 'PartitionChange', 'NoOp',
            'BeginTransaction', 'FeatureLevel') AND NOT contains(topic, '{SNAPSHOT}')
    ),
    named AS (
        SELECT {REPLICA_COLUMNS}, min(base_offset) AS start_offset FROM files SEMI JOIN journals USING ({REPLICA_COLUMNS})
        WHERE kind = 'segment' GROUP BY ALL
    ),
    read AS (
        SELECT {REPLICA_COLUMNS}, min(first_offset) AS first_offset, max(last_offset) AS last_offset
        FROM (
            SELECT {REPLICA_COLUMNS}, first_offset, last_offset FROM runs
            UNION ALL SELECT {REPLICA_COLUMNS}, base_offset, last_offset FROM batches  -- of control records, which dumps can leave out
        ) SEMI JOIN journals USING ({REPLICA_COLUMNS}) GROUP BY ALL
    ),
    snapshots AS (
        SELECT DISTINCT TRY_CAST(regexp_extract(topic, '{SNAPSHOT}([0-9]+)-[0-9]+$', 1) AS BIGINT) AS "offset"
        FROM files WHERE kind = 'segment' AND contains(topic, '{SNAPSHOT}')
    ),
    starts AS (
        SELECT {REPLICA_COLUMNS}, coalesce(start_offset, first_offset) AS start_offset, start_offset IS NOT NULL AS is_logs, last_offset,
            (SELECT max("offset") FROM snapshots) AS newest_snapshot
        FROM read LEFT JOIN named USING ({REPLICA_COLUMNS})
    ),
    uncovered AS (
        SELECT * FROM starts WHERE start_offset > 0 AND coalesce(newest_snapshot, -1) < start_offset
    )
"""
UNCOVERED = f"WITH {JOURNALS} SELECT *, 'start' AS what FROM uncovered"
UNKNOWN_TOPICS = f"""
    WITH {JOURNALS},
    known AS (
        SELECT DISTINCT 'topic id ' || (attributes->>'topicId') AS needs FROM entries
        WHERE entry_type = 'Topic' AND contains(topic, '{SNAPSHOT}')
    )
    SELECT {REPLICA_COLUMNS}, replace(needs, 'topic id ', '') AS topic_id, count(*) AS records, min("offset") AS first_offset,
        max("offset") AS last_offset, list("offset" ORDER BY "offset")[:{MAX_NAMED}] AS offsets, 'topic' AS what
    FROM refusals ANTI JOIN known USING (needs) ANTI JOIN uncovered USING ({REPLICA_COLUMNS})
    WHERE reason = 'topic-unknown' AND view = 'log' AND is_own GROUP BY ALL ORDER BY first_offset
"""
REMOVALS = """
    SELECT topic, partition, replica, attributes->>'topicId' AS topic_id, max("offset") AS removed_at
    FROM entries WHERE entry_type = 'RemoveTopic' GROUP BY ALL
"""
OPEN_TRANSACTIONS = f"""
    WITH {JOURNALS},
    borders AS (
        SELECT {REPLICA_COLUMNS}, "offset", entry_type, attributes->>'name' AS name,
            lead(entry_type) OVER in_order AS next_type, lead("offset") OVER in_order AS next_offset
        FROM entries SEMI JOIN journals USING ({REPLICA_COLUMNS})
        WHERE entry_type IN ('BeginTransaction', 'EndTransaction', 'AbortTransaction')
        WINDOW in_order AS (PARTITION BY {REPLICA_COLUMNS} ORDER BY "offset")
    ),
    opened AS (
        SELECT * FROM borders JOIN starts USING ({REPLICA_COLUMNS})
        WHERE entry_type = 'BeginTransaction' AND coalesce(next_type, 'BeginTransaction') = 'BeginTransaction'
    )
    SELECT {REPLICA_COLUMNS}, o."offset" AS first_offset, coalesce(next_offset - 1, last_offset) AS last_offset, name, next_offset,
        (SELECT min(r."offset") FROM records r WHERE (r.topic, r.partition, r.replica) = (o.topic, o.partition, o.replica)
            AND r."offset" > o."offset" AND r.control_type = 'leader_change') AS leader_at,
        (SELECT any_value(r.timestamp_ms) FROM records r
            WHERE (r.topic, r.partition, r.replica, r."offset") = (o.topic, o.partition, o.replica, o."offset")) AS begun_ms,
        'transaction' AS what
    FROM opened o ORDER BY first_offset
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per log without its beginning, unknown topic id and transaction without end."""
    removed = {(*replica_of(row), row["topic_id"]): row for row in tables.rows(REMOVALS)}
    topics = [
        {**row, "removed_at": removed.get((*replica_of(row), row["topic_id"]), {}).get("removed_at")}
        for row in tables.rows(UNKNOWN_TOPICS)
    ]
    return [*tables.rows(UNCOVERED), *topics, *tables.rows(OPEN_TRANSACTIONS)]


def describe(row: Row) -> Finding:
    tell = {"start": uncovered_start, "topic": unknown_topic, "transaction": open_transaction}[row["what"]]
    return tell(row)


def uncovered_start(row: Row) -> Finding:
    """The start of the log was deleted, and no snapshot covers it; of a dump its own start may have been left out."""
    if not row["is_logs"]:
        return late_dump(row)
    newest = row["newest_snapshot"]
    has = (
        "the input contains no snapshot"
        if newest is None
        else f"the newest snapshot in the input ends before offset {marked.offset(newest)}"
    )
    start = row["start_offset"]
    return Finding(
        detector=detector.id,
        severity="high",
        confidence="likely" if newest is None else "proven",
        title=f"The controller cannot start from this folder: {partition_name(row)} starts at offset {marked.offset(start)}, and {has}",
        explanation=(
            "The controllers delete the start of their log only after a snapshot contains its data. To load this log from offset "
            f"{start}, a node needs a snapshot of offset {marked.offset(start)} or later, but {has}. The data of {offset_range(0, start - 1)} (topics, "
            "partitions, brokers, settings, access rights) is unknown. A node with such a folder cannot start alone. It must fetch a "
            "snapshot from the leader."
        ),
        **located(row, 0, start - 1),
        entity="start",
        remedy=detector.remedy("No snapshot", folder=(row["topic"], row["partition"])),
        references=[KIP_630],
    )


def late_dump(row: Row) -> Finding:
    """A dump that starts late: the log itself may not."""
    start = row["start_offset"]
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"The dump of {partition_name(row)} starts at offset {marked.offset(start)}",
        explanation=(
            f"A dump does not show where the log starts. The input does not contain the data of {offset_range(0, start - 1)} (topics, "
            "partitions, brokers, settings, access rights). So records for topics that were created before are normal."
        ),
        **located(row, 0, start - 1),
        entity="start",
        remedy=detector.remedy("Dump"),
        references=[KIP_630],
    )


def unknown_topic(row: Row) -> Finding:
    """Records for a topic that does not exist."""
    removed = row["removed_at"]
    why = (
        f"The topic was deleted at offset {marked.offset(removed)}"
        if removed is not None
        else "No earlier record creates this topic, and no snapshot in the input contains it"
    )
    return Finding(
        detector=detector.id,
        severity="high",
        title=f"Controllers and brokers stop at offset {marked.offset(row['first_offset'])} of {partition_name(row)}: topic ID {marked.name(row['topic_id'])} "
        f"does not exist ({plural(row['records'], 'record')})",
        explanation=(
            f"{why}. {'The record is' if row['records'] == 1 else 'The records are'} at {at_offsets(row['offsets'])}. A "
            "controller or broker that replays the log stops there with a fatal fault (`Unable to locate topic with ID`) at "
            "every start."
        ),
        **located(row),
        entity=f"topic-id:{row['topic_id']}",
        entities={f"topic-id:{row['topic_id']}"},
        evidence=([removed] if removed is not None else []) + row["offsets"],
        remedy=detector.remedy("Unknown topic"),
        references=[KIP_630],
    )


def open_transaction(row: Row) -> Finding:
    """A metadata transaction without an end."""
    name = f" ({marked.name(row['name'])})" if row["name"] else ""
    is_sure = row["next_offset"] is not None or row["leader_at"] is not None
    after = (
        f"another one starts at offset {marked.offset(row['next_offset'])}"
        if row["next_offset"] is not None
        else "the log ends without EndTransaction or AbortTransaction"
    )
    return Finding(
        detector=detector.id,
        severity="high",
        effects=on_records("rejected", row, [row["first_offset"]], whom="brokers"),
        confidence="proven" if is_sure else "likely",
        title=f"Changes at {offset_range(row['first_offset'] + 1, max(row['last_offset'], row['first_offset'] + 1))} of {partition_name(row)} are not in force: the metadata transaction{name} has no end",
        explanation=(
            f"The transaction started at offset {marked.offset(row['first_offset'])}, at {moment(row['begun_ms'])}, and {after}. Its changes are not in "
            "force. Brokers wait for its end. Topics, leaders and settings stay unchanged until then."
            + (
                f" A new leader took over at offset {marked.offset(row['leader_at'])}. It should have aborted the transaction."
                if row["leader_at"] is not None
                else ""
            )
            + (
                ""
                if is_sure
                else " If the log was copied while a controller was writing, the copy can end within a transaction."
            )
        ),
        **located(row),
        entity=f"transaction@{row['first_offset']}",
        evidence=[row["first_offset"]],
        remedy=detector.remedy("Open transaction"),
        references=[KIP_868],
    )


detector = Detector(
    id="metadata-orphan",
    title="Orphan records in the cluster metadata",
    find=find,
    describe=describe,
    headline=clause(
        "controllers cannot apply all of the cluster's metadata: {count} in its journal", "fault"
    ),
    rows_of="entries",
    dialects=("cluster-metadata",),
    befalls=("stuck", "brokers"),
)
