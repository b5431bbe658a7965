"""Upgrade rewrites: the upgrader updates the same contents after one restart and again after the next, or it crawls.

again  a content was updated after two restarts or more
slow   updates stand about 30 s apart: versions 2.1.3 to 2.4.12 wait for each answer until the timeout

Innocent: one pass after an upgrade, also after passes of an older upgrader (2.1.3 to 2.5.8 write UPDATEs, 2.5.9 and later
ContentV2); two artifacts that share a content (two updates in one pass).
Page: docs/detectors/upgrade-rewrites.md
"""

from __future__ import annotations

from spark.detectors import Detector, located, query
from spark.detectors._effects import on_entities
from spark.detectors.apicurio import _hash_words as hashes
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, offset_range, plural, some

MIN_PASSES = 2  # one is what an upgrade does
WAIT_MS = (25_000, 45_000)  # around the response timeout of 30 s
MIN_WAITS = 2  # in a row; a single one may be chance
MAX_LISTED = 50
COMPACTED = -1  # the restart before the first one left: only a start rewrites, so there was one

# A rewrite is a Content UPDATE, or a ContentV2 of a content that a record before it holds. Its pass is the restart
# before it, which compaction may have removed.
REWRITES = f"""
    WITH events AS (
        SELECT {REPLICA_COLUMNS}, "offset", entry_type, entry_action,
            coalesce(max(CASE WHEN entry_action = 'restart' THEN "offset" END) OVER (
                PARTITION BY {REPLICA_COLUMNS} ORDER BY "offset" ROWS UNBOUNDED PRECEDING
            ), {COMPACTED}) AS restart,
            coalesce(attributes->>'$.tenantId', '_') AS tenant,
            attributes->>'$.contentId' AS content_id, attributes->>'$.contentHash' AS content_hash
        FROM entries
        WHERE entry_action = 'restart' OR entry_type = 'ContentV2'
            OR (entry_type = 'Content' AND entry_action = 'update')
    ),
    first_of_v2 AS (
        SELECT {REPLICA_COLUMNS}, tenant, content_id, min("offset") AS "offset" FROM events
        WHERE entry_type = 'ContentV2' GROUP BY ALL
    ),
    rewrites AS (
        SELECT * FROM events WHERE entry_type = 'Content'
        UNION ALL
        SELECT * FROM (SELECT * FROM events WHERE entry_type = 'ContentV2')
        ANTI JOIN first_of_v2 USING ({REPLICA_COLUMNS}, tenant, content_id, "offset")
    ),
"""
# One row per partition. A content is written again by one upgrader: a pass of another version is an upgrade.
AGAIN = f"""
    {REWRITES}
    repeated AS (
        SELECT {REPLICA_COLUMNS}, tenant, content_id, entry_type FROM rewrites
        GROUP BY ALL HAVING count(DISTINCT restart) >= {MIN_PASSES}
    ),
    contents AS (
        SELECT {REPLICA_COLUMNS}, tenant, content_id, any_value(content_hash) AS content_hash, count(*) AS updates,
            count(DISTINCT restart) AS passes, min("offset") AS first_offset, max("offset") AS last_offset,
            list(DISTINCT restart) AS restarts
        FROM rewrites SEMI JOIN repeated USING ({REPLICA_COLUMNS}, tenant, content_id, entry_type)
        GROUP BY {REPLICA_COLUMNS}, tenant, content_id
    )
    SELECT {REPLICA_COLUMNS}, 'again' AS kind, count(*) AS contents, max(passes) AS passes, sum(updates)::BIGINT AS updates,
        min(first_offset) AS first_offset, max(last_offset) AS last_offset,
        list_filter(list_sort(list_distinct(flatten(list(restarts)))), lambda r: r >= 0)[:{MAX_LISTED}] AS restarts,
        list({{'tenant': tenant, 'content_id': content_id, 'content_hash': content_hash, 'offset': last_offset}}
            ORDER BY first_offset)[:{MAX_LISTED}] AS named
    FROM contents GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""
# One row per slow pass.
SLOW = f"""
    {REWRITES}
    timed AS (
        SELECT rewrites.*, timestamp_ms,
            timestamp_ms - lag(timestamp_ms) OVER (
                PARTITION BY {REPLICA_COLUMNS}, restart ORDER BY rewrites."offset"
            ) AS waited_ms
        FROM rewrites JOIN (SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms FROM records) USING ({REPLICA_COLUMNS}, "offset")
        WHERE entry_type = 'Content'
    ),
    waits AS (
        SELECT *, waited_ms BETWEEN {WAIT_MS[0]} AND {WAIT_MS[1]} AS is_wait,
            sum(CASE WHEN waited_ms BETWEEN {WAIT_MS[0]} AND {WAIT_MS[1]} THEN 0 ELSE 1 END) OVER (
                PARTITION BY {REPLICA_COLUMNS} ORDER BY "offset"
            ) AS run
        FROM timed
    ),
    runs AS (
        SELECT {REPLICA_COLUMNS}, run, min(restart) AS restart, count(*) AS updates, min("offset") AS first_offset,
            max("offset") AS last_offset, max(timestamp_ms) - min(timestamp_ms) AS took_ms,
            list({hashes.CONTENT} ORDER BY "offset")[:{MAX_LISTED}] AS named
        FROM waits GROUP BY {REPLICA_COLUMNS}, run HAVING count(*) FILTER (is_wait) >= {MIN_WAITS}
    )
    SELECT {REPLICA_COLUMNS}, 'slow' AS kind, updates, first_offset, last_offset, took_ms, named,
        CASE WHEN restart < 0 THEN [] ELSE [restart] END AS restarts
    FROM runs ORDER BY {REPLICA_COLUMNS}, first_offset
