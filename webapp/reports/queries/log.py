"""The log of a partition: its segments, formats, leader epochs, gaps, producers, and what the cleaner sees."""

from __future__ import annotations

from typing import Any

from webapp.reports.results import WHERE_REPLICA, PartitionResults, Rows, remembered

SHOWN = 500  # rows of each table
# What was read of the batches, and what their headers declare; a tool's output without records has the headers alone.
COUNTS = "sum(coalesce(records_read, record_count))::BIGINT AS records, sum(coalesce(record_count, records_read))::BIGINT AS declared"
# `batches` are the intact ones in all three: what corrupt ones say of themselves may be damaged, so they are counted beside.
SEGMENTS = f"""
SELECT f.file, f.name, f.base_offset, f.size_bytes, b.first_offset, b.last_offset, coalesce(b.batches - b.corrupt, 0) AS batches,
       coalesce(b.corrupt, 0) AS corrupt, b.records, b.declared, b.formats, b.codecs, b.max_timestamp_ms
FROM (SELECT * FROM files WHERE kind = 'segment' AND {WHERE_REPLICA}) AS f LEFT JOIN (
    SELECT file, min(first_offset) AS first_offset, max(last_offset) AS last_offset, sum(batches)::BIGINT AS batches,
           sum(corrupt)::BIGINT AS corrupt,
           sum(records)::BIGINT AS records, sum(declared)::BIGINT AS declared, max(max_timestamp_ms) AS max_timestamp_ms,
           list_sort(list(DISTINCT magic))::VARCHAR[] AS formats, list_sort(list(DISTINCT codec)) AS codecs
    FROM (
        SELECT file, magic, codec, min(base_offset) AS first_offset, max(last_offset) AS last_offset,
               count(*) AS batches, count(*) FILTER (WHERE crc_ok = false) AS corrupt, {COUNTS}, max(max_timestamp_ms) AS max_timestamp_ms
        FROM batches WHERE {WHERE_REPLICA} GROUP BY ALL
    ) GROUP BY file
) AS b USING (file) ORDER BY coalesce(f.base_offset, b.first_offset), f.name LIMIT {SHOWN}
"""
CORRUPT_BETWEEN = f"""(
    SELECT count(*) FROM batches WHERE {WHERE_REPLICA} AND crc_ok = false AND base_offset BETWEEN r.first_offset AND r.last_offset
) AS corrupt"""
FORMATS = (
    f"SELECT r.*, {CORRUPT_BETWEEN} FROM formats AS r WHERE {WHERE_REPLICA} ORDER BY number LIMIT {SHOWN}"
)
EPOCHS = f"SELECT r.*, {CORRUPT_BETWEEN} FROM epochs AS r WHERE {WHERE_REPLICA} ORDER BY epoch LIMIT {SHOWN}"
GAPS = f"""
SELECT *, last_offset - first_offset + 1 AS offsets FROM gaps WHERE {WHERE_REPLICA}
ORDER BY cause IN ('compaction', 'likely compaction', 'control', 'aborted'), offsets DESC, first_offset LIMIT {SHOWN}
"""
CLEANING = f"""
SELECT *, (SELECT max("offset") FROM checkpoints WHERE {WHERE_REPLICA} AND kind = 'cleaner') AS checkpoint_offset
FROM cleanings WHERE {WHERE_REPLICA}
"""
OTHERS_IN_CHECKPOINT = """
SELECT DISTINCT "partition" FROM checkpoints
WHERE "topic" = $topic AND "replica" = $replica AND kind = 'cleaner' AND "partition" <> $partition ORDER BY ALL
"""
PRODUCERS = f"""
SELECT producer_id, producer_epoch, min(base_offset) AS first_offset, max(last_offset) AS last_offset,
       count(*) AS batches, {COUNTS}, bool_or(is_transactional) AS is_transactional,
       arg_min(base_sequence, base_offset) FILTER (NOT is_control) AS first_sequence,
       arg_max(base_sequence + last_offset - base_offset, base_offset) FILTER (NOT is_control) AS last_sequence,
       max(max_timestamp_ms) AS last_timestamp_ms, count(*) OVER () AS all_producers
FROM batches WHERE {WHERE_REPLICA} AND producer_id >= 0 GROUP BY producer_id, producer_epoch
ORDER BY first_offset, producer_epoch LIMIT {SHOWN}
"""


@remembered
def segments_of(partition: PartitionResults) -> Rows:
    """Segment files in order of offsets, with totals of their batches."""
    return partition.rows(SEGMENTS)


def formats_of(partition: PartitionResults) -> Rows:
    """Ranges of offsets with one message format."""
    return partition.rows(FORMATS)


def epochs_of(partition: PartitionResults) -> Rows:
    """Leader epochs, from batches and from the checkpoint."""
    return partition.rows(EPOCHS)


@remembered
def gaps_of(partition: PartitionResults) -> Rows:
    """Gaps, longest first; those with a harmless cause (compaction, control record, aborted) come last."""
    return partition.rows(GAPS)


@remembered
def producers_with_sequences(partition: PartitionResults) -> Rows:
    return partition.rows(PRODUCERS)


def cleaning_of(partition: PartitionResults) -> dict[str, Any] | None:
    """The partition's row of `cleanings`, with the `checkpoint_offset` of the log cleaner; None if there is none."""
    return partition.row(CLEANING)


def others_in_checkpoint(partition: PartitionResults) -> list[int]:
    """Other partitions of the topic that the checkpoint of the log cleaner lists."""
    return [row["partition"] for row in partition.rows(OTHERS_IN_CHECKPOINT)]
