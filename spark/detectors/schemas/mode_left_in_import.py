"""Mode left in import: the mode of all subjects is IMPORT or READONLY since an import or a pause long ago, and nobody can register.

Innocent: an import or registrations within the last day; a standby, which had no schema before and gets registrations on several days; a mode
of one subject.
Page: docs/detectors/mode-left-in-import.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.schemas._writes import DIALECT, prepared
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment, plural

QUIET_MS = 24 * 3_600_000  # an import takes less
# A registry that was empty may be a standby. After an import of one day, so long without another one and so many starts, it probably is in use.
QUIET_DAYS, STARTS = 3, 2
# A registry writes a NOOP when it starts and when it becomes the leader.
LEFT = f"""
    WITH modes AS (
        SELECT {REPLICA_COLUMNS}, max("offset") AS "offset", arg_max(mode, "offset") AS mode, arg_max(entry_action, "offset") AS action FROM registry_writes
        WHERE entry_type = 'MODE' AND coalesce(subject, '') = '' AND context = '.' AND counts GROUP BY {REPLICA_COLUMNS}
    ),
    closed AS (FROM modes WHERE mode IN ('IMPORT', 'READONLY') AND action NOT IN ('delete', 'empty')),
    writes AS (
        SELECT {REPLICA_COLUMNS}, writes."offset", writes.entry_type, entry_action, times.timestamp_ms, closed."offset" AS mode_offset,
            max(times.timestamp_ms) FILTER (writes.entry_type = 'SCHEMA' AND entry_action = 'register') OVER (PARTITION BY {REPLICA_COLUMNS}) AS last_registered_ms
        FROM registry_writes AS writes JOIN closed USING ({REPLICA_COLUMNS})
            JOIN (SELECT {REPLICA_COLUMNS}, "offset" AS written, timestamp_ms FROM lifelines) AS times USING ({REPLICA_COLUMNS})
        WHERE times.written = writes."offset"
    ),
    told AS (
        SELECT {REPLICA_COLUMNS}, any_value(timestamp_ms) FILTER ("offset" = mode_offset) AS mode_ms, max(timestamp_ms) AS end_ms,
            max(timestamp_ms) FILTER (entry_type = 'SCHEMA' AND entry_action = 'register') AS registered_ms,
            count(*) FILTER (entry_type = 'SCHEMA' AND "offset" < mode_offset) AS schemas_before,
            count(*) FILTER (entry_type = 'NOOP' AND "offset" > mode_offset) AS starts, max("offset") AS last_offset,
            count(*) FILTER (entry_type = 'NOOP' AND timestamp_ms > last_registered_ms) AS starts_since
        FROM writes GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, "offset", mode, mode_ms, end_ms, starts, last_offset, registered_ms, schemas_before FROM closed JOIN told USING ({REPLICA_COLUMNS})
    WHERE starts > 0 AND end_ms - greatest(mode_ms, coalesce(registered_ms, mode_ms)) >= {QUIET_MS} AND (
        schemas_before > 0 OR (mode = 'IMPORT' AND starts_since >= {STARTS} AND registered_ms - mode_ms < {QUIET_MS}
            AND end_ms - registered_ms >= {QUIET_DAYS} * {QUIET_MS})
    )
    ORDER BY {REPLICA_COLUMNS}
"""


def describe(row: Row) -> Finding:
    mode = marked.quote(row["mode"])
    last = (
        f" The last registration was at {moment(row['registered_ms'])}."
        if row["registered_ms"] is not None and row["registered_ms"] > row["mode_ms"]
        else ""
    )
    return Finding(
        detector=detector.id,
        severity="medium",
        confidence="likely",
        title=f"Producers cannot register schemas: the mode of the registry is {mode} since offset {marked.offset(row['offset'])}",
        explanation=(
            f"The record at offset {marked.offset(row['offset'])} ({moment(row['mode_ms'])}) sets the mode of all subjects to {mode}, and no later record "
            f"changes it. After it, the journal contains {plural(row['starts'], 'NOOP record')}: a registry started or became the leader.{last} The journal continues until "
            f"{moment(row['end_ms'])}. In this mode a registration fails with error 42205. Probably a restore or a maintenance did not set the mode "
            f"back. {standby(row)}"
        ),
        **located(row, row["offset"], row["last_offset"]),
        entity="mode",
        evidence=[row["offset"]],
        remedy=detector.remedy(),
        references=detector.references,
    )


def standby(row: Row) -> str:
    """What would disprove it."""
    if row["schemas_before"]:
        return "If the registry is a standby, nothing is wrong."
    return "The registry was empty before. If it is a standby of another registry, nothing is wrong."


detector = Detector(
    id="mode-left-in-import",
    title="Mode was not set back",
    find=query(LEFT, prepare=prepared, if_any="SELECT 1 FROM entries WHERE entry_type = 'MODE' LIMIT 1"),
    describe=describe,
    headline=clause("producers cannot register schemas in {count}", "registry", "registries"),
    rows_of="entries",
    needs=frozenset({"key", "timestamps"}),
    dialects=(DIALECT,),
    befalls=("stuck", "service"),
)