"""


# The same without the attributes, which take long to read: most journals have none.
ANY = """
    SELECT 1 FROM entries WHERE entry_type = 'ContentV2' OR (entry_type = 'Content' AND entry_action = 'update') LIMIT 1
"""


def describe(row: Row) -> Finding:
    again = row["kind"] == "again"
    evidence = sorted({*row["restarts"], *(content["offset"] for content in row["named"])})
    return Finding(
        detector=detector.id,
        severity="medium",
        effects=on_entities("changed", "content", [content["content_id"] for content in row["named"]]),
        title=title_again(row) if again else title_slow(row),
        explanation=explanation_again(row) if again else explanation_slow(row),
        **located(row),
        entity="again" if again else f"slow:{row['first_offset']}",
        evidence=evidence,
        remedy=detector.remedy(topic=row["topic"], starts_are_slow=row["kind"] == "slow"),
        references=detector.references,
        entities={hashes.content_entity(content) for content in row["named"]}
        | {f"restart:{restart}" for restart in row["restarts"]},
    )


def title_again(row: Row) -> str:
    """One sentence a ticket can quote."""
    return (
        f"The registry updates {plural(row['contents'], 'content item')} at every start: {plural(row['updates'], 'update')} in "
        f"{plural(row['passes'], 'start')}, the last at offset {marked.offset(row['last_offset'])}"
    )


def title_slow(row: Row) -> str:
    """One sentence a ticket can quote."""
    return (
        f"The registry starts slowly, in {marked.number(row['took_ms'] // 1000)} s or more: {marked.number(row['updates'])} content updates, about 30 s apart "
        f"({offset_range(row['first_offset'], row['last_offset'])})"
    )


def explanation_again(row: Row) -> str:
    """Who writes, and why it does not end."""
    started = (
        f"The registry started at {at_offsets(row['restarts'])}"
        if row["restarts"]
        else "The registry started"
    )
    earlier = (
        " Compaction removed the record of an earlier start."
        if row["passes"] > len(row["restarts"]) and row["restarts"]
        else ""
    )
    named_contents = some(
        [f"content {marked.entity(content['content_id'], 'content')}" for content in row["named"]]
    )
    return (
        f"{started}.{earlier} It updated {named_contents} after more than one start. An upgrade updates a content item once. "
        "Here the stored canonical hash still differs from the hash that the upgrader computes, so each start writes again. In "
        "versions 2.1.3 to 2.5.8 these are UPDATEs without content. Each one puts the content at risk again."
    )


def explanation_slow(row: Row) -> str:
    """Why the updates stand apart."""
    return (
        "Versions 2.1.3 to 2.4.12 wait for the response to each update on the thread that reads the responses. Each wait ends "
        "with the timeout of 30 s. The registry is not ready until all updates are written. If a probe ends it before that, it "
        "restarts and begins again. Check whether this journal contains several restarts in a row."
    )


def headline(findings: list[Finding]) -> str:
    """`the registry updates content at every start`."""
    slow = any((finding.entity or "").startswith("slow") for finding in findings)
    again = any(finding.entity == "again" for finding in findings)
    clauses = ["the registry updates the same content at every start"] if again else []
    return "; ".join(
        [*clauses, *(["the registry starts slowly: about 30 s for each content update"] if slow else [])]
    )


detector = Detector(
    id="upgrade-rewrites",
    title="Content updates at every start",
    find=query(AGAIN, SLOW, if_any=ANY),
    describe=describe,
    headline=headline,
    dialects=("apicurio-v2",),
    rows_of="entries",
    scope="partition",
    follows=("content-null-update",),
)
