"""Canonical hash mismatch: the stored one is not what the registry computes, so the next start may rewrite the content.

foreseen  Protobuf with references: the upgrader of 2.1.3 to 2.5.8 leaves these out and finds another hash
other     no form of the canonical text has the stored hash

Innocent: contents that an UPDATE without content has hit (content-null-update tells it), the foreseen ones in a journal
that a fixed version has taken over, formats that are not recomputed, bytes that are not the right ones. Page: docs/detectors/canonical-hash-mismatch.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.apicurio import _hash_words as hashes
from spark.detectors.apicurio._repair import REFERENCES, start_fixed_version
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import plural, steps

MAX_LISTED = 50

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


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per partition and kind."""
    hashes.suspects(tables)
    return tables.rows(MISMATCHES)


def describe(row: Row) -> Finding:
    """The row in words."""
    contents = row["contents"]
    return Finding(
        detector="canonical-hash-mismatch",
        severity="medium",
        title=title(row),
        explanation=f"These are {hashes.contents_named(contents)}. {why(row)}",
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        entity=f"canonical:{row['kind']}",
        evidence=hashes.offsets(contents),
        remedy=remedy(row),
        references=[*hashes.HASHES, *REFERENCES],
        entities={hashes.content_entity(content) for content in contents},
    )


def title(row: Row) -> str:
    """One sentence a ticket can quote."""
    count, first = plural(row["count"], "content"), row["first_offset"]
    one = row["count"] == 1
    if row["kind"] == "foreseen":
        return (
            f"{count} of Protobuf will be rewritten without {'its' if one else 'their'} bytes at the next start of 2.5.8 or "
            f"before, the first at offset {first}"
        )
    return f"{count} {'has' if one else 'have'} a canonical hash that no current version computes, the first at offset {first}"


def why(row: Row) -> str:
    """Which form the hash has, and who will not agree with it."""
    if row["kind"] == "foreseen":
        return (
            "Their canonical hash is that of the schema as Wire prints it, followed by the references: right since 2.4.2. The "
            "upgrader that versions 2.1.3 to 2.5.8 run at every start leaves the references out, takes the hash for "
            "outdated, and writes a Content UPDATE without the content. Compaction then removes the record that holds it."
        )
    outdated = [content for content in row["contents"] if content["family"] not in ("JSON", "Protobuf")]
    form = (
        "It is the hash of the schema as versions before 2.4.0 printed it, or of the bytes as they are."
        if outdated
        else "It is the hash of none of the forms that any version writes."
    )
    danger = (
        "A fixed version runs here: it rewrites such a content once, with its bytes."
        if row["is_fixed"]
        else "For Protobuf, the upgrader that versions 2.1.3 to 2.5.8 run at every start then writes a Content UPDATE "
        "without the content, and compaction removes the record that holds it."
    )
    return f"{form} A schema sent again in another formatting is not recognised by it. {danger}"


def remedy(row: Row) -> str:
    """What to do, in this order."""
    if row["is_fixed"]:
        return steps(
            ["Nothing is lost. If the hash stays after the next start, export and import the artifact again."]
        )
    return steps(
        [
            "Do not restart a registry of 2.1.3 to 2.5.8 on this journal. If one must start, dump the topic before and keep "
            "the cleaner away.",
            start_fixed_version(),
        ]
    )


def headline(findings: list[Finding]) -> str:
    """`canonical hashes differ: a start of 2.5.8 or before will rewrite contents`."""
    foreseen = any(finding.entity == "canonical:foreseen" for finding in findings)
    return (
        "contents will be rewritten without their bytes at the next start of 2.5.8 or before"
        if foreseen
        else "canonical hashes are not what the registry computes"
    )


detector = Detector(
    id="canonical-hash-mismatch",
    title="Canonical hash the registry does not agree with",
    find=find,
    describe=describe,
    headline=headline,
    dialects=("apicurio-v2",),
    rows_of="entries",
    needs=frozenset({"exact-bytes"}),
    follows=("content-null-update",),
)
