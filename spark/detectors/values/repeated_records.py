"""Repeated records: records in a row that are there again with equal key, value, headers and CreateTime, in the same order.

A producer that sent them again, an echo of a mirror that writes a topic back to itself, or a load that ran twice. Innocent: other times
(heartbeats, a new snapshot); other headers (a declared replay); one payload again and again; a few rows that recur within a millisecond; aborted records and their second attempt.
Page: docs/detectors/repeated-records.md
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spark.detectors import Detector, clause, located
from spark.detectors import _words as words
from spark.detectors._effects import on_partition
from spark.detectors.transactions._words import span_of_time
from spark.detectors.values import repeated_batch
from spark.detectors.values._forms import APPLICATIONS
from spark.tables.replica import REPLICA_COLUMNS, Row, is_of, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, grouped, moment, plural

MIN_RUN = 3  # different records in a row
MIN_RUN_AT_ONCE = 10  # of the same millisecond: a load of rows that recur writes a few of them again at once
STEP = 3  # records of other producers that may be between two of a run
SMALL = 200_000  # records of a partition that are always compared; of larger ones an estimate decides
REPEATED_SHARE = 0.1  # of a larger partition; the estimate is off by some percent
SAMPLED_PART = 50  # of the times of a larger partition whose records are compared first
MAX_COMPARED = 2_000_000
NEAR = 5_000  # records between a send and its retry; with more it is a second pass
DELIVERY_MS = (
    120_000  # delivery.timeout.ms: what a producer sends again in a row is not spread over more time
)
ECHO_PASSES = 3
LOGS = f"""
    SELECT {REPLICA_COLUMNS}, count(*) AS records, coalesce(any_value(compacted) = 'proven', false) AS is_compacted,
        approx_count_distinct(hash(timestamp_ms, key_hash_1, value_size_bytes)) AS different
    FROM lifelines LEFT JOIN cleanings USING ({REPLICA_COLUMNS}) WHERE timestamp_ms > 0 AND entry_type IS NULL AND kind <> 'control' GROUP BY {REPLICA_COLUMNS}
    HAVING records >= {2 * MIN_RUN} AND (records <= {SMALL} OR different < {1 - REPEATED_SHARE} * records) ORDER BY {REPLICA_COLUMNS}
"""
# Of the small ones those where what is cheap to compare is there twice, all in one pass.
DOUBLED = f"""
    WITH logs AS (SELECT {REPLICA_COLUMNS}, row_number() OVER () AS log FROM ({{logs}}) WHERE records <= {SMALL}),
    doubled AS (
        SELECT log FROM (
            SELECT log, hash(timestamp_ms, key_hash_1, value_size_bytes) AS summary FROM lifelines JOIN logs USING ({REPLICA_COLUMNS})
            WHERE timestamp_ms > 0 AND kind <> 'control'
        ) GROUP BY log, summary HAVING count(*) > 1
    )
    SELECT {REPLICA_COLUMNS} FROM logs JOIN (SELECT log FROM doubled GROUP BY log HAVING count(*) >= {MIN_RUN}) USING (log)
"""
# Records that may be repeats by what is cheap to compare, then by everything. `number`: the place in the log.
REPEATED = f"""
    WITH placed AS (
        SELECT "offset", timestamp_ms, key_hash_1, value_size_bytes, row_number() OVER (ORDER BY "offset") AS number
        FROM lifelines WHERE {{replica}} AND kind <> 'control'
    ),
    doubled AS (
        SELECT "offset", number FROM placed WHERE timestamp_ms > 0
        QUALIFY count(*) OVER (PARTITION BY timestamp_ms, key_hash_1, value_size_bytes) > 1
    ),
    aborted AS (SELECT producer_id, first_offset, last_offset FROM transactions WHERE {{replica}} AND outcome = 'aborted')
    SELECT "offset", number, timestamp_ms, hash(key, value, headers, timestamp_ms) AS fingerprint, headers IS NOT NULL AS has_headers
    FROM records JOIN doubled USING ("offset")
    WHERE {{replica}} AND {APPLICATIONS} AND coalesce(timestamp_type, 'create') = 'create' AND NOT EXISTS (
        SELECT 1 FROM aborted WHERE aborted.producer_id = records.producer_id AND records."offset" BETWEEN first_offset AND last_offset
    ) ORDER BY number LIMIT {MAX_COMPARED}
