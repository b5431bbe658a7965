"""Timestamps that go back: by more than an hour from one batch or record to the next of the same clock.

The same clock: the broker's (LogAppendTime), or that of one idempotent producer. A text dump tells no producer: there all records
from some offset on are older than one before it, for long enough that no other clock was in use. Innocent: CreateTime of several
producers; batches of old formats and of producers without an id do not tell who wrote. Page: docs/detectors/timestamp-regression.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors import _words as words
from spark.detectors.log.timestamp_in_future import PLAUSIBLE_UNTIL_MS
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, moment, plural

BACK_MS = 3600 * 1000  # more than clocks of a cluster drift apart, and one hour for local time taken for UTC

SAME_CLOCK_RECORDS = 10  # in a row behind the step: another producer's clock would show among so many

# Batches by their clock, and the records of dumps that show no batches, where no other copy of the partition does.
TIMED = f"""
    timed AS (
        SELECT {REPLICA_COLUMNS}, timestamp_type, CASE timestamp_type WHEN 'log_append' THEN NULL ELSE producer_id END AS producer_id,
            base_offset, max_timestamp_ms, leader_epoch
        FROM batches
        WHERE crc_ok IS NOT false AND NOT is_control AND magic > 0 AND coalesce(record_count, records_read) > 0
            AND max_timestamp_ms BETWEEN 0 AND {PLAUSIBLE_UNTIL_MS} AND (timestamp_type = 'log_append' OR producer_id >= 0)
    ),
    placed AS (
        SELECT *, lag(max_timestamp_ms) OVER clock AS before_ms, lag(base_offset) OVER clock AS offset_before,
            lag(leader_epoch) OVER clock AS epoch_before
        FROM timed WINDOW clock AS (PARTITION BY {REPLICA_COLUMNS}, timestamp_type, producer_id ORDER BY base_offset)
    )
"""
DUMPED = f"""
    dumped AS (
        SELECT {REPLICA_COLUMNS}, coalesce(timestamp_type, 'create') AS timestamp_type, "offset" AS base_offset, timestamp_ms
        FROM records ANTI JOIN (SELECT DISTINCT topic, "partition" FROM batches) USING (topic, "partition")
        WHERE control_type IS NULL AND timestamp_ms BETWEEN 0 AND {PLAUSIBLE_UNTIL_MS}
    ),
    around AS (
        SELECT *, lag(timestamp_ms) OVER clock AS before_ms, lag(base_offset) OVER clock AS offset_before,
            max(timestamp_ms) OVER next_ones AS next_ms, count(*) OVER next_ones AS next_records
        FROM dumped
        WINDOW clock AS (PARTITION BY {REPLICA_COLUMNS}, timestamp_type ORDER BY base_offset),
            next_ones AS (clock ROWS BETWEEN CURRENT ROW AND {SAME_CLOCK_RECORDS - 1} FOLLOWING)
    ),
    dumped_steps AS (
        SELECT {REPLICA_COLUMNS}, timestamp_type, NULL AS producer_id, base_offset, timestamp_ms AS max_timestamp_ms,
            NULL AS leader_epoch, before_ms, offset_before, NULL AS epoch_before
        FROM around WHERE timestamp_type = 'log_append' OR (next_ms < before_ms - {BACK_MS} AND next_records = {SAME_CLOCK_RECORDS})
    )
"""
STEPS = """
    steps AS (
        SELECT *, false AS is_dumped FROM placed UNION ALL BY NAME SELECT *, true AS is_dumped FROM dumped_steps
    )
