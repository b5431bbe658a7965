"""Canonical hash mismatch: the stored one is not what the registry computes, so the next start may rewrite the content.

foreseen  Protobuf with references: the upgrader of 2.1.3 to 2.5.8 leaves these out and finds another hash
other     no form of the canonical text has the stored hash

Innocent: contents that an UPDATE without content has hit (content-null-update tells it), the foreseen ones in a journal
that a fixed version has taken over, formats that are not recomputed, bytes that are not the right ones. Page: docs/detectors/canonical-hash-mismatch.md
"""

from __future__ import annotations

from spark.detectors import Detector, located, query
from spark.detectors._effects import on_entities
from spark.detectors.apicurio import _hash_words as hashes
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural

MAX_LISTED = 50

# One row per partition and kind.
# The newest record of a content counts. Where a fixed version has run, its own upgrade has rewritten what it had to.
MISMATCHES = f"""
    WITH suspects AS (
        SELECT *, CASE WHEN canonical_form = 'other' THEN 'other' ELSE 'foreseen' END AS kind FROM hash_suspects
        WHERE content_form <> 'mismatch'
            AND (canonical_form = 'other' OR (canonical_form = 'current' AND family = 'Protobuf'))
    ),
    newest AS (
        SELECT {REPLICA_COLUMNS}, entity_id, max("offset") AS "offset" FROM entries
        SEMI JOIN suspects USING ({REPLICA_COLUMNS}, entity_id)
        WHERE entry_type IN ('Content', 'ContentV2') AND entry_action IS NOT NULL GROUP BY ALL
    ),
    fixed AS (
        SELECT DISTINCT {REPLICA_COLUMNS} FROM entries
        WHERE entry_type IN ('ContentV2', 'Upgrader') AND EXISTS (SELECT 1 FROM suspects)
    ),
    judged AS (
        SELECT suspects.*, fixed.topic IS NOT NULL AS is_fixed
        FROM suspects SEMI JOIN newest USING ({REPLICA_COLUMNS}, entity_id, "offset") LEFT JOIN fixed USING ({REPLICA_COLUMNS})
    )
    SELECT {REPLICA_COLUMNS}, kind, count(*) AS count, min("offset") AS first_offset, max("offset") AS last_offset,
        list({{'tenant': tenant, 'content_id': content_id, 'content_hash': content_hash, 'offset': "offset",
            'family': family}} ORDER BY "offset")[:{MAX_LISTED}] AS contents, is_fixed
    FROM judged WHERE kind = 'other' OR NOT is_fixed GROUP BY {REPLICA_COLUMNS}, kind, is_fixed ORDER BY {REPLICA_COLUMNS}, kind
"""


def describe(row: Row) -> Finding:
    contents = row["contents"]
    return Finding(
        detector=detector.id,
        severity="medium",
        effects=on_entities("at_risk", "content", [content["content_id"] for content in contents]),
        title=title(row),
        explanation=f"Affected: {hashes.contents_named(contents)}. {why(row)}",
        **located(row),
        entity=f"canonical:{row['kind']}",
        evidence=hashes.offsets(contents),
        remedy=detector.remedy("Written by a fixed version" if row["is_fixed"] else "Other versions"),
        references=detector.references,
        entities={hashes.content_entity(content) for content in contents},
    )


def title(row: Row) -> str:
    """One sentence a ticket can quote."""
    is_only_one, first = row["count"] == 1, row["first_offset"]
    since = (
        f"at offset {marked.offset(first)}" if is_only_one else f"the first at offset {marked.offset(first)}"
    )
    if row["kind"] == "foreseen":
        return (
            f"{plural(row['count'], 'Protobuf content item')} will get an UPDATE without content at the next start of version "
            f"2.5.8 or earlier, {since}"
        )
    has = "has" if is_only_one else "have"
    return f"{plural(row['count'], 'content item')} {has} a canonical hash that no current version computes, {since}"


def why(row: Row) -> str:
    """Which form the hash has, and which version rejects it."""
    if row["kind"] == "foreseen":
        return (
            "The canonical hash covers the schema as Wire prints it, followed by the references. This is correct since 2.4.2. "
            "The upgrader that versions 2.1.3 to 2.5.8 run at every start leaves the references out, so it computes another "
            "hash. It then writes a Content UPDATE without content. Compaction removes the record that contains the content."
        )
    outdated = [content for content in row["contents"] if content["family"] not in ("JSON", "Protobuf")]
    form = (
        "The hash covers the schema as versions before 2.4.0 printed it, or the unchanged bytes."
        if outdated
        else "No known version computes this hash."
    )
    danger = (
        "A fixed version runs on this journal. It writes such content again once, including its bytes."
        if row["is_fixed"]
        else "For Protobuf, the upgrader that versions 2.1.3 to 2.5.8 run at every start then writes a Content UPDATE "
        "without content. Compaction removes the record that contains the content."
    )
    return f"{form} The registry does not recognise the same schema if a client sends it with another formatting. {danger}"


def headline(findings: list[Finding]) -> str:
    """`content can be lost after the next start of version 2.5.8 or earlier: ...`."""
    foreseen = any(finding.entity == "canonical:foreseen" for finding in findings)
    return (
        "content can be lost after the next start of version 2.5.8 or earlier: the start writes UPDATEs without content"
        if foreseen
        else "the registry does not recognise schemas sent again: stored canonical hashes differ from the computed ones"
    )


detector = Detector(
    id="canonical-hash-mismatch",
    title="Canonical hash mismatch",
    find=query(MISMATCHES, prepare=hashes.suspects),
    describe=describe,
    headline=headline,
    dialects=("apicurio-v2",),
    rows_of="entries",
    scope="partition",
    needs=frozenset({"exact-bytes"}),
    follows=("content-null-update",),
)
