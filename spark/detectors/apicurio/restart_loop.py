"""Restart loop: a registry starts again and again within minutes.

Innocent: several nodes that start once, together or one after the other.
Page: docs/detectors/restart-loop.md
"""

from __future__ import annotations

from spark.detectors import Detector, located, query
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment, offset_range, plural

MIN_STARTS = 6  # a cluster rolled over node by node has fewer nodes, as a rule
WINDOW_MS = 600_000  # ten minutes: long enough for a loop that backs off for minutes
TOGETHER_MS = 3_000  # starts this close to the one before are nodes that an orchestrator starts at once
MAX_EVIDENCE = 50

# One row per loop.
LOOPS = f"""
    WITH starts AS (
        SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms,
            timestamp_ms - lag(timestamp_ms) OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY "offset") AS since_ms
        FROM (SELECT {REPLICA_COLUMNS}, "offset" FROM entries WHERE entry_action = 'restart')
        JOIN (SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms FROM records) USING ({REPLICA_COLUMNS}, "offset")
        WHERE timestamp_ms >= 0
    ),
    single AS (SELECT * FROM starts WHERE since_ms IS NULL OR since_ms >= {TOGETHER_MS}),
    windows AS (
        SELECT *, count(*) OVER (
            PARTITION BY {REPLICA_COLUMNS} ORDER BY timestamp_ms RANGE BETWEEN {WINDOW_MS} PRECEDING AND CURRENT ROW
        ) AS starts_in_window
        FROM single
    ),
    crowded AS (
        SELECT *, max(starts_in_window) OVER (
            PARTITION BY {REPLICA_COLUMNS} ORDER BY timestamp_ms RANGE BETWEEN CURRENT ROW AND {WINDOW_MS} FOLLOWING
        ) AS most
        FROM windows
    ),
    spaced AS (
        SELECT *, timestamp_ms - lag(timestamp_ms) OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY timestamp_ms) AS gap_ms
        FROM crowded WHERE most >= {MIN_STARTS}
    ),
    dense AS (
        SELECT *, sum(CASE WHEN gap_ms <= {WINDOW_MS} THEN 0 ELSE 1 END) OVER (
            PARTITION BY {REPLICA_COLUMNS} ORDER BY timestamp_ms
        ) AS loop
        FROM spaced
    )
    SELECT {REPLICA_COLUMNS}, count(*) AS starts, min("offset") AS first_offset, max("offset") AS last_offset,
        min(timestamp_ms) AS first_ms, max(timestamp_ms) AS last_ms,
        list("offset" ORDER BY "offset")[:{MAX_EVIDENCE}] AS offsets
    FROM dense GROUP BY {REPLICA_COLUMNS}, loop ORDER BY {REPLICA_COLUMNS}, first_offset
"""


def describe(row: Row) -> Finding:
    return Finding(
        detector=detector.id,
        severity="medium",
        title=(
            f"The registry started {plural(row['starts'], 'time')} within {lasted(row)} "
            f"({offset_range(row['first_offset'], row['last_offset'])})"
        ),
        explanation=(
            f"Each start writes a record to the journal. From {moment(row['first_ms'])} to {moment(row['last_ms'])} the journal "
            f"contains {marked.number(row['starts'])} of them. Starts less than {TOGETHER_MS // 1000} s apart count as one, because several nodes "
            "may start together. If a registry does not become ready in time, its probe ends it and it restarts. Each start "
            "reads the whole journal. In versions 2.1.3 to 2.5.8 it may also write to it. Compaction removes records of starts, "
            "so there may have been more."
        ),
        **located(row),
        confidence="likely",
        evidence=row["offsets"],
        remedy=detector.remedy(),
        references=detector.references,
        entities={f"restart:{offset}" for offset in row["offsets"]},
    )


def lasted(row: Row) -> str:
    """How long the loop ran, in words."""
    took_s = max(1, (row["last_ms"] - row["first_ms"]) // 1000)
    return f"{marked.number(took_s)} s" if took_s < 120 else f"{marked.number(round(took_s / 60))} minutes"


def headline(findings: list[Finding]) -> str:
    """`the registry restarted again and again within minutes`."""
    times = "" if len(findings) == 1 else f", {marked.number(len(findings))} times"
    return f"the registry restarted again and again within minutes{times}"


detector = Detector(
    id="restart-loop",
    title="Registry restart loop",
    find=query(LOOPS),
    describe=describe,
    headline=headline,
    dialects=("apicurio-v2",),
    rows_of="entries",
    scope="partition",
    needs=frozenset({"timestamps"}),
    follows=("upgrade-rewrites",),
    befalls=("stuck", "service"),
)
