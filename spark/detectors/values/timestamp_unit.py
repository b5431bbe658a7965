"""Timestamp unit: a producer sends seconds, microseconds or nanoseconds where Kafka expects milliseconds.

Seconds date a record from January 1970, so retention by time deletes its segment; the others from the far future, so it never does.
Innocent: -1 and 0; historic dates, which leave the window of seconds or are whole seconds. Page: docs/detectors/timestamp-unit.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors import _words as words
from spark.detectors._effects import on_partition
from spark.log.cluster_settings import POLICIES
from spark.tables.replica import REPLICA_COLUMNS, Row, is_of, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding, Severity
from spark.terms.typed_wording import OFFSETS_NAMED, moment, plural

# Times from 2001-09-09 to 2036-07-18 in each unit.
EARLIEST_S, LATEST_S = 1_000_000_000, 2_100_000_000
PER_SECOND = {"seconds": 1, "microseconds": 10**6, "nanoseconds": 10**9}
EARLIEST_MS, LATEST_MS = EARLIEST_S * 1000, LATEST_S * 1000
HISTORIC_SHARE = (
    0.2  # of the records in the window of seconds: with more dates around it, the window is a part of history
)
DAY_MS = 24 * 3600 * 1000
SAMPLE = 20  # values that are searched for the number

UNIT = " ".join(
    f"WHEN timestamp_ms BETWEEN {EARLIEST_S * factor} AND {LATEST_S * factor} THEN '{unit}'"
    for unit, factor in PER_SECOND.items()
)
ANY = f"""
    SELECT 1 FROM lifelines WHERE timestamp_ms BETWEEN {EARLIEST_S} AND {LATEST_S} OR timestamp_ms >= {EARLIEST_S * 10**6} LIMIT 1
"""
# One row per copy of a partition and unit.
ODD = f"""
    WITH timed AS (
        SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms, CASE {UNIT} WHEN timestamp_ms < {EARLIEST_MS} THEN 'historic' ELSE 'milliseconds' END AS unit
        FROM lifelines WHERE timestamp_ms > 0 AND kind <> 'control'
    ),
    counted AS (
        SELECT {REPLICA_COLUMNS}, unit, count(*) AS records, count(*) FILTER (timestamp_ms % 1000 = 0) AS whole_seconds,
            min("offset") AS first_offset, max("offset") AS last_offset, min(timestamp_ms) AS oldest, max(timestamp_ms) AS newest,
            arg_min(timestamp_ms, "offset") AS first_time, list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets
        FROM timed GROUP BY ALL
    )
    SELECT odd.*, calm.records AS calm_records, calm.oldest AS calm_oldest, calm.newest AS calm_newest,
        policy, policy_said_by, retention_ms
    FROM counted odd LEFT JOIN (FROM counted WHERE unit = 'milliseconds') calm USING ({REPLICA_COLUMNS})
    LEFT JOIN (FROM counted WHERE unit = 'historic') historic USING ({REPLICA_COLUMNS})
    LEFT JOIN ({POLICIES}) USING (topic)
    WHERE odd.unit IN ('microseconds', 'nanoseconds') OR (odd.unit = 'seconds'
        AND coalesce(historic.records, 0) <= {HISTORIC_SHARE} * odd.records AND 2 * odd.whole_seconds <= odd.records)
    ORDER BY ALL
