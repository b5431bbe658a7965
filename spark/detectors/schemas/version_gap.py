"""Version gap: a subject's version numbers skip.

Always innocent: hard deletes, imports and writes that lost a race leave numbers out. Page: docs/detectors/version-gap.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.schemas._writes import DIALECT, prepared
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural, some

NAMED = 10
# One row per copy of a partition.
GAPS = f"""
    WITH versions AS (
        SELECT {REPLICA_COLUMNS}, subject, version, min("offset") AS "offset" FROM registry_writes
        WHERE entry_type = 'SCHEMA' GROUP BY ALL
    ),
    steps AS (
        SELECT *, lag(version) OVER (PARTITION BY {REPLICA_COLUMNS}, subject ORDER BY version) AS previous FROM versions
    )
    SELECT {REPLICA_COLUMNS}, count(DISTINCT subject) AS subjects, min("offset") AS first_offset, max("offset") AS last_offset,
        list({{'subject': subject, 'from': previous, 'to': version, 'offset': "offset"}} ORDER BY "offset")[:{NAMED}] AS gaps,
        count(*) AS total
    FROM steps WHERE version > previous + 1
    GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""


def describe(row: Row) -> Finding:
    gaps = list(row["gaps"])
    jumps = [
        f"{marked.entity(gap['subject'], 'subject')} from {marked.number(gap['from'])} to {marked.number(gap['to'])} (offset {marked.offset(gap['offset'])})"
        for gap in gaps
    ]
    more = [""] * (row["total"] - len(gaps))
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"{plural(row['subjects'], 'subject')} {'has' if row['subjects'] == 1 else 'have'} gaps in the version numbers: {some([*jumps, *more], NAMED)}",
        explanation=(
            "The journal contains no record of the version numbers between. A registry increases the version number of a subject and does not reuse "
            "a number while a version is present. Numbers are missing if versions were permanently deleted and compacted, or if versions were "
            "imported. This is normal."
        ),
        **located(row),
        entity="versions",
        evidence=[gap["offset"] for gap in gaps],
        remedy=detector.remedy(),
        references=detector.references,
    )


detector = Detector(
    id="version-gap",
    title="Gap in version numbers",
    find=query(GAPS, prepare=prepared),
    describe=describe,
    headline=clause("{count} with gaps in version numbers", "journal"),
    rows_of="entries",
    needs=frozenset({"key"}),
    dialects=(DIALECT,),
)
