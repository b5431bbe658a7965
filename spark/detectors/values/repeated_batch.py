"""Repeated batch: a producer without idempotence sent a batch again, and the broker wrote it again.

The checksum of a batch covers all its records, their CreateTime and the producer, but not the offset: equal checksums are equal batches.
Innocent: other times; producers with an id, whose repeats the broker refuses; the broker's times; one payload again and again; a
single record.
Page: docs/detectors/repeated-batch.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors import _words as words
from spark.detectors._effects import on_partition
from spark.detectors.values._forms import APPLICATIONS
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, grouped, moment, plural

NEAR_BATCHES = 100  # a retry follows its first attempt soon; an export that was loaded twice does not
MAX_GROUPS = 500  # of equal batches whose records are looked at
EQUAL = f"""
    SELECT {REPLICA_COLUMNS}, crc_stored, size_bytes, record_count, max_timestamp_ms FROM batches
    WHERE magic = 2 AND NOT is_control AND timestamp_type = 'create' AND producer_id = -1 AND base_timestamp_ms > 0 AND crc_ok
    GROUP BY ALL HAVING count(*) > 1
"""
# A payload that the producer writes all the time is no repeat: one of the batch's records must be in these batches alone.
REPEATED = f"""
    WITH groups AS (SELECT *, row_number() OVER () AS number FROM ({EQUAL}) LIMIT {MAX_GROUPS}),
    numbered AS (
        SELECT *, row_number() OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY base_offset) AS place FROM batches
        SEMI JOIN (SELECT DISTINCT {REPLICA_COLUMNS} FROM groups) USING ({REPLICA_COLUMNS}) WHERE NOT is_control
    ),
    copies AS (
        SELECT n.*, number FROM numbered n JOIN groups USING ({REPLICA_COLUMNS}, crc_stored, size_bytes, record_count, max_timestamp_ms)
        WHERE producer_id = -1 AND timestamp_type = 'create'
    ),
    contents AS (
        SELECT {REPLICA_COLUMNS}, number, key_hash_1, value_size_bytes, hash(value) AS value_hash, count(*) AS times
        FROM records JOIN (SELECT {REPLICA_COLUMNS}, file, position AS batch_position, number FROM copies)
            USING ({REPLICA_COLUMNS}, file, batch_position)
        GROUP BY ALL
    ),
    everywhere AS (
        SELECT {REPLICA_COLUMNS}, key_hash_1, hash(value) AS value_hash, count(*) AS times
        FROM records SEMI JOIN contents USING ({REPLICA_COLUMNS}, key_hash_1, value_size_bytes) WHERE {APPLICATIONS} GROUP BY ALL
    ),
    own AS (
        SELECT DISTINCT {REPLICA_COLUMNS}, number FROM contents JOIN everywhere USING ({REPLICA_COLUMNS}, key_hash_1, value_hash)
        WHERE everywhere.times = contents.times
    ),
    again AS (
        SELECT {REPLICA_COLUMNS}, number, base_offset, last_offset, records_read, max_timestamp_ms, place,
            lag(place) OVER same AS place_before, first_value(base_offset) OVER same AS original
        FROM copies SEMI JOIN own USING ({REPLICA_COLUMNS}, number) WINDOW same AS (PARTITION BY {REPLICA_COLUMNS}, number ORDER BY base_offset)
    )
    SELECT {REPLICA_COLUMNS}, count(DISTINCT number) AS originals, count(*) FILTER (place_before IS NOT NULL) AS repeats,
        sum(records_read) FILTER (place_before IS NOT NULL)::BIGINT AS records, max(place - place_before) AS farthest,
        min(original) AS first_offset, max(last_offset) AS last_offset, min(max_timestamp_ms) AS first_ms, max(max_timestamp_ms) AS last_ms,
        list(base_offset ORDER BY base_offset) FILTER (place_before IS NOT NULL)[:{OFFSETS_NAMED}] AS offsets,
        arg_min({{'original': original, 'repeat': base_offset}}, base_offset) FILTER (place_before IS NOT NULL) AS example
    FROM again GROUP BY {REPLICA_COLUMNS} HAVING records > 1 ORDER BY {REPLICA_COLUMNS}
"""


def describe(row: Row) -> Finding:
    """The row in words."""
    offsets, example = list(row["offsets"]), row["example"]
    first = ", the first" if row["repeats"] > len(offsets) else ""
    is_retry = row["farthest"] <= NEAR_BATCHES
    cause = (
        "Likely cause: the producer did not get the broker's answer (a timeout, a closed connection, a change of leader) and sent the batch "
        "again. A producer without idempotence has no sequence numbers by which the broker could reject it."
        if is_retry
        else f"Up to {grouped(row['farthest'])} batches are between a batch and its repeat. That is more than between a send and its retry. "
        "Likely cause: an application, a mirror or a restore wrote the same records again with their old times."
    )
    return Finding(
        detector=detector.id,
        severity="medium",
        title=f"{plural(row['records'], 'record')} of {words.partition_name(row)} {'is' if row['records'] == 1 else 'are'} there twice: {plural(row['repeats'], 'batch was', 'batches were')} written again{first} at {at_offsets(offsets)}",
        explanation=(
            f"The batch at offset {marked.offset(example['repeat'])} has the same size and checksum as the one at offset "
            f"{marked.offset(example['original'])}, so keys, values, headers and CreateTime of all its records are equal, and neither has a producer "
            f"ID. {plural(row['originals'], 'batch', 'batches')} {'is' if row['originals'] == 1 else 'are'} repeated, with times from "
            f"{moment(row['first_ms'])} to {moment(row['last_ms'])}. {cause} Consumers process these records twice."
        ),
        **located(row),
        entity="repeated-batches",
        evidence=[example["original"], *(offset for offset in offsets if offset != example["original"])],
        effects=on_partition("misread", row["topic"], row["partition"], "consumers"),
        remedy=detector.remedy(it_is_a_retry=is_retry),
        references=detector.references,
    )


detector = Detector(
    id="repeated-batch",
    title="Batch that was written again",
    find=query(REPEATED, if_any=f"{EQUAL} LIMIT 1"),
    describe=describe,
    headline=clause("batches of {partitions} were written again"),
    rows_of="batches",
    scope="partition",
    needs=frozenset({"batches", "producers"}),
    one_cause="topic",
    family="repeats",
)
