"""Topic ID mismatch: a partition's folder belongs to another topic ID than the controllers' topic of this name.

Innocent: a metadata log of another cluster (no folder agrees with it, and it never knew the ID); a folder that is younger than the metadata
log; a topic that the controllers do not know. Page: docs/detectors/topic-id-mismatch.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.dialects.cluster_metadata.snapshots import MARK as SNAPSHOT
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment, plural, some

MAX_NAMED = 5

ANY_FOLDER = "SELECT 1 FROM properties WHERE name = 'topic_id' LIMIT 1"
# One row per topic and ID of its folders. `removed_at`: the controllers deleted a topic of this ID.
MISMATCHES = f"""
    WITH folders AS (
        SELECT topic AS data_topic, partition AS number, replica AS folder_replica, max(value) AS folder_id FROM properties WHERE name = 'topic_id' GROUP BY ALL
    ),
    newest AS (SELECT topic AS data_topic, partition AS number, replica AS folder_replica, max(timestamp_ms) AS newest_ms FROM lifelines
        SEMI JOIN (SELECT DISTINCT data_topic AS topic FROM folders) USING (topic) GROUP BY ALL),
    topics AS (
        SELECT {REPLICA_COLUMNS}, entity_id AS data_topic, attributes->>'topicId' AS topic_id, origin_offset FROM state
        WHERE entity_type = 'topic' AND view = 'log' AND is_own AND valid_to_offset IS NULL AND NOT contains(topic, '{SNAPSHOT}')
    ),
    removals AS (
        SELECT {REPLICA_COLUMNS}, attributes->>'topicId' AS folder_id, max("offset") AS removed_at FROM entries WHERE entry_type = 'RemoveTopic' GROUP BY ALL
    ),
    ends AS (SELECT {REPLICA_COLUMNS}, max(timestamp_ms) AS end_ms FROM records SEMI JOIN topics USING ({REPLICA_COLUMNS}) GROUP BY ALL),
    compared AS (
        SELECT t.*, number, folder_replica, folder_id, newest_ms, end_ms, removed_at,
            bool_or(folder_id = topic_id) OVER (PARTITION BY {", ".join(f"t.{name}" for name in REPLICA_COLUMNS.split(", "))}) AS is_of_cluster
        FROM folders JOIN topics t USING (data_topic) LEFT JOIN newest USING (data_topic, number, folder_replica) JOIN ends USING ({REPLICA_COLUMNS})
        LEFT JOIN removals r USING ({REPLICA_COLUMNS}, folder_id)
    )
    SELECT {REPLICA_COLUMNS}, data_topic, topic_id, folder_id, origin_offset, r.timestamp_ms AS created_ms, any_value(removed_at) AS removed_at,
        list(data_topic || '-' || number || if(folder_replica = '', '', ' (' || folder_replica || ')') ORDER BY number, folder_replica) AS folders
    FROM compared c JOIN records r USING ({REPLICA_COLUMNS})
    WHERE r."offset" = c.origin_offset AND folder_id <> topic_id AND (removed_at IS NOT NULL OR (is_of_cluster AND coalesce(newest_ms, 0) <= end_ms))
    GROUP BY ALL ORDER BY data_topic, folder_id
"""


def describe(row: Row) -> Finding:
    topic, journal = marked.topic(row["data_topic"]), marked.partition(row["topic"], row["partition"])
    folders = some([marked.name(name) for name in row["folders"]], MAX_NAMED)
    evidence = [offset for offset in (row["removed_at"], row["origin_offset"]) if offset is not None]
    origin = (
        f"The controllers deleted the topic with this ID at offset {marked.offset(row['removed_at'])} of {journal}, and the broker did not delete the folder: "
        "it was down then, or the folder was restored from a copy."
        if row["removed_at"] is not None
        else f"{journal} does not contain this ID, while other folders agree with it: the folder is from another cluster, or from a topic that was deleted "
        "before the log starts."
    )
    return Finding(
        detector=detector.id,
        severity="medium",
        effects=on_entities("at_risk", "topic", [row["data_topic"]], whom="brokers"),
        title=(
            f"{plural(len(row['folders']), 'folder')} of topic {topic} {'belongs' if len(row['folders']) == 1 else 'belong'} to another topic ID than the "
            "controllers' topic of this name"
        ),
        explanation=(
            f"partition.metadata of {folders} names topic ID {marked.name(row['folder_id'])}. The controllers created topic {topic} with ID "
            f"{marked.name(row['topic_id'])} at offset {marked.offset(row['origin_offset'])} ({moment(row['created_ms'])}). {origin} A broker does not use such a "
            "folder. Up to 3.6 the replica fails with INCONSISTENT_TOPIC_ID. From 3.7 on, the broker renames the folder at its start (suffix `-stray`) and "
            "begins with an empty one. The records in the folder are not those of the present topic."
        ),
        **located(row, *sorted(evidence)),
        entity=f"topic-id:{row['folder_id']}",
        entities={f"topic-id:{row['folder_id']}"},
        evidence=evidence,
        remedy=detector.remedy(topic=row["data_topic"], topic_id=row["topic_id"]),
        references=detector.references,
    )


detector = Detector(
    id="topic-id-mismatch",
    title="Folder of another topic ID",
    find=query(MISMATCHES, if_any=ANY_FOLDER),
    describe=describe,
    headline=clause("folders of {count} belong to another topic ID", "topic"),
    rows_of="state",
    dialects=("cluster-metadata",),
    needs=frozenset({"offset", "timestamps"}),
    one_cause="topic",
)
