"""Epoch order: the leader epoch of batches goes back along the log.

Only where the offsets go on: batches that lie out of order are offset-order's. Batches without an epoch (-1: old
formats, replicas before 0.11) are passed over. Page: docs/detectors/epoch-order.md
"""

from __future__ import annotations

from spark.detectors import Detector, located, query
from spark.detectors import _restoring as restoring
from spark.detectors import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import grouped, moment
from spark.terms.victims import partitions_of

MAX_STEPS = 10  # of one copy of a partition; more is one cause

# Cheap: in a sound log the offsets of no two epochs overlap. Only logs where they do are put in order.
ODD_LOGS = f"""
    SELECT DISTINCT {REPLICA_COLUMNS} FROM (
        SELECT {REPLICA_COLUMNS}, first_offset, max(last_offset) OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY epoch
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reach
        FROM epochs WHERE first_offset IS NOT NULL
    ) WHERE first_offset <= reach
"""

# One row per place where the epoch goes back.
STEPS_BACK = f"""
    WITH middles AS (
        SELECT file, quantile_disc(base_offset, 0.5) AS middle_offset FROM batches WHERE crc_ok IS NOT false GROUP BY file
    ),
    placed AS (
        SELECT {REPLICA_COLUMNS}, base_offset, leader_epoch, max_timestamp_ms,
            lag(base_offset) OVER log AS base_offset_before, lag(last_offset) OVER log AS last_offset_before,
            lag(leader_epoch) OVER log AS epoch_before, lag(leader_epoch, 2) OVER log AS epoch_before_that,
            lead(leader_epoch) OVER log AS epoch_after, max(leader_epoch) OVER (log ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) AS reached
        FROM batches JOIN middles USING (file) SEMI JOIN ({ODD_LOGS}) USING ({REPLICA_COLUMNS})
        WHERE magic >= 2 AND leader_epoch >= 0 AND crc_ok IS NOT false
        WINDOW log AS (
            PARTITION BY {REPLICA_COLUMNS}, CASE WHEN topic = '?' THEN file END ORDER BY middle_offset, file, position
        )
    )
    SELECT *, count(*) OVER (PARTITION BY {REPLICA_COLUMNS}) AS steps_back
    FROM placed WHERE leader_epoch < epoch_before AND base_offset > last_offset_before
    QUALIFY row_number() OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY base_offset) <= {MAX_STEPS}
    ORDER BY {REPLICA_COLUMNS}, base_offset
"""


def describe(row: Row) -> Finding:
    first, last = row["base_offset_before"], row["base_offset"]
    return Finding(
        detector=detector.id,
        severity="critical",
        title=(
            f"Replicas of {words.partition_name(row)} can truncate intact records: the leader epoch decreases from "
            f"{marked.number(row['epoch_before'])} at offset {marked.offset(first)} to {marked.number(row['leader_epoch'])} at offset {marked.offset(last)}{more(row)}"
        ),
        explanation=explanation(row),
        **located(row, first, last),
        evidence=[first, last],
        remedy=detector.remedy(**restoring.repair(row)),
        references=detector.references,
    )


def more(row: Row) -> str:
    """Occurrences beyond those that are reported one by one."""
    further = row["steps_back"] - MAX_STEPS
    return f"; {grouped(further)} more occurrences are not listed" if further > 0 else ""


def explanation(row: Row) -> str:
    """What should be, which of the two batches is suspect, what it leads to."""
    return (
        "Each new leader of a partition gets a higher leader epoch, so leader epochs only increase along a log. "
        f"The batch at offset {marked.offset(row['base_offset_before'])} contains leader epoch {marked.number(row['epoch_before'])}. The next batch, at offset "
        f"{marked.offset(row['base_offset'])} ({moment(row['max_timestamp_ms'])}), contains leader epoch {marked.number(row['leader_epoch'])}. {suspect(row)} "
        "The checksum does not cover the leader epoch, so a broker's log recovery does not detect a wrong one. Followers use leader "
        "epochs to find the offset at which they truncate their logs. With a wrong epoch they can keep or delete the wrong records."
        f"{recovered(row)}"
    )


def recovered(row: Row) -> str:
    """LogSegment.recover assigns each epoch that is higher than the latest one to the leader epoch cache, which is written to its file."""
    epoch, before, reached = row["epoch_before"], row["epoch_before_that"], row["reached"]
    if before is None or before > row["leader_epoch"] or epoch <= reached:
        return ""
    return f" After an unclean stop, log recovery also writes leader epoch {marked.number(epoch)} into leader-epoch-checkpoint, if it checks this segment."


def suspect(row: Row) -> str:
    """The one of the two that does not fit its neighbours."""
    before, epoch = row["epoch_before_that"], row["leader_epoch"]
    if before is not None and before <= epoch:
        return f"The batches before and after the first batch match, so leader epoch {marked.number(row['epoch_before'])} is likely wrong."
    after = row["epoch_after"]
    if after is not None and after >= row["epoch_before"]:
        return f"The batches before and after the second batch match, so leader epoch {marked.number(epoch)} is likely wrong."
    return "This log does not show which leader epoch is wrong, or whether the batches come from another log."


def headline(findings: list[Finding]) -> str:
    times = "" if len(findings) == 1 else f" {len(findings)} times"
    return f"replicas of {partitions_of(findings)} can truncate intact records: the leader epoch decreases{times}"


detector = Detector(
    id="epoch-order",
    title="Decreasing leader epoch",
    find=restoring.with_replicas(query(STEPS_BACK, if_any=f"{ODD_LOGS} LIMIT 1")),
    describe=describe,
    headline=headline,
    rows_of="epochs",
    scope="partition",
    needs=frozenset({"batches"}),
    befalls=("at_risk", "brokers"),
)
