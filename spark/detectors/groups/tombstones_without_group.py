"""Tombstones without group: members of a group of the newer protocols are deleted in records before which nothing creates the group.

Compaction leaves this of a deleted group, so it is normal. Some coordinators cannot load it: a caution with the versions that can.
Innocent: a classic group; a record of the group, a member or an offset before them. Page: docs/detectors/tombstones-without-group.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.groups import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural, some

MAX_NAMED = 5
MODERN = "regexp_matches(entry_type, '^(consumer|share|streams)-group')"
MEMBERS = "regexp_matches(entry_type, '^(consumer|share|streams)-group-(member|target-member|current)$')"
DELETED = f"SELECT 1 FROM entries WHERE entry_action = 'delete' AND {MEMBERS} LIMIT 1"
# One row per partition.
ALONE = f"""
    WITH of_groups AS (
        SELECT {REPLICA_COLUMNS}, "offset", entry_type, entry_action, attributes->>'groupId' AS group_id FROM entries WHERE {MODERN}
    ),
    created AS (
        SELECT {REPLICA_COLUMNS}, group_id, min("offset") AS created_at FROM of_groups WHERE entry_action <> 'delete' GROUP BY ALL
    ),
    alone AS (
        SELECT o.* FROM of_groups o LEFT JOIN created USING ({REPLICA_COLUMNS}, group_id)
        WHERE o.entry_action = 'delete' AND {MEMBERS} AND o."offset" < coalesce(created_at, {1 << 62})
    )
    SELECT {REPLICA_COLUMNS}, count(*) AS tombstones, count(DISTINCT group_id) AS groups, min("offset") AS first_offset, max("offset") AS last_offset,
        list(DISTINCT group_id ORDER BY group_id)[:{MAX_NAMED}] AS names, bool_or(NOT starts_with(entry_type, 'consumer')) AS has_others,
        list("offset" ORDER BY "offset")[:{MAX_NAMED}] AS offsets
    FROM alone GROUP BY {REPLICA_COLUMNS} ORDER BY first_offset
"""


def describe(row: Row) -> Finding:
    groups = some([marked.entity(name, "group") for name in row["names"]])
    return Finding(
        detector=detector.id,
        severity="low",
        title=(
            f"Brokers before 4.0 can fail to load {words.partition_name(row)}: {plural(row['tombstones'], 'tombstone deletes', 'tombstones delete')} members of "
            f"{plural(row['groups'], 'group')} that no earlier record creates"
        ),
        explanation=(
            f"The groups are of the newer protocols (KIP-848): {groups}. Compaction removes the records of deleted members and groups, and keeps their "
            "tombstones for `delete.retention.ms`. This is normal. But the new group coordinator of Kafka 3.7 to 3.9 expects the group or the member "
            "when it replays such a tombstone (KAFKA-17306). It then does not load the partition, and all groups of the partition stop at the next "
            "change of leader. Kafka 4.0 and later ignore the tombstone. KAFKA-19862 (a cleaning while the coordinator loads) and KAFKA-21102 (a group "
            "that changed its protocol) are similar faults of 4.x. The input does not show the version of the brokers."
        ),
        **located(row),
        entity="tombstones",
        evidence=row["offsets"],
        remedy=detector.remedy(),
        references=detector.references,
    )


detector = Detector(
    id="tombstones-without-group",
    title="Tombstones of members without their group",
    find=query(ALONE, if_any=DELETED),
    describe=describe,
    headline=clause(
        "{count} members whose group is not in the log", "tombstone deletes", "tombstones delete"
    ),
    rows_of="entries",
    scope="partition",
    dialects=("consumer-offsets",),
    needs=frozenset({"offset"}),
)
