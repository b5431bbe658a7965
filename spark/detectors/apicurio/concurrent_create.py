"""Concurrent create: two nodes created one content, group or version at once; the registry drops the second record.

Innocent: created again after a deletion; the same record once more, as a repair leaves it; imports over what is there.
Page: docs/detectors/concurrent-create.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import listed

TOGETHER_MS = 60_000  # twice the response timeout: after that the first create has been answered everywhere
TOGETHER_OFFSETS = 1_000  # where the layout carries no timestamps

# The dropped record, then the newest one before it that created the same thing under another id.
DROPPED = f"""
    SELECT {REPLICA_COLUMNS}, "offset" FROM refusals
    WHERE view = 'log' AND is_own AND reason IN ('already-exists', 'id-taken')
        AND entity_type IN ('content', 'group', 'version')
"""
MAKERS = """(
    (entry_type IN ('Content', 'Group') AND entry_action = 'create')
    OR (entry_type = 'ContentV2' AND entry_action = 'create_or_update')
    OR (entry_type = 'Artifact' AND entry_action IN ('create', 'update'))
)"""
MEMBERS = """
    attributes->>'$.contentId' AS content_id, attributes->>'$.contentHash' AS content_hash,
    attributes->>'$.uuid' AS uuid, attributes->>'$.globalId' AS global_id,
    CASE WHEN entry_type LIKE 'Content%'
        THEN concat('Content ', attributes->>'$.tenantId', ' ', attributes->>'$.contentHash')
        ELSE concat(entry_type, ' ', entity_id, ' ', attributes->>'$.version') END AS made
"""
# One row per record that came second.
PAIRS = f"""
    WITH dropped AS ({DROPPED}),
    losers AS (
        SELECT {REPLICA_COLUMNS}, "offset", entry_type, entity_id, {MEMBERS}
        FROM entries SEMI JOIN dropped USING ({REPLICA_COLUMNS}, "offset") WHERE {MAKERS}
    ),
    named AS (SELECT DISTINCT {REPLICA_COLUMNS}, entity_id FROM losers),
    hashed AS (SELECT DISTINCT {REPLICA_COLUMNS}, content_hash FROM losers WHERE entry_type LIKE 'Content%'),
    candidates AS (
        SELECT * FROM entries SEMI JOIN named USING ({REPLICA_COLUMNS}, entity_id)
        WHERE entry_type IN ('Group', 'Artifact') AND {MAKERS}
        UNION ALL
        SELECT * EXCLUDE (content_hash) FROM (
            SELECT *, attributes->>'$.contentHash' AS content_hash FROM entries
            WHERE entry_type IN ('Content', 'ContentV2') AND {MAKERS} AND EXISTS (SELECT 1 FROM hashed)
        ) SEMI JOIN hashed USING ({REPLICA_COLUMNS}, content_hash)
    ),
    makers AS (SELECT {REPLICA_COLUMNS}, "offset", entry_type, entity_id, {MEMBERS} FROM candidates),
    pairs AS (
        SELECT loser.*, winner."offset" AS winner_offset, winner.content_id AS winner_content_id
        FROM losers loser JOIN makers winner ON winner.topic = loser.topic AND winner.partition = loser.partition
            AND winner.replica = loser.replica AND winner.made = loser.made AND winner."offset" < loser."offset"
            AND (loser.entry_type = 'Group' OR winner.content_id IS DISTINCT FROM loser.content_id
                OR winner.uuid IS DISTINCT FROM loser.uuid)
        QUALIFY row_number() OVER (
            PARTITION BY loser.topic, loser.partition, loser.replica, loser."offset" ORDER BY winner."offset" DESC
        ) = 1
    ),
    times AS (
        SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms FROM records SEMI JOIN (
            SELECT {REPLICA_COLUMNS}, "offset" FROM pairs UNION SELECT {REPLICA_COLUMNS}, winner_offset FROM pairs
        ) USING ({REPLICA_COLUMNS}, "offset")
    )
    SELECT pairs.* FROM pairs
    LEFT JOIN times lost USING ({REPLICA_COLUMNS}, "offset")
    LEFT JOIN times won ON (pairs.topic, pairs.partition, pairs.replica, pairs.winner_offset)
        = (won.topic, won.partition, won.replica, won."offset")
    WHERE coalesce(abs(lost.timestamp_ms - won.timestamp_ms) <= {TOGETHER_MS},
        pairs."offset" - pairs.winner_offset <= {TOGETHER_OFFSETS})
    ORDER BY pairs.topic, pairs.partition, pairs.replica, pairs."offset"
"""


def describe(row: Row) -> Finding:
    first, second = row["winner_offset"], row["offset"]
    return Finding(
        detector=detector.id,
        severity="low",
        title=f"{what(row)} was created twice concurrently, at offsets {marked.offset(first)} and {marked.offset(second)}; the registry rejects the second",
        explanation=explanation(row),
        **located(row, first, second),
        entity=f"{row['made']}@{second}",
        evidence=[first, second],
        remedy=detector.remedy(),
        references=detector.references,
        entities={f"create:{second}"},
    )


def what(row: Row) -> str:
    """What was made, in words."""
    if row["entry_type"].startswith("Content"):
        return f"Content {marked.hash_of(row['content_hash'][:12], row['content_hash']) if row['content_hash'] else '?'}…"
    return f"{'Group' if row['entry_type'] == 'Group' else 'Artifact'} {marked.entity(row['entity_id'])}"


def explanation(row: Row) -> str:
    """Who won, and what is left of the other."""
    race = (
        "Two nodes, or two clients of one node, found that it did not exist yet. Each wrote its own record. "
    )
    if row["entry_type"].startswith("Content"):
        ids = listed(
            [
                f"contentId {marked.name(row['winner_content_id'])}",
                f"contentId {marked.entity(row['content_id'], 'content')}",
            ]
        )
        return (
            f"{race}Both records have the same contentHash, with {ids}. Every registry uses the first record in the journal. The "
            f"second contentId does not exist for the registry. Artifacts refer to the content by its hash, so no artifact "
            f"lacks it."
        )
    if row["entry_type"] == "Group":
        return f"{race}Every registry uses the first record in the journal and rejects the second. This has no further effect."
    return (
        f"{race}Every registry uses the first record in the journal. The client that wrote the second got an error (409, "
        f"sometimes 500), and globalId {marked.name(row['global_id'])} does not exist. Each node writes a tombstone for the key of the "
        "second record, and so does each later start until compaction removes it."
    )


detector = Detector(
    id="concurrent-create",
    title="Created twice concurrently",
    find=query(PAIRS, if_any=f"{DROPPED} LIMIT 1"),
    describe=describe,
    headline=clause("{count} created twice concurrently", "entity was", "entities were"),
    dialects=("apicurio-v2",),
    rows_of="refusals",
    scope="partition",
)