"""
IN_VALUES = """
    SELECT count(*) AS asked, count(*) FILTER (contains(value::VARCHAR, left(timestamp_ms::VARCHAR, 10))) AS saying
    FROM (SELECT value, timestamp_ms FROM records WHERE {} AND timestamp_ms BETWEEN {} AND {} AND NOT value_is_null LIMIT {})
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition and unit."""
    if not tables.rows(ANY):
        return []
    return [{**row, "proof": proof(row, tables)} for row in tables.rows(ODD)]


def proof(row: Row, tables: ResultTables) -> str:
    """What shows the unit in addition to the numbers; empty: nothing."""
    oldest, newest = (in_ms(row, row[name]) for name in ("oldest", "newest"))
    if row["calm_oldest"] and row["calm_oldest"] - DAY_MS <= oldest and newest <= row["calm_newest"] + DAY_MS:
        return f"The partition also contains {plural(row['calm_records'], 'record')} with timestamps in milliseconds, from the same time."
    sample = tables.rows(IN_VALUES.format(is_of(replica_of(row)), row["oldest"], row["newest"], SAMPLE))[0]
    if sample["saying"] and 2 * sample["saying"] >= sample["asked"]:
        return "The values contain the same number as a time."
    return ""


def in_ms(row: Row, number: int) -> int:
    """The time that was meant."""
    return number * 1000 // PER_SECOND[row["unit"]]


def describe(row: Row) -> Finding:
    """The row in words."""
    unit, first = row["unit"], row["first_time"]
    dated = "1970" if unit == "seconds" else "the far future"
    return Finding(
        detector=detector.id,
        severity=severity(row),
        confidence="proven" if row["proof"] else "likely",
        title=(
            f"{plural(row['records'], 'record')} of {words.partition_name(row)} {'is' if row['records'] == 1 else 'are'} dated {dated}: the "
            f"producer sends {unit} instead of milliseconds"
        ),
        explanation=" ".join(
            sentence
            for sentence in (
                f"Offset {marked.offset(row['first_offset'])} has the timestamp {marked.number(first)}. Kafka reads milliseconds: "
                f"{as_kafka_reads(first)}. In {unit} it is {moment(in_ms(row, first))}.",
                row["proof"],
                consequence(row),
            )
            if sentence
        ),
        **located(row),
        entity=f"unit:{unit}",
        entities={"time"},
        evidence=list(row["offsets"]),
        effects=on_partition(
            "at_risk" if unit == "seconds" else "misread", row["topic"], row["partition"], "consumers"
        ),
        remedy=detector.remedy(
            topic=row["topic"],
            records_can_be_deleted=unit == "seconds" and not keeps_all(row),
            records_stay_too_long=unit != "seconds" and not keeps_all(row),
        ),
        references=detector.references,
    )


def keeps_all(row: Row) -> bool:
    """Whether the settings say that no record is deleted by its age."""
    policy = row["policy"] or ""
    return bool(policy and "delete" not in policy) or row["retention_ms"] == "-1"


def deletes(row: Row) -> bool:
    """Whether they say that records are."""
    return "delete" in (row["policy"] or "delete") and row["retention_ms"] not in (None, "-1")


def severity(row: Row) -> Severity:
    """High where retention is known to delete what was just written."""
    if keeps_all(row):
        return "low"
    return "high" if row["unit"] == "seconds" and deletes(row) else "medium"


def consequence(row: Row) -> str:
    """What retention and readers do with such a time."""
    lookups = "A search for an offset by time and the time windows of stream processing return wrong results."
    if keeps_all(row):
        return f"The topic's settings delete no records by age. {lookups}"
    if row["unit"] != "seconds":
        return f"Retention by time never deletes a segment that contains such a record. {lookups}"
    limit = (
        f"Because retention.ms is {marked.number(row['retention_ms'])}"
        if deletes(row)
        else "If the topic has cleanup.policy=delete and a limit in retention.ms (the default is 7 days)"
    )
    start = (
        f" The input starts at offset {marked.offset(row['first_offset'])}: earlier records can already be deleted."
        if row["first_offset"] and not row["calm_records"]
        else ""
    )
    return (
        f"{limit}, the broker deletes a segment that contains only such records at its next check, within minutes after they were "
        f"written.{start} {lookups}"
    )


def as_kafka_reads(timestamp_ms: int) -> str:
    """The time that Kafka reads; after the year 9999 no calendar has it."""
    return moment(timestamp_ms) if timestamp_ms < 253_402_300_800_000 else "after the year 9999"


detector = Detector(
    id="timestamp-unit",
    title="Timestamps in the wrong unit",
    find=find,
    describe=describe,
    headline=clause("records of {partitions} have timestamps in the wrong unit"),
    rows_of="lifelines",
    needs=frozenset({"timestamps"}),
    one_cause="topic",
)