"""
STEPS_OF_BATCHES = "steps AS (SELECT *, false AS is_dumped FROM placed)"
STEPS_BACK = f"""
    SELECT {REPLICA_COLUMNS}, timestamp_type, count(*) AS steps_back, count(DISTINCT producer_id) AS producers,
        min(offset_before) AS first_offset, max(base_offset) AS last_offset,
        list(base_offset ORDER BY base_offset)[:{OFFSETS_NAMED}] AS offsets,
        max(before_ms - max_timestamp_ms) AS most_ms, bool_and(is_dumped) AS is_dumped,
        arg_max({{'offset': base_offset, 'before': before_ms, 'after': max_timestamp_ms, 'offset_before': offset_before,
            'epoch': leader_epoch, 'epoch_before': epoch_before}}, before_ms - max_timestamp_ms) AS worst
    FROM steps WHERE before_ms - max_timestamp_ms > {BACK_MS}
    GROUP BY {REPLICA_COLUMNS}, timestamp_type ORDER BY {REPLICA_COLUMNS}, timestamp_type
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition and kind of timestamp."""
    has_dumps = tables.rows("SELECT 1 FROM files WHERE kind = 'export' LIMIT 1")
    steps_back = [TIMED, DUMPED, STEPS] if has_dumps else [TIMED, STEPS_OF_BATCHES]
    return tables.rows(f"WITH {', '.join(steps_back)} {STEPS_BACK}")


def describe(row: Row) -> Finding:
    worst = row["worst"]
    by_broker = row["timestamp_type"] == "log_append"
    return Finding(
        detector=detector.id,
        severity="low",
        confidence="proven" if by_broker else "likely",
        title=(
            f"{'Broker' if by_broker else 'Producer'} timestamps of {words.partition_name(row)} go back by "
            f"{hours(row['most_ms'])} between offsets {marked.offset(worst['offset_before'])} and {marked.offset(worst['offset'])}{more(row)}"
        ),
        explanation=explanation(row, by_broker),
        **located(row),
        entity=row["timestamp_type"],
        entities={"time"},
        evidence=[worst["offset_before"], *row["offsets"]],
        remedy=detector.remedy(brokers_set_the_timestamps=by_broker),
        references=detector.references,
    )


def hours(span_ms: int) -> str:
    """`3.0 hours`, `12 days`."""
    count = span_ms / BACK_MS
    if count < 48:
        return f"{marked.number(count, f'{count:.1f}')} hours"
    return f"{marked.number(count / 24, f'{count / 24:,.0f}')} days"


def more(row: Row) -> str:
    """Other occurrences of the same kind."""
    further = row["steps_back"] - 1
    return f", and {plural(further, 'more time')}" if further else ""


def explanation(row: Row, by_broker: bool) -> str:
    """Whose clock, from when to when."""
    worst = row["worst"]
    times = (
        f"The {'record' if row['is_dumped'] else 'batch'} at offset {marked.offset(worst['offset_before'])} has timestamp {moment(worst['before'])}. "
        f"The next {'record' if row['is_dumped'] else 'batch'} from the same clock, at offset {marked.offset(worst['offset'])}, has timestamp "
        f"{moment(worst['after'])}. A difference of more than an hour counts."
    )
    if by_broker and row["is_dumped"]:
        return f"{times} The dump shows no leader epochs: the clock was set back, or another broker became leader. {GOES_WRONG}"
    if row["is_dumped"]:
        return (
            f"{times} The {SAME_CLOCK_RECORDS} records from that offset are all older. Either the producer's clock was set back, or "
            "the producer sets the timestamps itself. Tools that mirror topics or load old data do this. In that case there is no "
            "fault."
        )
    if by_broker:
        epochs = (worst["epoch_before"], worst["epoch"])
        moved = (
            f" The leader changed between them (leader epoch {marked.number(epochs[0])} to {marked.number(epochs[1])}), so the clocks of two brokers differ."
            if epochs[0] != epochs[1]
            else " The leader did not change, so its clock was set back."
        )
        return f"{times}{moved} {GOES_WRONG}"
    return (
        f"{times} Both batches have the same producer ID. Either the clock of the producer was set back, or the producer sets the "
        "timestamps itself. Tools that mirror topics or load old data do this. In that case there is no fault."
    )


GOES_WRONG = "Retention by time and searching by time go wrong around such a place."


detector = Detector(
    id="timestamp-regression",
    title="Decreasing timestamps",
    find=find,
    describe=describe,
    headline=clause("timestamps go back in {count}", "partition"),
    rows_of=("batches", "records"),
    scope="partition",
    needs=frozenset({"timestamps", "offset"}),
    follows=("timestamp-in-future",),
)
