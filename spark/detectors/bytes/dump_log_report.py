"""What kafka-dump-log itself reports of the files that it checked: indexes that do not fit, offsets that are not consecutive.

Innocent: gaps of a compacted log, the index of the active segment, versions of the tool that report what is right
(KAFKA-7487). Page: docs/detectors/dump-log-report.md
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from spark.detectors import Detector, clause, located
from spark.detectors._words import partition_name
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding, Severity
from spark.terms.typed_wording import plural

REPORTS = """
    WITH reports AS (
        SELECT topic, partition, replica, file, CASE WHEN name = 'kafka-dump-log' THEN value END AS report FROM properties
    )
    SELECT topic, partition, replica, file, report->>'kind' AS kind, report->>'file' AS name,
        max(TRY_CAST(report->>'count' AS BIGINT)) AS count, any_value(report->>'pairs') AS pairs
    FROM reports WHERE report IS NOT NULL GROUP BY ALL ORDER BY ALL
"""
NAMED = 5
ACTIVE = (
    "The index of the active segment is preallocated and ends in zeros. On a running broker it can also differ from the segment's "
    "file. Older versions of the tool reported such entries, and entries for compressed batches, as mismatches (KAFKA-7487, fixed in "
    "2.0.1 and 2.1.0). So a report of an older tool or of an active segment proves no fault. In a closed segment of a stopped broker, "
    "a mismatch means that lookups in this file return wrong positions. The records are not affected."
)


@dataclass(frozen=True)
class ReportKind:
    """One kind of report: how grave, its words, one pair of its numbers in words."""

    severity: Severity
    title: str
    pair: str
    explanation: str


KINDS = {
    "index": ReportKind("low", "{} of the offset index {} that point to another batch", "entry {}: the batch at that position ends at {}", ACTIVE),
    "time": ReportKind("low", "{} of the time index {} with another timestamp than the log", "entry {}: the log contains {}", ACTIVE),
    "time-order": ReportKind("low", "{} of the time index {} out of order", "{} after {}", ACTIVE),
    "not-found": ReportKind("low", "{} of the time index {} without a batch that ends at their offset", "offset {}: found {}", ACTIVE),
    "gaps": ReportKind(
        "info",
        "{} in {}",
        "{} is followed by {}",
        "The tool compares each record with the next one and does not consider compaction. Compaction removes records, including those of "
        "aborted transactions, and keeps the offsets of the others. In a compacted log such gaps are normal. In a topic with "
        "cleanup.policy=delete, gaps within a segment are not normal.",
    ),
}  # fmt: skip


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per report."""
    return [row for row in tables.rows(REPORTS) if row["kind"] in KINDS]


def describe(row: Row) -> Finding:
    kind, pairs = KINDS[row["kind"]], json.loads(row["pairs"])
    file = PurePosixPath(row["name"].replace("\\", "/")).name
    name = marked.file(file) if file else partition_name(row)
    noun = ("gap", None) if row["kind"] == "gaps" else ("entry", "entries")
    named = "; ".join(kind.pair.format(*map(marked.number, pair)) for pair in pairs[:NAMED])
    more = f"; and {marked.number(row['count'] - NAMED)} more" if row["count"] > NAMED else ""
    return Finding(
        detector=detector.id,
        severity=kind.severity,
        title=f"kafka-dump-log reports {kind.title.format(plural(row['count'], *noun), name)}",
        explanation=f"The tool lists {named}{more}. {kind.explanation}",
        **located(row, offset_of(row["kind"], pairs), offset_of(row["kind"], pairs[-1:])),
        confidence="likely",
        entity=f"{row['kind']}:{row['name']}",
        remedy=detector.remedy("Gaps" if row["kind"] == "gaps" else "Index"),
        references=detector.references,
    )


def offset_of(kind: str, pairs: list[list[int]]) -> int | None:
    """The first offset that the report names; times name none."""
    return pairs[0][0] if pairs and kind in ("index", "not-found", "gaps") else None


detector = Detector(
    id="dump-log-report",
    title="Mismatch that kafka-dump-log reports",
    find=find,
    describe=describe,
    headline=clause("kafka-dump-log itself reports {count}", "mismatch", "mismatches"),
    rows_of="properties",
    prints=("dump-log-text", "dump-log-batches"),
)
