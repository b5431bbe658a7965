"""What the service does with each record of a window: create, update, delete, dropped, tombstone (`spark.tables.service_kinds`).

The table `marks` says it of a partition that a service reads. Of a partition that none reads, key and null value say all. Results
of before that table ask the replay, as long as the window has few enough records.
"""

from __future__ import annotations

from dataclasses import dataclass

from spark.tables.service_kinds import OF_REPLAY, kinds_of
from webapp.reports.results import WHERE_REPLICA, PartitionResults, remembered

KINDS = ("create", "update", "delete", "dropped", "tombstone", "control", "aborted", "restart")
MAX_READ = 250_000  # records of a window: above it they are counted, not read one by one
OWN = OF_REPLAY.format(of=WHERE_REPLICA)

READ = f"""
SELECT EXISTS (SELECT 1 FROM marks WHERE {WHERE_REPLICA}) AS has_marks,
    EXISTS (SELECT 1 FROM entries WHERE {WHERE_REPLICA}) OR EXISTS (SELECT 1 FROM state WHERE {WHERE_REPLICA})
    OR EXISTS (SELECT 1 FROM refusals WHERE {WHERE_REPLICA}) AS is_read
"""
BY_MARKS = f"SELECT * FROM marks WHERE {WHERE_REPLICA}"
BY_BYTES = f"""
SELECT * REPLACE (CASE kind WHEN 'revive' THEN 'create' ELSE kind END AS kind) FROM lifelines WHERE {WHERE_REPLICA}
"""
BY_REPLAY = kinds_of(WHERE_REPLICA)


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
    """Of a partition, however many records it has."""
    row = partition.row(READ) or {}
    if row.get("has_marks"):
        return KindSource("marks", BY_MARKS, True)
    if row.get("is_read"):
        return KindSource("lifelines", BY_BYTES, False, BY_REPLAY)
    return KindSource("lifelines", BY_BYTES, True)