"""
# Records of many at one millisecond without keys look repeated, too: the bytes at some times decide.
SAMPLED = f"""
    SELECT count(*) AS records, count(DISTINCT hash(key, value, timestamp_ms)) AS different
    FROM records WHERE {{replica}} AND {APPLICATIONS} AND timestamp_ms > 0 AND hash(timestamp_ms) % {SAMPLED_PART} = 0
"""
Numbers = NDArray[np.int64]


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition whose batches do not show the repeat themselves."""
    logs = tables.rows(LOGS)
    doubled = {replica_of(row) for row in tables.rows(DOUBLED.format(logs=LOGS))} if logs else set()
    logs = [log for log in logs if log["records"] > SMALL or replica_of(log) in doubled]
    by_batches = {replica_of(row) for row in repeated_batch.detector.find(tables)} if logs else set()
    for log in logs:
        if replica_of(log) in by_batches or not is_worth_comparing(log, tables):
            continue
        columns = tables.columns(REPEATED.format(replica=is_of(replica_of(log))))
        repeats = runs(columns["number"], columns["fingerprint"], columns["timestamp_ms"])
        if repeats["again"].any():
            yield {**log, **summary(columns, repeats)}


def is_worth_comparing(log: Row, tables: ResultTables) -> bool:
    """Whether the partition is small, or bytes of a sample are repeated."""
    if log["records"] <= SMALL:
        return True
    sample = tables.rows(SAMPLED.format(replica=is_of(replica_of(log))))[0]
    return bool(sample["different"] < (1 - REPEATED_SHARE / 2) * sample["records"])


def runs(number: Numbers, fingerprint: Any, timestamp_ms: Numbers) -> dict[str, Any]:
    """Which records repeat an earlier one within a run, which one, and how often each is there by then."""
    order = np.lexsort((number, fingerprint))
    before = np.full(len(number), -1)
    passes = np.ones(len(number), np.int64)
    same = fingerprint[order][1:] == fingerprint[order][:-1]
    before[order[1:][same]] = order[:-1][same]
    for index in np.flatnonzero(before >= 0):  # in the order of the log: the earlier one is known
        passes[index] = passes[before[index]] + 1
    repeats = np.flatnonzero(before >= 0)
    again = np.zeros(len(number), bool)
    longest_ms = 0
    if len(repeats):
        of_repeats, of_originals = np.diff(number[repeats]), np.diff(number[before[repeats]])
        joined = (of_repeats <= STEP) & (of_originals >= 1) & (of_originals <= STEP)
        starts = np.r_[0, np.flatnonzero(~joined) + 1]
        for start, end in zip(starts, np.r_[starts[1:], len(repeats)], strict=True):
            run = repeats[start:end]
            different = len(np.unique(fingerprint[run]))
            # A run comes again when it is over; a payload that is there several times at once comes sooner.
            least = MIN_RUN if np.ptp(timestamp_ms[run]) else MIN_RUN_AT_ONCE
            if different >= least and (number[run] - number[before[run]]).min() >= different:
                again[run] = True
                longest_ms = max(longest_ms, int(np.ptp(timestamp_ms[run])))
    return {"again": again, "before": before, "passes": passes, "longest_ms": longest_ms}


