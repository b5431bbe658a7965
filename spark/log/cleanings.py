"""Cleanings: each partition's copy as the log cleaner sees it: what it has cleaned, what it may clean next.

Compacted is *proven* by the cleaner's checkpoint, by batches that the cleaner has rewritten (fewer records than
offsets, a delete horizon), or by the topic's cleanup.policy where a capture or the print of a tool tells it; *likely* when a null value follows
a value of the same key. Below the first dirty offset every key stands once and no record is without a key: where no
checkpoint tells it, that is how it is found. What the next cleaning removes is told from who supersedes whom; the model
of the cleaner itself is `spark.cleaner`.

The queries REPLICAS, OF_REPLICAS and KEYS_OF give rows of the same partition replicas: DuckDB takes longer to plan one query that joins
them than to run all of them.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from spark.log.cluster_settings import NEWEST_CAPTURES, PRINTED_SETTINGS, PRINTED_STARTS, SAID_BY
from spark.sources import LACKS
from spark.tables import CLEANINGS, Manifest, Part
from spark.tables.parquet import write_parts
from spark.tables.replica import PartitionReplica, quoted, replica_of
from spark.tables.store import ResultTables
from spark.terms.wording import at_record

Row = dict[str, Any]
NOTHING_SHOWN = "no checkpoint, batch or tombstone shows a compaction"
# A batch that could not be read whole proves nothing of the cleaner.
TRACES = """
    SELECT topic, partition, replica, min(base_offset) AS first_batch, max(last_offset) AS last_batch,
        min(base_offset) FILTER (delete_horizon_ms IS NOT NULL) AS horizon_offset,
        min(base_offset) FILTER (is_thinned) AS thinned_offset,
        max(last_offset) FILTER (is_thinned OR delete_horizon_ms IS NOT NULL) + 1 AS cleaned_until
    FROM (
        SELECT topic, partition, replica, base_offset, last_offset, delete_horizon_ms,
            crc_ok AND records_read = record_count AND record_count < last_offset - base_offset + 1 AS is_thinned
        FROM batches
    ) GROUP BY ALL
"""
# The files of a capture are not the segments of the broker's log.
SEGMENTS = """
    SELECT topic, partition, replica, CASE WHEN count(*) > 1 THEN max(base_offset) END AS active_offset,
        list({'base_offset': base_offset, 'size_bytes': size_bytes} ORDER BY base_offset) AS segments
    FROM (
        SELECT topic, partition, replica, base_offset, sum(size_bytes)::BIGINT AS size_bytes
        FROM files ANTI JOIN captures USING (topic, partition, replica)
        WHERE kind = 'segment' AND base_offset IS NOT NULL GROUP BY ALL
    ) GROUP BY ALL
"""
OPEN_TRANSACTIONS = f"""
    WITH {NEWEST_CAPTURES}, first_open AS (
        SELECT topic, partition, replica, first_offset FROM transactions WHERE outcome = 'open'
        UNION ALL SELECT topic, partition, replica, last_stable_offset FROM newest_captures
        WHERE last_stable_offset < high_watermark
    )
    SELECT topic, partition, replica, min(first_offset) AS first_stable_offset FROM first_open GROUP BY ALL
"""
NAMED = """
    SELECT topic, partition, replica, max("offset") FILTER (kind = 'cleaner') AS checkpoint_offset,
        max("offset") FILTER (kind = 'log_start') AS log_start_offset
    FROM checkpoints GROUP BY ALL
"""
COPIES = "(SELECT DISTINCT topic, partition, replica FROM runs)"
POLICIES = f"""
    WITH {PRINTED_SETTINGS},
    told AS (SELECT topic, partition, replica, max(cleanup_policy) AS policy FROM captures GROUP BY ALL)
    SELECT topic, partition, replica, coalesce(policy, value) AS cleanup_policy,
        CASE WHEN policy IS NULL THEN said_by END AS policy_said_by
    FROM {COPIES} LEFT JOIN told USING (topic, partition, replica)
    LEFT JOIN (FROM printed_settings WHERE name = 'cleanup.policy') USING (topic)
    WHERE coalesce(policy, value) IS NOT NULL
"""
PRINTED_CLEANINGS = f"""
    SELECT topic, partition, replica, printed_cleaned, cleaned_said_by FROM {COPIES} JOIN (
        SELECT printed.topic, printed.partition, max("offset") AS printed_cleaned,
            arg_max({SAID_BY}, "offset") AS cleaned_said_by
        FROM printed JOIN files USING (file) WHERE printed.kind = 'cleaned' GROUP BY ALL
    ) USING (topic, partition)
"""
STARTS = f"""
    WITH {PRINTED_STARTS}
    SELECT topic, partition, replica, printed_start FROM {COPIES} JOIN printed_starts USING (topic, partition)
