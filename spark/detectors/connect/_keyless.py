"""FAILED states in values alone: the value tells the worker and the trace, and only the key would tell of whom it speaks.

Looks only at files of layouts without keys, for values with Connect's `state` and `worker_id`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import orjson

from spark.detectors import located
from spark.sources import sources
from spark.tables.replica import REPLICA_COLUMNS, PartitionReplica, Row, quoted, replica_columns, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.secret_members import without_secrets
from spark.terms.typed_wording import plural, some
from spark.units.pages import remedy

ENTITY = "failed status:"
REFERENCES = ["https://kafka.apache.org/documentation/#connect_rest"]
MAX_VALUES = 20_000
MAX_LINE = 160  # of a trace, in a title
ROWS_NAMED = 10
LAYOUTS = "SELECT file FROM files WHERE layout IN ({})"
STATUSES = f"""
    SELECT {REPLICA_COLUMNS}, "offset", value FROM records SEMI JOIN ({LAYOUTS}) USING (file)
    WHERE NOT value_is_null AND regexp_matches(TRY(decode(value)), '"state"\\s*:\\s*"FAILED"')
    ORDER BY {REPLICA_COLUMNS}, "offset" LIMIT {MAX_VALUES}
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per partition and first line of a trace."""
    ids = ", ".join(quoted(id) for id, source in sources().items() if "key" in source.lacks)
    if not ids or not tables.rows(LAYOUTS.format(ids)):
        return []
    failures: dict[tuple[PartitionReplica, str], list[Row]] = defaultdict(list)
    for row in tables.rows(STATUSES.format(ids)):
        status = status_of(row["value"])
        if status:
            failures[replica_of(row), first_line(status)].append({"offset": row["offset"], **status})
    return [
        {**replica_columns(replica), "trace": trace, "values": values}
        for (replica, trace), values in failures.items()
    ]


def status_of(value: bytes) -> Row | None:
    """Connect's status, if the value is a FAILED one."""
    try:
        members = orjson.loads(value)
    except orjson.JSONDecodeError:
        return None
    is_status = isinstance(members, dict) and isinstance(members.get("worker_id"), str)
    return members if is_status and members.get("state") == "FAILED" else None


def first_line(status: Row) -> str:
    """What the trace begins with; an address in it may hold a password."""
    trace = status.get("trace")
    return without_secrets(trace.split("\n")[0].strip()) if isinstance(trace, str) else ""


def reason(row: Row) -> str:
    """The first line of the trace, not too long."""
    if not row["trace"]:
        return "the status contains no reason"
    line = row["trace"]
    return marked.quote(line if len(line) <= MAX_LINE else line[: MAX_LINE - 1] + "…")


def trace_starts(row: Row) -> str:
    """The same line whole, as a sentence."""
    return f"The trace starts with: {marked.quote(row['trace']) if row['trace'] else '(none)'}."


def describe(row: Row, detector: str) -> Finding:
    rows = [value["offset"] for value in row["values"]]
    workers = sorted({str(value["worker_id"]) for value in row["values"]})
    return Finding(
        detector=detector,
        severity="medium",
        confidence="likely",
        title=f"A connector or task failed: {reason(row)}",
        explanation=(
            f"{plural(len(rows), 'value')} of the input {'has' if len(rows) == 1 else 'have'} state FAILED "
            f"({'row' if len(rows) == 1 else 'rows'} {some([marked.number(number) for number in rows], ROWS_NAMED)}), from "
            f"{'worker' if len(workers) == 1 else 'workers'} {some([marked.name(worker) for worker in workers])}. {trace_starts(row)} The input "
            "contains values without keys. So the connector or task, and whether it runs again, are unknown."
        ),
        **located(row, *rows),
        entity=f"{ENTITY}{rows[0]}",
        evidence=rows[:50],
        remedy=remedy("task-failed", "Records without keys"),
        references=REFERENCES,
    )
