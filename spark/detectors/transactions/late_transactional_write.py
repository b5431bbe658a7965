"""Late transactional write: data of a transaction that was over already when the batch arrived.

Either its producer epoch is older than one before it, or the producer's transaction was ended, the coordinator knows
of no new one, and the data hangs. Where nobody tells what the coordinator knows, the data must be older than the marker before it: younger
data can be the producer's next transaction. Innocent: epochs that a coordinator's abort, a new producer or KIP-890 raised.
Page: docs/detectors/late-transactional-write.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, located
from spark.detectors._effects import on_partition
from spark.detectors.transactions import _words as words
from spark.detectors.transactions._open import COORDINATOR_EPOCH, HANGING
from spark.log.transaction_events import LOG
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment, plural
from spark.terms.victims import partitions_of, stuck

# Markers count too: an abort by the coordinator carries the epoch that fences the old producer.
EPOCHS = f"""
    SELECT {REPLICA_COLUMNS}, producer_id, producer_epoch, base_offset, last_offset, record_count, max_timestamp_ms, is_control,
        max(producer_epoch) OVER before AS newer_epoch, max(base_offset) OVER before AS offset_before
    FROM %s WHERE is_transactional AND producer_id >= 0
    WINDOW before AS (PARTITION BY {REPLICA_COLUMNS}, producer_id ORDER BY base_offset
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
"""
OLDER_EPOCH = f"""
    SELECT {REPLICA_COLUMNS}, producer_id, producer_epoch, max(newer_epoch) AS newer_epoch, min(base_offset) AS first_offset,
        max(last_offset) AS last_offset, sum(record_count)::BIGINT AS records, min(offset_before) AS marker_before,
        max(max_timestamp_ms) AS last_timestamp_ms
    FROM ({EPOCHS}) WHERE producer_epoch < newer_epoch AND NOT is_control GROUP BY ALL
"""
ANYTHING_ODD = f"""
    SELECT 1 FROM (
        SELECT producer_epoch, lag(producer_epoch) OVER (PARTITION BY {REPLICA_COLUMNS}, producer_id ORDER BY base_offset) AS before
        FROM batches WHERE is_transactional AND producer_id >= 0
    ) WHERE producer_epoch < before LIMIT 1
"""
SEVERAL_EPOCHS = f"""
    SELECT 1 FROM batches WHERE is_transactional AND producer_id >= 0
    GROUP BY {REPLICA_COLUMNS}, producer_id HAVING min(producer_epoch) < max(producer_epoch) LIMIT 1
"""
ODD = f"""
    WITH {LOG} SELECT *, {COORDINATOR_EPOCH.format(of="older")} AS coordinator_epoch FROM ({OLDER_EPOCH % "kept"}) older
    ORDER BY first_offset
"""
# Of commits of offsets hanging-transaction says the same, with the group that they stop.
AFTER_ITS_MARKER = f"""
    WITH ended AS ({HANGING} AND marker_before < first_offset AND NOT is_known AND topic <> '__consumer_offsets')
    SELECT ended.*, written.first_timestamp_ms, marked.marker_timestamp_ms FROM ended
    LEFT JOIN (SELECT {REPLICA_COLUMNS}, producer_id, first_offset, first_timestamp_ms FROM transactions WHERE outcome = 'open') written
        USING ({REPLICA_COLUMNS}, producer_id, first_offset)
    LEFT JOIN (SELECT {REPLICA_COLUMNS}, producer_id, marker_offset AS marker_before, marker_timestamp_ms FROM transactions) marked
        USING ({REPLICA_COLUMNS}, producer_id, marker_before)
    WHERE state IS NOT NULL OR reported_as = 'hanging' OR written.first_timestamp_ms <= marked.marker_timestamp_ms
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per producer epoch that came late, and per transaction that nobody began."""
    is_odd = tables.rows(SEVERAL_EPOCHS) and tables.rows(ANYTHING_ODD)
    older = tables.rows(ODD) if is_odd else []
    return [*older, *tables.rows(AFTER_ITS_MARKER)]


def describe(row: Row) -> Finding:
    is_older = "newer_epoch" in row
    span, name = words.offsets(row["first_offset"], row["last_offset"]), words.partition_name(row)
    wrote = f"producer {marked.number(row['producer_id'])} wrote {span} after"
    title = (
        f"Consumers of {name} get records of a fenced producer: {wrote} producer epoch {marked.number(row['newer_epoch'])} started"
        if is_older
        else f"read_committed consumers of {name} stop at offset {marked.offset(row['first_offset'])}{hidden(row)}: producer "
        f"{marked.number(row['producer_id'])} wrote after its transaction ended"
    )
    return Finding(
        detector=detector.id,
        severity="high",
        effects=on_partition(
            "misread" if is_older else "stuck",
            row["topic"],
            row["partition"],
            "consumers" if is_older else "read_committed",
        ),
        title=title,
        explanation=of_older_epoch(row) if is_older else of_ended(row),
        **located(row),
        evidence=list(dict.fromkeys([row["marker_before"], row["first_offset"], row["last_offset"]])),
        remedy=detector.remedy(**words.step_values(row, row["first_offset"])),
        since_ms=None if is_older else row["last_timestamp_ms"],
        confidence="proven" if is_older or row["state"] else "likely",
        references=detector.references,
        entity=f"producer:{row['producer_id']}@{row['first_offset']}",
        entities={f"transaction:{row['producer_id']}@{row['first_offset']}"},
    )


def hidden(row: Row) -> str:
    """`, 74 records hidden`, where no earlier transaction hides them."""
    count = row["hidden_records"] or 0
    return (
        f", {plural(count, 'record')} hidden" if count and row["first_offset"] == row["stable_offset"] else ""
    )


def of_older_epoch(row: Row) -> str:
    """A fenced producer's data."""
    follow = "follows" if row["records"] == 1 else "follow"
    return (
        f"{plural(row['records'], 'record')} of producer epoch {marked.number(row['producer_epoch'])} {follow} records or a marker of producer epoch "
        f"{marked.number(row['newer_epoch'])} at offset {marked.offset(row['marker_before'])}. A newer producer epoch fences the older ones, so a broker must reject "
        "their batches. The next marker of the producer commits or aborts these records together with records of another "
        "transaction."
    )


def of_ended(row: Row) -> str:
    """Data after the marker that ended its transaction."""
    if row["state"]:
        states = f"The producer's coordinator has transactional ID `{marked.name(row['transactional_id'])}` in state {marked.name(row['state'])} and does not list this partition."
    elif row["reported_as"]:
        states = "No coordinator knows this transaction."
    else:
        states = (
            f"The first of these records was created at {moment(row['first_timestamp_ms'])}, before the marker ({moment(row['marker_timestamp_ms'])}). A coordinator "
            "ends every transaction that it knows after its timeout."
        )
    return (
        f"A marker at offset {marked.offset(row['marker_before'])} ended the transaction of producer {marked.number(row['producer_id'])} (producer epoch "
        f"{marked.number(row['producer_epoch'])}). After it, the log contains {plural(row['records'], 'record')} of the same producer epoch, the last "
        f"at {moment(row['last_timestamp_ms'])}, and no marker. The broker treats them as a new transaction and waits for its marker. "
        f"{states} KIP-890 names two possible causes: the batch was delayed and arrived after its transaction had "
        "ended, or the producer wrote to the partition before it added the partition to its transaction."
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict: records after their transaction's end open one that nobody ends."""
    late = plural(len(findings), "transactional batch", "transactional batches")
    open_ones = [finding for finding in findings if finding.since_ms is not None]
    if not open_ones:
        return f"consumers of {partitions_of(findings)} get records of a fenced producer: {late} arrived after the transaction ended"
    return f"{stuck(open_ones)}: {late} arrived after the transaction ended"


detector = Detector(
    id="late-transactional-write",
    title="Late transactional write",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="transactions",
    needs=frozenset({"batches", "producers", "control"}),
    one_cause="each",
)