"""
REPLICAS = """
    SELECT topic, partition, replica, min(first_offset) AS first_record, max(last_offset) AS last_record
    FROM runs GROUP BY ALL ORDER BY ALL
"""
# Also one without an entry: the broker's cleaner has cleaned nothing yet. One that cannot be read is none.
WITH_CHECKPOINT_FILE = """
    SELECT replica FROM checkpoints WHERE kind = 'cleaner'
    UNION SELECT replica FROM files ANTI JOIN damage USING (file) WHERE suffix(name, 'cleaner-offset-checkpoint')
"""

# Copies of which no file prints offsets: their records are only numbered.
NUMBERED = f"""
    SELECT topic, partition, replica, bool_and(coalesce(list_contains(cannot_tell, {quoted(LACKS["offset"])}), false)) AS is_numbered
    FROM runs JOIN (SELECT file, cannot_tell FROM files) USING (file) GROUP BY ALL
"""

# Each gives at most one row per partition replica.
OF_REPLICAS = (TRACES, SEGMENTS, OPEN_TRANSACTIONS, NAMED, POLICIES, PRINTED_CLEANINGS, STARTS, NUMBERED)

# Formatted with where the next cleaning ends: a number, or a column joined for each place. Records without a key are
# looked for by the size of the key first: most row groups hold none and are not read.
KEYS_OF = """
    WITH keyless AS (
        SELECT topic, partition, replica, min("offset") AS first_keyless,
            count(*) FILTER ("offset" < {end} AND superseded_by IS NULL) AS keyless_next,
            count(*) FILTER (kind <> 'tombstone') AS keyless_values
        FROM lifelines {joined}
        WHERE key_size_bytes = 0 AND key_hash_1 = 0 AND key_hash_2 = 0 AND kind <> 'control'
        GROUP BY topic, partition, replica
    ),
    keyed AS (
        SELECT topic, partition, replica,
            min("offset") FILTER (previous_offset < "offset") AS first_repeat,
            min("offset") FILTER (kind = 'tombstone' AND previous_offset < "offset") AS deleted_at,
            count(*) FILTER (superseded_by < {end}) AS superseded_next,
            count(*) FILTER (superseded_by IS NOT NULL OR kind = 'tombstone') AS dead
        FROM lifelines {joined} GROUP BY topic, partition, replica
    )
    SELECT topic, partition, replica, first_repeat, deleted_at, first_keyless,
        superseded_next + coalesce(keyless_next, 0) AS removed_next,
        dead + coalesce(keyless_values, 0) AS removed_in_the_end
    FROM keyed LEFT JOIN keyless USING (topic, partition, replica)
"""
# What shows that the cleaner works on a log, the surest first.
PROVEN_BY = {
    "checkpoint_offset": "the checkpoint of the log cleaner names it, with offset {checkpoint_offset}",
    "horizon_offset": "the log cleaner has set a delete horizon in the batch at offset {horizon_offset}",
    "thinned_offset": "the batch at offset {thinned_offset} has fewer records than offsets, so the log cleaner removed some",
    "printed_cleaned": "the log cleaner compacted it up to offset {printed_cleaned} (exclusive), according to {cleaned_said_by}",
}
# Of a place of which only the records are known.
UNKNOWN: Row = dict.fromkeys(
    (
        "first_batch", "last_batch", "horizon_offset", "thinned_offset", "cleaned_until", "active_offset",
        "segments", "first_stable_offset", "checkpoint_offset", "log_start_offset", "cleanup_policy",
        "policy_said_by", "printed_cleaned", "cleaned_said_by", "printed_start", "is_numbered",
    )
)  # fmt: skip


def write_cleanings(manifest: Manifest) -> list[Part]:
    """Write one row for each partition's copy that has records. Runs in a Spark task."""
    return write_parts(manifest, {"cleanings": cleanings(ResultTables.open(manifest))})


def cleanings(tables: ResultTables) -> pa.Table:
    logs = {replica_of(row): with_end(row) for row in logs_of(tables)}
    rows = [
        row_of(logs[replica_of(keys)], keys) for keys in keys_of(tables, logs) if replica_of(keys) in logs
    ]
    return CLEANINGS.filled(rows)


def logs_of(tables: ResultTables) -> list[Row]:
    """One row per partition's copy: its ends, its segments, its checkpoints, traces of the cleaner."""
    facts = [{replica_of(row): row for row in tables.rows(query)} for query in OF_REPLICAS]
    brokers = {row["replica"] for row in tables.rows(WITH_CHECKPOINT_FILE)}
    return [
        with_ends(
            UNKNOWN
            | row
            | {name: value for rows in facts for name, value in rows.get(replica_of(row), {}).items()},
            row["replica"] in brokers,
        )
        for row in tables.rows(REPLICAS)
    ]


