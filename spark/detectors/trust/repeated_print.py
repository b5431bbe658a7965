"""Repeated print: the input prints the same records twice, in one text or in two. They are counted once.

Innocent: always; nothing in the journal is double. Page: docs/detectors/repeated-print.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, query
from spark.sources import LACKS
from spark.stages.prints.numbered import NO_OFFSETS
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural

# One row per text.
REPEATED = f"""
    SELECT set_aside.name, any_value(files.topic) AS topic, sum(set_aside.records)::BIGINT AS records,
        min(line) AS first_line, max(line) AS last_line,
        bool_and(coalesce(list_contains(cannot_tell, '{NO_OFFSETS}'), false)) AS is_numbered,
        bool_or(coalesce(list_contains(cannot_tell, '{LACKS["timestamps"]}'), false)) AS is_timed_by_values
    FROM set_aside JOIN files USING (file)
    WHERE set_aside.kind = 'repeat'
    GROUP BY set_aside.name
"""


def describe(row: Row) -> Finding:
    records = plural(row["records"], "record") if row["records"] else "The same batches"
    are = "is" if row["records"] == 1 else "are"
    lines = (
        f"line {marked.number(row['first_line'])}"
        if row["first_line"] == row["last_line"]
        else f"lines {marked.number(row['first_line'])}-{marked.number(row['last_line'])}"
    )
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"{records} {are} printed twice and counted once",
        explanation=(
            f"{marked.file(row['name'])} ({lines}) prints {'a record' if row['records'] == 1 else 'records'} that the input "
            f"already contains, with the same {same_parts(row)}. "
            "The report counts each of them once."
        ),
        topic=row["topic"],
        partition=None,
        first_offset=None,
        last_offset=None,
        entity=row["name"],
        remedy=detector.remedy(),
    )


def same_parts(row: Row) -> str:
    """What a record and its repetition have in common."""
    if not row["is_numbered"]:
        return "offset, key and value"
    if row["is_timed_by_values"]:
        return "key and value. The times in the values show that both are outputs of one log"
    return "timestamp, key and value"


detector = Detector(
    id="repeated-print",
    title="Records printed twice",
    find=query(REPEATED),
    describe=describe,
    headline=clause("{count} with records printed twice", "text"),
    rows_of="set_aside",
)
