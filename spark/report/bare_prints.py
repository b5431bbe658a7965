"""Bare prints: what outputs of kafka-dump-log without contents show, in one clause for the verdict.

Such a print is no poor dump of records: it was asked for batches, index entries or producers, and shows them all.
"""

from __future__ import annotations

from spark.tables.store import ResultTables
from spark.terms.wording import offset_range, plural

LAYOUT = "dump-log-batches"
OF_PRINTS = f"JOIN files USING (file) WHERE layout = '{LAYOUT}'"
BATCHES = f"""
    SELECT count(*) AS count, count(DISTINCT (batches.topic, batches.partition)) AS partitions, min(batches.base_offset) AS first,
        max(last_offset) AS last, coalesce(bool_and(coalesce(crc_ok, false)), false) AS is_valid, coalesce(sum(is_control::INT), 0)::INT AS markers
    FROM batches {OF_PRINTS}
"""
ENTRIES = f"""
    SELECT kind, count(*) AS count, min("offset") AS first, max("offset") AS last
    FROM index_entries JOIN (SELECT file FROM files WHERE layout = '{LAYOUT}') USING (file)
    GROUP BY kind ORDER BY kind
"""
ABORTED = f"SELECT count(*) AS count FROM aborted_txns {OF_PRINTS}"
CHECKED = f"""
    WITH told AS (
        SELECT CASE WHEN properties.name = 'kafka-dump-log' THEN value END AS report FROM properties {OF_PRINTS}
    )
    SELECT report->>'kind' AS kind, count(*) AS count FROM told WHERE report IS NOT NULL GROUP BY ALL
"""
CHECKS = {
    "silent": "checked without a report by the tool",
    "passed": "passed the tool's sanity check",
    "empty": "empty",
}
PRODUCERS = (
    f"SELECT count(*) AS count, count(current_txn_first_offset) AS open FROM producer_states {OF_PRINTS}"
)


def bare_prints(tables: ResultTables) -> str:
    """`12 batches, offsets 0-340, checksums valid according to the tool; the output contains no records`; empty without such prints."""
    clauses = [batches(tables), *entries(tables), aborted(tables), producers(tables), *checked(tables)]
    return "; ".join(clause for clause in clauses if clause)


def batches(tables: ResultTables) -> str:
    row = tables.rows(BATCHES)[0]
    if not row["count"]:
        return ""
    is_one = row["partitions"] == 1
    offsets = (
        offset_range(row["first"], row["last"]) if is_one else f"of {plural(row['partitions'], 'partition')}"
    )
    clauses = [plural(row["count"], "batch", "batches"), offsets]
    clauses += [f"{plural(row['markers'], 'control record')} included"] if row["markers"] else []
    clauses += ["checksums valid according to the tool"] if row["is_valid"] else []
    return f"{', '.join(clauses)}; the output contains no records"


def entries(tables: ResultTables) -> list[str]:
    return [
        f"{plural(row['count'], 'entry', 'entries')} of {row['kind']} indexes, {offset_range(row['first'], row['last'])}"
        for row in tables.rows(ENTRIES)
    ]


def aborted(tables: ResultTables) -> str:
    count = tables.rows(ABORTED)[0]["count"]
    return f"{plural(count, 'aborted transaction')} of transaction indexes" if count else ""


def producers(tables: ResultTables) -> str:
    row = tables.rows(PRODUCERS)[0]
    if not row["count"]:
        return ""
    clauses = [f"{plural(row['count'], 'producer')} of producer snapshots"]
    clauses += [f"{row['open']} with an open transaction"] if row["open"] else []
    return ", ".join(clauses)


def checked(tables: ResultTables) -> list[str]:
    """The files of which the tool prints no more than that it checked them, and those with reports."""
    counts = {row["kind"]: row["count"] for row in tables.rows(CHECKED)}
    clauses = [f"{plural(counts[kind], 'file')} {words}" for kind, words in CHECKS.items() if kind in counts]
    reports = sum(count for kind, count in counts.items() if kind not in CHECKS)
    return [*clauses, *([plural(reports, "report of the tool", "reports of the tool")] if reports else [])]
