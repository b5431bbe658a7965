"""What kafka-dump-log itself reports of the files that it checked: indexes that do not fit, offsets that are not consecutive.

Innocent: gaps of a compacted log, the index of the active segment, versions of the tool that report what is right
(KAFKA-7487). Page: docs/detectors/dump-log-report.md
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from spark.detectors import Detector
from spark.detectors.bytes._words import partition_name
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding, Severity
from spark.terms.wording import plural, steps

REPORTS = """
    WITH told AS (
        SELECT topic, partition, replica, file, CASE WHEN name = 'kafka-dump-log' THEN value END AS report FROM properties
    )
    SELECT topic, partition, replica, file, report->>'kind' AS kind, report->>'file' AS name,
        max(TRY_CAST(report->>'count' AS BIGINT)) AS count, any_value(report->>'pairs') AS pairs
    FROM told WHERE report IS NOT NULL GROUP BY ALL ORDER BY ALL
"""
NAMED = 5
KAFKA_7487 = "https://issues.apache.org/jira/browse/KAFKA-7487"
ACTIVE = (
    "The index of the active segment is allocated ahead and ends in zeros, and on a running broker it is ahead of or behind "
    "what has reached the segment's file. Kafka's maintainers fixed a tool that took such entries, and entries for compressed "
    "batches, for mismatches (KAFKA-7487, fixed in 2.0.1 and 2.1.0): a report of an older tool or of an active segment proves "
    "nothing. In a closed segment of a stopped broker it means that lookups in this file end in the wrong place; the "
    "records themselves are not touched."
)
INDEX_STEPS = steps(
    [
        "Check with a tool of Kafka 2.1 or newer, on a closed segment or a stopped broker.",
        "If it reports the same, stop the broker cleanly, move the index file away and start the broker: it builds the index again.",
    ]
)


@dataclass(frozen=True)
class Kind:
    """One kind of report: how grave, its words, one pair of its numbers in words."""

    severity: Severity
    title: str
    pair: str
    explanation: str
    remedy: str


KINDS = {
    "index": Kind("low", "{} of the offset index {} that point to another batch", "entry {}: the batch there ends at {}", ACTIVE, INDEX_STEPS),
    "time": Kind("low", "{} of the time index {} with another timestamp than the log", "entry {}: the log has {}", ACTIVE, INDEX_STEPS),
    "time-order": Kind("low", "{} of the time index {} out of order", "{} behind {}", ACTIVE, INDEX_STEPS),
    "not-found": Kind("low", "{} of the time index {} whose offset no batch ends at", "offset {}: found {}", ACTIVE, INDEX_STEPS),
    "gaps": Kind(
        "info",
        "{} in {} where offsets are not consecutive",
        "{} is followed by {}",
        "The tool compares neighbouring records and knows nothing of compaction. Compaction takes records out and keeps the "
        "offsets of the others, and aborted transactions leave gaps once they are cleaned: in such a log these places are "
        "normal. In a topic that is only deleted by age or size, offsets that are missing within a segment are not.",
        "If the topic is not compacted, inspect the segments themselves: Journalscope names the cause of each gap.",
    ),
}  # fmt: skip


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per report."""
    return [row for row in tables.rows(REPORTS) if row["kind"] in KINDS]


def describe(row: Row) -> Finding:
    """In words."""
    kind, pairs = KINDS[row["kind"]], json.loads(row["pairs"])
    name = PurePosixPath(row["name"].replace("\\", "/")).name or partition_name(row)
    noun = ("place", None) if row["kind"] == "gaps" else ("entry", "entries")
    named = "; ".join(kind.pair.format(*pair) for pair in pairs[:NAMED])
    more = f"; and {row['count'] - NAMED} more" if row["count"] > NAMED else ""
    return Finding(
        detector=detector.id,
        severity=kind.severity,
        title=f"kafka-dump-log reports {kind.title.format(plural(row['count'], *noun), name)}",
        explanation=f"It lists {named}{more}. {kind.explanation}",
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=offset_of(row["kind"], pairs),
        last_offset=offset_of(row["kind"], pairs[-1:]),
        confidence="likely",
        entity=f"{row['kind']}:{row['name']}",
        remedy=kind.remedy,
        references=[KAFKA_7487],
    )


def offset_of(kind: str, pairs: list[list[int]]) -> int | None:
    """The first offset that the report names; times name none."""
    return pairs[0][0] if pairs and kind in ("index", "not-found", "gaps") else None


def headline(findings: list[Finding]) -> str:
    """Never part of a verdict; worded all the same."""
    return f"kafka-dump-log itself made {plural(len(findings), 'report')}"


detector = Detector(
    id="dump-log-report",
    title="What kafka-dump-log reports itself",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="properties",
)
