"""Cleaner stalled: a large, old dirty part behind the cleaner's checkpoint, in segments that are long closed.

What blocks it is named: an open transaction, damage. Without either it is told only when the same broker has cleaned
newer records, of another partition, meanwhile. Innocent: the active segment only; a young dirty part, younger than
the topic's min.compaction.lag.ms where the input tells it; a cleaner that is off. Page: docs/detectors/cleaner-stalled.md
"""

from __future__ import annotations

from spark.detectors import Detector, located, query
from spark.detectors import _restoring as restoring
from spark.detectors._words import damaged
from spark.detectors.compaction._checkpoint import checkpoint_unknown
from spark.detectors.log.timestamp_in_future import PLAUSIBLE_UNTIL_MS
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.topic_commands import LAG
from spark.terms.typed_wording import grouped, offset_range, plural
from spark.terms.victims import partitions_of

MIN_DIRTY_RATIO = 0.5  # the default of min.cleanable.dirty.ratio: below it the cleaner need not run
BLOCKED_MS = 24 * 3600 * 1000  # a transaction or a damaged batch does not go away by itself in a day
IDLE_MS = 7 * BLOCKED_MS  # a compaction lag of some days is not rare

# One row per partition's copy that is behind.
# A topic is compacted when any of its partitions is: the policy is the topic's.
STALLED = f"""
    WITH now AS (SELECT max(max_timestamp_ms) AS now_ms FROM batches WHERE crc_ok AND max_timestamp_ms < {PLAUSIBLE_UNTIL_MS}),
    compacted AS (SELECT topic, bool_or(compacted = 'proven') AS is_proven FROM cleanings WHERE compacted <> 'no' GROUP BY topic),
    behind AS (
        SELECT cleanings.*, is_proven FROM cleanings JOIN compacted USING (topic)
        WHERE dirty_from = 'checkpoint' AND active_offset > first_dirty_offset
    ),
    sizes AS (
        SELECT topic, partition, replica, is_proven, first_dirty_offset, active_offset, first_uncleanable_offset, stopped_by,
            sum(size_bytes) FILTER (last_offset < first_dirty_offset) AS clean,
            sum(size_bytes) FILTER (base_offset >= first_dirty_offset AND last_offset < active_offset) AS dirty,
            min(max_timestamp_ms) FILTER (base_offset >= first_dirty_offset AND last_offset < active_offset
                AND max_timestamp_ms >= 0) AS since_ms
        FROM batches JOIN behind USING (topic, partition, replica) GROUP BY ALL
    ),
    hanging AS (
        SELECT topic, partition, replica, min(first_offset) AS open_offset, arg_min(producer_id, first_offset) AS producer_id
        FROM transactions WHERE outcome = 'open' GROUP BY ALL
    ),
    damaged_logs AS (
        SELECT topic, partition, replica, min(broken_offset) AS broken_offset FROM (
            SELECT topic, partition, replica, first_offset AS broken_offset FROM damage
            WHERE reason NOT IN ('truncated', 'zeros_at_end', 'bad_companion') AND first_offset IS NOT NULL
            UNION ALL SELECT topic, partition, replica, base_offset FROM batches WHERE NOT crc_ok
        ) JOIN behind USING (topic, partition, replica) WHERE broken_offset BETWEEN first_dirty_offset AND active_offset - 1
        GROUP BY ALL
    ),
    working AS (
        SELECT replica, max(max_timestamp_ms) AS cleaned_ms FROM batches JOIN cleanings USING (topic, partition, replica)
        WHERE compacted = 'proven' AND dirty_from = 'checkpoint' AND last_offset < first_dirty_offset AND crc_ok GROUP BY ALL
    ),
    lags AS (
        SELECT topic, max(TRY_CAST(value AS BIGINT)) AS lag_ms FROM properties WHERE name = '{LAG}' GROUP BY ALL
    ),
    judged AS (
        SELECT sizes.*, coalesce(lag_ms, 0) AS lag_ms, now_ms - since_ms AS age_ms, coalesce(clean, 0) AS clean_bytes, dirty AS dirty_bytes, cleaned_ms,
            broken_offset, producer_id, CASE WHEN open_offset < active_offset THEN open_offset END AS open_offset
        FROM sizes CROSS JOIN now LEFT JOIN hanging USING (topic, partition, replica)
        LEFT JOIN damaged_logs USING (topic, partition, replica) LEFT JOIN working USING (replica)
        LEFT JOIN lags USING (topic)
    )
    SELECT * FROM judged WHERE dirty_bytes > {MIN_DIRTY_RATIO} * (clean_bytes + dirty_bytes) AND age_ms > lag_ms AND CASE
        WHEN open_offset IS NOT NULL OR broken_offset IS NOT NULL THEN age_ms > {BLOCKED_MS}
        ELSE age_ms > {IDLE_MS} AND cleaned_ms > since_ms + {IDLE_MS} END
    ORDER BY topic, partition, replica
"""