def with_ends(row: Row, has_checkpoint_file: bool) -> Row:
    """The row with the first offset and the one behind the last, of records and batches."""
    firsts = [row[name] for name in ("first_record", "first_batch") if row[name] is not None]
    lasts = [row[name] for name in ("last_record", "last_batch") if row[name] is not None]
    return {
        **row,
        "first_offset": min(firsts, default=None),
        "end_offset": max(lasts) + 1 if lasts else None,
        "has_checkpoint_file": has_checkpoint_file,
    }


def with_end(log: Row) -> Row:
    """The log and where the next cleaning of it ends: at a segment's base, and before an open transaction."""
    active = log["active_offset"]
    end = log["end_offset"] if active is None else active
    stopped_by = "end of the log" if active is None else "active segment"
    lso = log["first_stable_offset"]
    if lso is not None and lso < end:
        bases = [segment["base_offset"] for segment in log["segments"] or []]
        below = [base for base in bases if base <= lso]
        end, stopped_by = max(below, default=lso), "open transaction"
    return {**log, "first_uncleanable_offset": end, "stopped_by": stopped_by}


def keys_of(tables: ResultTables, logs: dict[PartitionReplica, Row]) -> list[Row]:
    """One row per partition replica, from one pass over the records: columns of KEYS_OF."""
    ends = sorted({log["first_uncleanable_offset"] for log in logs.values()})
    if len(logs) == 1:
        return tables.rows(KEYS_OF.format(joined="", end=ends[0]))
    if not logs:
        return []
    values = ", ".join(
        f"({quoted(topic)}, {partition}, {quoted(replica)}, {log['first_uncleanable_offset']})"
        for (topic, partition, replica), log in logs.items()
    )
    joined = f"JOIN (VALUES {values}) AS ends(topic, partition, replica, end_offset) USING (topic, partition, replica)"
    return tables.rows(KEYS_OF.format(joined=joined, end="end_offset"))


def row_of(log: Row, keys: Row) -> Row:
    compacted, why = evidence(log, keys)
    first_dirty, dirty_from = first_dirty_offset(log, keys, compacted)
    segments = log["segments"] or []
    dirty = first_dirty or 0
    end = log["first_uncleanable_offset"]
    return {
        **replica_of(log)._asdict(),
        "compacted": compacted,
        "why": why,
        "first_dirty_offset": first_dirty,
        "dirty_from": dirty_from,
        "active_offset": log["active_offset"],
        "first_uncleanable_offset": end,
        "stopped_by": log["stopped_by"],
        "clean_bytes": sum(s["size_bytes"] for s in segments if s["base_offset"] < dirty),
        "cleanable_bytes": sum(s["size_bytes"] for s in segments if dirty <= s["base_offset"] < end),
        "removed_records": None if compacted == "no" else keys["removed_next"],
        "removed_when_compacted": keys["removed_in_the_end"],
    }


def evidence(log: Row, keys: Row) -> tuple[str, str]:
    """Whether the cleaner works on the log, and what shows it."""
    for name, sentence in PROVEN_BY.items():
        if log[name] is not None:
            return "proven", sentence.format(**log)
    if policy := log["cleanup_policy"]:
        said_by = log["policy_said_by"]
        source = f"according to {said_by}" if said_by else "at the time of the capture"
        certainty = "proven" if "compact" in policy else "no"
        return certainty, f"the topic's cleanup.policy was {policy} {source}"
    if keys["deleted_at"] is not None:
        tombstone = at_record(keys["deleted_at"], bool(log["is_numbered"]))
        return "likely", f"a tombstone at {tombstone} deletes a key that had a value"
    return "no", NOTHING_SHOWN


def first_dirty_offset(log: Row, keys: Row, compacted: str) -> tuple[int | None, str | None]:
    """Where the cleaned part ends, and what tells it."""
    start = log["log_start_offset"] or log["printed_start"] or log["first_offset"]
    checkpoint = log["checkpoint_offset"]
    if checkpoint is not None:
        sound = start <= checkpoint <= log["end_offset"]
        return checkpoint if sound else start, "checkpoint"
    never_cleaned = log["thinned_offset"] is None and log["horizon_offset"] is None
    if log["has_checkpoint_file"] and never_cleaned:
        return start, "checkpoint"  # the broker's cleaner keeps one and has never cleaned this log
    if compacted == "no":
        return None, None
    closed = log["end_offset"] if log["active_offset"] is None else log["active_offset"]
    unique = min(
        offset for offset in (closed, keys["first_repeat"], keys["first_keyless"]) if offset is not None
    )
    is_batches = log["cleaned_until"] is not None and log["cleaned_until"] >= unique
    return unique, "batches" if is_batches else "keys"
