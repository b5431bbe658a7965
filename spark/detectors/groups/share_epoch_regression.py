"""Share epoch regression: the snapshot epoch of a share partition goes back without a deletion in between.

A coordinator counts the epoch up with each snapshot and writes the same epoch in the updates after it. Innocent: a tombstone in
between; an epoch of 16 bits (Kafka 4.0) that starts again after its highest value. One finding per share partition.
Page: docs/detectors/share-epoch-regression.md
"""

from __future__ import annotations

from spark.codecs.kafka_topics.share_group_state import SNAPSHOT, UPDATE
from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.detectors.groups import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED

HIGHEST_OF_16_BITS = 65535
# One row per share partition.
REGRESSIONS = f"""
    WITH written AS (
        SELECT {REPLICA_COLUMNS}, "offset", entity_id, TRY_CAST(attributes->>'snapshotEpoch' AS BIGINT) AS epoch,
            attributes->>'groupId' AS group_id, attributes->>'topicId' AS topic_id, attributes->>'partition' AS of_partition,
            count(*) FILTER (entry_action = 'delete') OVER (PARTITION BY {REPLICA_COLUMNS}, entity_id ORDER BY "offset") AS life
        FROM entries
        WHERE entry_type IN ('{SNAPSHOT}', '{UPDATE}') AND entry_action IS NOT NULL AND decode_error IS NULL
    ),
    stepped AS (
        SELECT *, lag(epoch) OVER by_life AS epoch_before, lag("offset") OVER by_life AS offset_before
        FROM written WHERE epoch IS NOT NULL
        WINDOW by_life AS (PARTITION BY {REPLICA_COLUMNS}, entity_id, life ORDER BY "offset")
    ),
    back AS (
        SELECT * FROM stepped WHERE epoch < epoch_before AND NOT (epoch_before = {HIGHEST_OF_16_BITS} AND epoch = 0)
    )
    SELECT {REPLICA_COLUMNS}, entity_id, any_value(group_id) AS group_id, any_value(topic_id) AS topic_id,
        any_value(of_partition) AS of_partition, count(*) AS times, min(offset_before) AS first_offset, max("offset") AS last_offset,
        arg_min(epoch_before, "offset") AS epoch_before, arg_min(epoch, "offset") AS epoch, min("offset") AS first_back,
        list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets
    FROM back GROUP BY {REPLICA_COLUMNS}, entity_id ORDER BY {REPLICA_COLUMNS}, first_offset
"""


def describe(row: Row) -> Finding:
    group = marked.name(row["group_id"])
    more = f", the first of {marked.number(row['times'])} times" if row["times"] > 1 else ""
    return Finding(
        detector=detector.id,
        severity="high",
        effects=on_entities("changed", "share-group", [row["group_id"]], whom="consumers"),
        title=(
            f"Share group {group} can get records of partition {marked.number(row['of_partition'])} (topic ID {marked.name(row['topic_id'])}) "
            f"again: the snapshot epoch goes back from {marked.number(row['epoch_before'])} to {marked.number(row['epoch'])} at offset "
            f"{marked.offset(row['first_back'])} of {words.partition_name(row)}{more}"
        ),
        explanation=(
            f"The record at offset {marked.offset(row['first_offset'])} has snapshot epoch {marked.number(row['epoch_before'])}. The next record "
            f"of this share partition, at offset {marked.offset(row['first_back'])}, has epoch {marked.number(row['epoch'])}. A coordinator increases the "
            "epoch with each snapshot, and no tombstone is between the records. A coordinator that loads the partition applies both records in "
            "this order, so older deliveries replace newer ones. Records that were acknowledged can be delivered again. Possible causes: two "
            "coordinators wrote at the same time, or another program wrote, mirrored or restored the topic."
        ),
        **located(row),
        entity=row["entity_id"],
        evidence=[row["first_offset"], *row["offsets"]],
        remedy=detector.remedy(group=row["group_id"]),
        references=detector.references,
    )


detector = Detector(
    id="share-epoch-regression",
    title="Decreasing snapshot epoch of a share group",
    find=query(REGRESSIONS),
    describe=describe,
    headline=clause("{count} can get records again: older deliveries replaced newer ones", "share partition"),
    rows_of="entries",
    scope="partition",
    dialects=("share-group-state",),
    needs=frozenset({"offset"}),
    one_cause="partition",
)