def absent(tables: ResultTables) -> str | None:
    """Only the checkpoint tells where the cleaner stands."""
    if tables.rows("SELECT 1 AS one FROM cleanings WHERE dirty_from = 'checkpoint' LIMIT 1"):
        return None
    if tables.rows("SELECT 1 AS one FROM captures LIMIT 1"):
        return (
            "a broker does not report the progress of its log cleaner over the network; cleaner-offset-checkpoint in its data "
            "folder contains it"
        )
    return checkpoint_unknown(tables)


def describe(row: Row) -> Finding:
    name = marked.partition(row["topic"], row["partition"])
    dirty, end = row["first_dirty_offset"], row["active_offset"]
    percent = round(100 * row["dirty_bytes"] / (row["dirty_bytes"] + row["clean_bytes"]))
    offsets = [row["open_offset"], row["broken_offset"]]
    blocked = [offset for offset in offsets if offset is not None]
    return Finding(
        detector=detector.id,
        severity="medium",
        confidence="proven" if blocked and row["is_proven"] else "likely",
        title=f"The log cleaner is stalled in {name}: {offset_range(dirty, end - 1)} {'is' if end - 1 == dirty else 'are'} not compacted{because(row)}",
        explanation=(
            f"The checkpoint of the log cleaner is at offset {marked.offset(dirty)}. The closed segments after it contain {grouped(row['dirty_bytes'])} "
            f"bytes ({marked.number(percent)} % of the bytes that can be compacted). The oldest of these records is "
            f"{plural(row['age_ms'] // BLOCKED_MS, 'day')} older than the newest record. {reason(row)} Until the cleaner continues, "
            "the log grows, superseded values and tombstones stay, and consumers that read from the start of the log read all of "
            "them."
        ),
        **located(row, dirty, end - 1),
        entity="cleaner",
        evidence=[dirty, *blocked],
        entities=blockers(row),
        remedy=remedy(row),
        references=detector.references,
    )


def blockers(row: Row) -> set[str]:
    """What is in the cleaner's way, as the findings about it name it."""
    blocking = set()
    if row["open_offset"] is not None:
        blocking.add(f"transaction:{row['producer_id']}@{row['open_offset']}")
    if row["broken_offset"] is not None:
        blocking.add(damaged(row["broken_offset"]))
    return blocking


def because(row: Row) -> str:
    """The blocker, for the title."""
    if row["open_offset"] is not None:
        return f" because of the open transaction of producer {marked.number(row['producer_id'])} at offset {marked.offset(row['open_offset'])}"
    if row["broken_offset"] is not None:
        return f" because of the corrupt batch at offset {marked.offset(row['broken_offset'])}"
    return ""


def reason(row: Row) -> str:
    """Why the cleaner does not continue."""
    if row["open_offset"] is not None:
        return (
            f"The cleaner never compacts beyond the last stable offset, which is {marked.offset(row['open_offset'])}. The transaction of producer "
            f"{marked.number(row['producer_id'])} is open there. The cleaner compacts whole segments only, so it stops at offset "
            f"{marked.offset(row['first_uncleanable_offset'])}."
        )
    if row["broken_offset"] is not None:
        return (
            f"The batch at offset {marked.offset(row['broken_offset'])} cannot be read. The cleaner then marks the partition as uncleanable and "
            "skips it until the broker restarts."
        )
    return "The log shows no reason. The cleaner has compacted other partitions of this broker since then."


def headline(findings: list[Finding]) -> str:
    return (
        f"{partitions_of(findings)} keeps growing: the log cleaner is stalled"
        if len(findings) == 1
        else f"{partitions_of(findings)} keep growing: the log cleaner is stalled"
    )


def remedy(row: Row) -> str:
    """Take the blocker away."""
    if row["open_offset"] is not None:
        return detector.remedy(
            "Open transaction",
            producer_id=row["producer_id"],
            topic=row["topic"],
            partition=row["partition"],
            open_from=row["open_offset"],
        )
    if row["broken_offset"] is None:
        return detector.remedy("No known cause")
    restored = restoring.repair(row)
    return detector.remedy(
        "Damage",
        no_other_replica=restored["no_other_replica"],
        the_source=restored["the_source"],
        the_replicas=restored["the_replicas"],
        lost_records=restored["lost_records"],
    )


detector = Detector(
    id="cleaner-stalled",
    title="Log cleaner stalled",
    find=restoring.with_replicas(query(STALLED)),
    describe=describe,
    headline=headline,
    rows_of="batches",
    needs=frozenset({"batches"}),
    follows=("hanging-transaction", "late-transactional-write", "unreadable-bytes", "crc-mismatch"),
    absent=absent,
    wants="checkpoint",
    one_cause="disk",
    befalls=("stuck", "brokers"),
)