def summary(columns: dict[str, Any], repeats: dict[str, Any]) -> dict[str, Any]:
    """What a finding says of them."""
    indexes = np.flatnonzero(repeats["again"])
    first = int(indexes[0])
    offsets, times = columns["offset"], columns["timestamp_ms"][indexes]
    distances = columns["number"][indexes] - columns["number"][repeats["before"][indexes]]
    return {
        "repeated": len(indexes),
        "have_headers": bool(columns["has_headers"][indexes].all()),
        "passes": int(repeats["passes"][indexes].max()),
        "farthest": int(distances.max()),
        "longest_ms": repeats["longest_ms"],
        "first_offset": int(offsets[first]),
        "last_offset": int(offsets[indexes[-1]]),
        "original": int(offsets[repeats["before"][first]]),
        "offsets": [int(offset) for offset in offsets[indexes[:OFFSETS_NAMED]]],
        "first_ms": int(times.min()),
        "last_ms": int(times.max()),
    }


def describe(row: Row) -> Finding:
    """The row in words."""
    offsets = list(row["offsets"])
    first = ", the first" if row["repeated"] > len(offsets) else ""
    is_echo = row["passes"] >= ECHO_PASSES
    same = (
        "with equal key, value, headers and time"
        if row["have_headers"]
        else "with equal key, value and time (the input has no headers)"
    )
    often = f"up to {marked.number(row['passes'])} times" if is_echo else "twice"
    return Finding(
        detector=detector.id,
        severity="low" if row["is_compacted"] and not is_echo else "medium",
        confidence="proven" if row["have_headers"] else "likely",
        title=f"Records of {words.partition_name(row)} are there {often}: {plural(row['repeated'], 'repeated record')}{first} at {at_offsets(offsets)}",
        explanation=(
            f"From offset {marked.offset(row['first_offset'])} on, records are there again in the same order, {same}. "
            f"Offset {marked.offset(row['first_offset'])} repeats offset {marked.offset(row['original'])}. The times of the repeated "
            f"records are from {moment(row['first_ms'])} to {moment(row['last_ms'])}. {cause(row)} Consumers process these records {often}."
        ),
        **located(row),
        entity="repeated-records",
        evidence=[row["original"], *offsets],
        effects=on_partition("misread", row["topic"], row["partition"], "consumers"),
        remedy=remedy(row),
        references=detector.references,
    )


def cause(row: Row) -> str:
    """What can have written them again, and which evidence would decide."""
    if row["passes"] >= ECHO_PASSES:
        return (
            "Whole passes are repeated. Likely cause: an echo, in which a mirror or an application reads the topic and writes the same records back to "
            "it, with their old times. The headers of the records and the connectors of the mirror tell which one."
        )
    if row["longest_ms"] > DELIVERY_MS:
        return (
            f"The times of the records of one repeated series span {span_of_time(row['longest_ms'])}, more than a producer sends again "
            "(`delivery.timeout.ms`). Likely cause: a load, a mirror or a restore ran twice, or an application lost its position and began again."
        )
    if row["farthest"] > NEAR:
        return (
            f"Up to {grouped(row['farthest'])} records are between a record and its repeat, more than between a send and its retry. Likely cause: a load, "
            "a mirror or a restore ran twice."
        )
    return (
        "Possible causes: a producer without idempotence sent a batch again after a timeout, or an application wrote the records again with their old "
        "times. The log segments decide: a batch of a retry has the same checksum and no producer ID."
    )


def remedy(row: Row) -> str:
    """By cause."""
    if row["passes"] >= ECHO_PASSES:
        return detector.remedy("Echo")
    is_retry = row["farthest"] <= NEAR and row["longest_ms"] <= DELIVERY_MS
    return detector.remedy("Retry" if is_retry else "Second pass")


detector = Detector(
    id="repeated-records",
    title="Records that are there again",
    find=find,
    describe=describe,
    headline=clause("records of {partitions} are there several times"),
    rows_of="lifelines",
    scope="partition",
    needs=frozenset({"timestamps", "contents", "offset"}),
    one_cause="topic",
    family="repeats",
)
