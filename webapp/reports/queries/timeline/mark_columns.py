"""What else a mark tells: that its batch is corrupt, or that its transaction has no COMMIT and no ABORT, so that it is open, its outcome
is unknown or its ABORT is lost, which counts per bin tell, too; and its key, which is read from its record: records of a window lie
together, while keys are stored in no order of offsets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from webapp.reports.queries.kinds import MAX_READ, kind_source
from webapp.reports.queries.timeline.axis import COLUMN
from webapp.reports.queries.timeline.lanes import Lanes
from webapp.reports.queries.timeline.window import Window
from webapp.reports.queries.transactions import IN_TRANSACTIONS, LOST_ABORT, UNKNOWN, outcomes_of
from webapp.reports.results import WHERE_REPLICA, PartitionResults
from webapp.reports.values.bytes_text import one_line

OPEN, CORRUPT = "open", "corrupt"
UNSETTLED = (OPEN, UNKNOWN, LOST_ABORT)
NO_MARKER = "(outcome = 'open' OR (outcome = 'marker_missing' AND coalesce(ended_as, '') <> 'committed'))"
IN_WINDOW = f"""
SELECT coalesce(sum(records), 0)::BIGINT AS records, min(first_offset) AS first_offset, max(last_offset) AS last_offset
FROM transactions WHERE {WHERE_REPLICA} AND first_offset IS NOT NULL
AND {NO_MARKER}
"""
BETWEEN = '"offset" BETWEEN $first_unsettled AND $last_unsettled'
SETTLED = f"""
    SELECT "offset", CASE WHEN outcome = 'open' THEN '{OPEN}' WHEN ended_as = 'aborted' THEN '{LOST_ABORT}' ELSE '{UNKNOWN}' END AS outcome
    FROM ({IN_TRANSACTIONS.format(records="records", chosen=BETWEEN)})
    WHERE {NO_MARKER}
"""
CORRUPT_BATCHES = f"""
SELECT count(*) AS batches, min(base_offset) AS first_offset, max(greatest(base_offset, last_offset)) AS last_offset
FROM batches WHERE {WHERE_REPLICA} AND NOT crc_ok
"""
MAX_BATCHES = 1000  # corrupt ones whose records are told apart
IN_CORRUPT = f"""
    SELECT "offset", '{CORRUPT}' AS outcome FROM records
    JOIN (SELECT file, position FROM batches WHERE {WHERE_REPLICA} AND NOT crc_ok) AS batch
        ON records.file = batch.file AND records.batch_position = batch.position
    WHERE {WHERE_REPLICA} AND "offset" BETWEEN $first_corrupt AND $last_corrupt
"""
COUNTS = """
SELECT lane, kind, settled.outcome, floor({column} / $width)::BIGINT AS bucket, count(*) AS records,
       sum(key_size_bytes + value_size_bytes)::BIGINT AS size_bytes,
       min("offset") AS first_offset, max("offset") AS last_offset,
       min(timestamp_ms) AS first_timestamp_ms, max(timestamp_ms) AS last_timestamp_ms
