"""Unreadable lines: records of a text export that cannot be read, a cut end included. One per file and partition.

Innocent: what stands around the tool's output (prompts, fences, lines of other programs): `lines-set-aside` lists it. Page: docs/detectors/unreadable-lines.md
"""

from __future__ import annotations

import re

from spark.detectors import Detector, located, query
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural

COUNTED = re.compile(r"contains ([\d,]+) unreadable parts?")  # what `describe` puts into the title
REST = "The other records are shown. Every count and every finding of this report leaves the unreadable parts out."
NO_REST = "No record of the file could be read."
# One row per file and partition with such lines.
BROKEN_EXPORTS = """
    SELECT damage.topic, damage.partition, damage.replica, files.name, files.layout_title,
        count(*) AS parts, sum(damage.size_bytes)::BIGINT AS size_bytes, bool_or(reason = 'truncated') AS is_cut,
        min(position) AS position, arg_min(detail, position) AS detail,
        file IN (SELECT file FROM runs) AS has_records,
        min(first_offset) AS first_offset, max(coalesce(last_offset, first_offset)) AS last_offset
    FROM damage JOIN files USING (file)
    WHERE files.kind = 'export'
    GROUP BY ALL
"""


def describe(row: Row) -> Finding:
    only_cut = row["is_cut"] and row["parts"] == 1
    damage = (
        "is truncated within a record" if only_cut else f"contains {plural(row['parts'], 'unreadable part')}"
    )
    return Finding(
        detector=detector.id,
        severity="medium",
        title=f"{marked.file(row['name'])} {damage} ({plural(row['size_bytes'], 'byte')} from byte {marked.number(row['position'])})",
        explanation=(
            f"The file format is {row['layout_title']}. {as_sentence(row['detail'])} {REST if row['has_records'] else NO_REST}"
        ),
        **located(row),
        entity=row["name"],
        remedy=detector.remedy(topic=row["topic"], partition=row["partition"]),
    )


def as_sentence(detail: str) -> str:
    """With a capital letter and a full stop."""
    return f"{marked.quote(detail[:1].upper() + detail[1:].rstrip('.'))}."


def headline(findings: list[Finding]) -> str:
    """A clause about the dump, not about the journal: how many records or parts, whatever number of files."""
    count = sum(unreadable(finding) for finding in findings)
    return f"{plural(count, 'unreadable part')} in the text"


def unreadable(finding: Finding) -> int:
    """How many parts of its file a finding is about."""
    match = COUNTED.search(finding.title)
    return int(match[1].replace(",", "")) if match else 1


detector = Detector(
    id="unreadable-lines",
    title="Unreadable lines in an export",
    find=query(BROKEN_EXPORTS),
    describe=describe,
    headline=headline,
    rows_of="damage",
    scope="partition",
)
