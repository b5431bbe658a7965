"""Journal bloat: calls that only keep house make up much of the journal, and every start carries them all out.

Innocent: fewer than MIN_CALLS of them, or less than MIN_SHARE of the journal. Page: docs/detectors/journal-bloat.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.log.cluster_settings import NEWEST_CAPTURES, PRINTED_SETTINGS
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import grouped, listed, plural

MIN_CALLS = 50
MIN_SHARE = 0.25  # of the journal's records
HOUSEKEEPING = {
    "DeleteAllExpiredDownloads0Message": "removes expired download links; up to 3.2.1 every instance writes it repeatedly",
    "DeleteAllOrphanedContent0Message": "removes unused content",
    "RecordUsageEvent1Message": "counts a use",
    "DeleteOldUsageEvents1Message": "removes old counts of use",
}
# One row per copy of a journal that is full of such calls.
CALLS = f"""
    WITH kinds AS (
        SELECT {REPLICA_COLUMNS}, entry_type, count(*) AS calls, min("offset") AS first_offset, max("offset") AS last_offset
        FROM entries GROUP BY ALL
    ),
    {NEWEST_CAPTURES},
    {PRINTED_SETTINGS},
    policies AS (
        SELECT topic, max(cleanup_policy) AS cleanup_policy FROM (
            SELECT topic, cleanup_policy FROM newest_captures
            UNION ALL SELECT topic, value FROM printed_settings WHERE name = 'cleanup.policy'
        ) GROUP BY ALL
    ),
    totals AS (SELECT {REPLICA_COLUMNS}, sum(calls)::BIGINT AS records FROM kinds GROUP BY ALL)
    SELECT {REPLICA_COLUMNS}, any_value(records) AS records, sum(calls)::BIGINT AS calls, min(first_offset) AS first_offset,
        max(last_offset) AS last_offset, list(entry_type ORDER BY calls DESC, entry_type) AS kinds,
        any_value(cleanup_policy) AS cleanup_policy
    FROM kinds JOIN totals USING ({REPLICA_COLUMNS}) LEFT JOIN policies USING (topic)
    WHERE entry_type IN ({", ".join(repr(name) for name in HOUSEKEEPING)})
    GROUP BY ALL HAVING sum(calls) >= {MIN_CALLS} AND sum(calls) >= {MIN_SHARE} * any_value(records)
    ORDER BY {REPLICA_COLUMNS}
"""


def describe(row: Row) -> Finding:
    share = round(100 * row["calls"] / row["records"])
    does = listed(f"{name} ({HOUSEKEEPING[name]})" for name in row["kinds"])
    return Finding(
        detector=detector.id,
        severity="low",
        title=(
            f"{grouped(row['calls'])} of {plural(row['records'], 'record')} in {marked.topic(row['topic'])} ({marked.number(share)} %) are housekeeping"
        ),
        explanation=(
            f"The calls are {does}. Each has a separate key, so {removed(row['cleanup_policy'])}. Every start executes all of "
            "them, so each start takes longer. In the end a probe ends the process before it is ready."
        ),
        **located(row),
        entity="bloat",
        evidence=[row["first_offset"], row["last_offset"]],
        remedy=detector.remedy(),
        references=detector.references,
    )


def removed(policy: str | None) -> str:
    """What becomes of them, by the topic's cleanup.policy where a capture tells it."""
    if policy is None:
        return "neither compaction nor retention removes them from this journal"
    if "delete" in policy:
        return f"only retention removes them (cleanup.policy={marked.quote(policy)}), together with all other records of that age"
    return f"cleanup.policy={marked.quote(policy)} removes none of them"


detector = Detector(
    id="journal-bloat",
    title="Journal full of housekeeping calls",
    find=query(CALLS),
    describe=describe,
    headline=clause("starts become slower: {count} full of housekeeping calls", "journal"),
    rows_of="entries",
    scope="partition",
    dialects=("apicurio-v3",),
)