FROM ({laned}) JOIN (
    SELECT "offset", min(outcome) AS outcome FROM ({told_apart}) GROUP BY "offset"
) AS settled USING ("offset") GROUP BY ALL ORDER BY ALL
"""
ADDED = ("records", "size_bytes")
CHARACTERS = 60
BYTES = CHARACTERS * 4 + 1  # of UTF-8, and one that tells that there are more
KEYS = f"""
SELECT "offset", any_value("key"[1:{BYTES}]) AS "key" FROM records
WHERE {WHERE_REPLICA} AND "offset" BETWEEN $first AND $last AND "offset" IN (SELECT unnest($offsets)) GROUP BY "offset"
"""


def with_outcomes(partition: PartitionResults, window: Window, lanes: Lanes) -> Window:
    """The window with `outcome` of each mark and of each count: `CORRUPT`, one of `UNSETTLED`, or empty."""
    unsettled, corrupt = _unsettled(partition), _corrupt(partition)
    outcomes = _outcomes(partition, window, unsettled) if unsettled else {}
    if corrupt and window.drawn:
        outcomes |= {row["offset"]: CORRUPT for row in partition.rows(IN_CORRUPT, corrupt)}
    column = np.array([outcomes.get(offset, "") for offset in window.marks["offset"].tolist()], dtype=object)
    window = replace(window, marks=window.marks | {"outcome": column})
    told_apart = [sql for sql, bounds in ((SETTLED, unsettled), (IN_CORRUPT, corrupt)) if bounds]
    if told_apart and unsettled.get("records", 0) <= MAX_READ:
        bounds = {name: value for name, value in (unsettled | corrupt).items() if name != "records"}
        counts = _counts(partition, window, lanes, " UNION ALL ".join(told_apart), bounds)
        return replace(window, buckets=_split(window.buckets, counts))
    nothing = np.full(len(window.buckets["lane"]), "", dtype=object)
    return replace(window, buckets=window.buckets | {"outcome": nothing})


def _unsettled(partition: PartitionResults) -> dict[str, Any]:
    """Bounds of the records of such transactions, and their number; empty without any, as in most partitions."""
    row = (partition.row(IN_WINDOW) or {}) if partition.results.count("transactions") else {}
    if not row.get("records"):
        return {}
    return {
        "first_unsettled": row["first_offset"],
        "last_unsettled": row["last_offset"],
        "records": row["records"],
    }


def _corrupt(partition: PartitionResults) -> dict[str, Any]:
    """Bounds of corrupt batches; empty without any, and of more than are told apart."""
    if not partition.results.count("batches"):
        return {}
    row = partition.remembered(("corrupt",), lambda: partition.row(CORRUPT_BATCHES)) or {}
    if not 0 < row.get("batches", 0) <= MAX_BATCHES:
        return {}
    return {"first_corrupt": row["first_offset"], "last_corrupt": row["last_offset"]}


def _counts(
    partition: PartitionResults, window: Window, lanes: Lanes, told_apart: str, bounds: dict[str, Any]
) -> dict[str, Any]:
    """Records that are told apart, by lane, kind and bin."""
    column = COLUMN[window.span.axis]
    laned = lanes.sql.replace("{kinds}", kind_source(partition).sql).replace("{column}", column)
    values = lanes.values | {"first": window.span.first, "last": window.span.last, "width": window.bin_width}
    sql = COUNTS.format(column=column, laned=laned, told_apart=told_apart)
    columns = partition.columns(sql, values | bounds)
    return {name: np.ma.filled(column, -1 if name != "lane" else "") for name, column in columns.items()}


def _split(buckets: dict[str, Any], unsettled: dict[str, Any]) -> dict[str, Any]:
    """Counts of which those that are told apart are counts of their own."""
    names = ("lane", "kind", "bucket")
    keys = zip(*(buckets[name].tolist() for name in names), strict=True)
    number_by_key = {key: number for number, key in enumerate(keys)}
    pairs = [
        (number, number_by_key[key])
        for number, key in enumerate(zip(*(unsettled[name].tolist() for name in names), strict=True))
        if key in number_by_key
    ]
    chosen = [number for number, _ in pairs]
    settled = {name: buckets[name].copy() for name in ADDED}
    for number, of in pairs:
        for name in ADDED:
            settled[name][of] -= unsettled[name][number]
    rest = buckets | settled | {"outcome": np.full(len(buckets["lane"]), "", dtype=object)}
    some = rest["records"] > 0
    return {name: np.concatenate([rest[name][some], unsettled[name][chosen]]) for name in rest}


def _outcomes(partition: PartitionResults, window: Window, unsettled: dict[str, Any]) -> dict[int, str]:
    """Of marks, by offset."""
    first, last = unsettled["first_unsettled"], unsettled["last_unsettled"]
    offsets = [offset for offset in window.marks["offset"].tolist() if first <= offset <= last]
    outcomes = outcomes_of(partition, offsets) if offsets else {}
    return {offset: outcome for offset, outcome in outcomes.items() if outcome in UNSETTLED}


def with_keys(partition: PartitionResults, window: Window) -> Window:
    """The window with a short text of the key of each mark."""
    offsets = window.marks["offset"].tolist()
    bounds = {"offsets": offsets, "first": min(offsets), "last": max(offsets)} if offsets else {}
    rows = partition.rows(KEYS, bounds) if offsets else []
    texts = {row["offset"]: one_line(row["key"], CHARACTERS) for row in rows}
    column = np.array([texts.get(offset, "null") for offset in offsets], dtype=object)
    return replace(window, marks=window.marks | {"key": column})
