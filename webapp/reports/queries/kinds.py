"""The kind of each record, everywhere: what the service does with it (`spark.tables.service_kinds`).

The table `marks` says it of a partition that a service reads. Of a partition that none reads, key and null value say all. Results
of before that table ask the replay, as long as the window has few enough records.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from spark.tables.service_kinds import OF_REPLAY, kinds_of
from webapp.reports.queries.isolation import IsolationView, seen_by
from webapp.reports.results import AT_OFFSETS, WHERE_REPLICA, PartitionResults, remembered

KINDS = ("create", "update", "delete", "rejected", "tombstone", "control", "aborted", "restart")
START_MARK = "restart"  # in tables and filters; pages call such a record a start mark
FORMER_KINDS = {"dropped": "rejected"}  # in addresses and tables of earlier releases
# What key and value say, whatever the service makes of it: a null value; a key that was deleted and is written again.
OF_BYTES = ("tombstone", "revive")
MAX_READ = 250_000  # records of a window: above it they are counted, not read one by one
OWN = OF_REPLAY.format(of=WHERE_REPLICA)

READ = f"""
SELECT EXISTS (SELECT 1 FROM marks WHERE {WHERE_REPLICA}) AS has_marks,
    EXISTS (SELECT 1 FROM entries WHERE {WHERE_REPLICA}) OR EXISTS (SELECT 1 FROM state WHERE {WHERE_REPLICA})
    OR EXISTS (SELECT 1 FROM refusals WHERE {WHERE_REPLICA}) AS is_read
"""
BY_MARKS = f"""
SELECT * REPLACE (CASE kind WHEN 'dropped' THEN 'rejected' ELSE kind END AS kind) FROM marks WHERE {WHERE_REPLICA}
"""
BY_BYTES = f"""
SELECT * REPLACE (CASE kind WHEN 'revive' THEN 'create' ELSE kind END AS kind) FROM lifelines WHERE {WHERE_REPLICA}
"""
BY_REPLAY = kinds_of(WHERE_REPLICA)
KIND_AT = f"""
SELECT "offset", any_value(kind) AS kind FROM ({{kinds}}) WHERE {AT_OFFSETS} GROUP BY "offset"
"""


@dataclass(frozen=True)
class KindSource:
    """Where the kinds of a partition's records come from: SQL of all its records, and whether that is what the service
    does. `for_few`: SQL that asks the replay, for results without marks."""

    table: str
    sql: str
    is_exact: bool
    for_few: str = ""


@remembered
def kind_source(partition: PartitionResults) -> KindSource:
    """SQL with the kind of each record of a partition, whatever its size."""
    row = partition.row(READ) or {}
    if row.get("has_marks"):
        return KindSource("marks", BY_MARKS, True)
    if row.get("is_read"):
        return KindSource("lifelines", BY_BYTES, False, BY_REPLAY)
    return KindSource("lifelines", BY_BYTES, True)


def all_kinds(
    partition: PartitionResults, bounds: tuple[int, int] | None = None
) -> tuple[str, dict[str, Any]]:
    """SQL of the records by kind, with the columns of `marks`, and its values.

    `bounds`: offsets, both included, beside which nothing is asked for; results without marks then ask the replay.
    """
    source = kind_source(partition)
    if source.for_few and bounds and bounds[1] - bounds[0] < MAX_READ:
        return source.for_few, {"first_offset": bounds[0], "last_offset": bounds[1]}
    return source.sql, {}


def kinds_at(partition: PartitionResults, offsets: Collection[int]) -> dict[int, str]:
    """The kind of single records, by offset; of records that share an offset any one's."""
    if not offsets:
        return {}
    if not partition.results.is_restricted:
        partition = seen_by(IsolationView(), partition)  # names what belongs to aborted transactions
    low, high = min(offsets), max(offsets)
    sql, values = all_kinds(partition, (low, high))
    values = values | {"low": low, "high": high, "offsets": sorted(offsets)}
    rows = partition.rows(KIND_AT.format(kinds=sql), values)
    return {row["offset"]: row["kind"] for row in rows}


def kind_word(name: str) -> str:
    """A kind, or the action of an entry, as pages call it."""
    return "start mark" if name == START_MARK else name
