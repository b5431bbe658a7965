"""Legacy content hash: contents with references whose hash leaves the references out, as before 2.4.2.

Always innocent: worth knowing when hashes are compared. Page: docs/detectors/legacy-content-hash.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.apicurio import _hash_words as hashes
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural

MAX_LISTED = 50

# One row per partition.
LEGACY = f"""
    WITH legacy AS (SELECT * FROM hash_suspects WHERE content_form = 'legacy'),
    contents AS (
        SELECT {REPLICA_COLUMNS}, tenant, content_id, content_hash, min("offset") AS "offset" FROM legacy GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, count(*) AS count, min("offset") AS first_offset, max("offset") AS last_offset,
        list({hashes.CONTENT} ORDER BY "offset")[:{MAX_LISTED}] AS contents
    FROM contents GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""


def describe(row: Row) -> Finding:
    contents, count = row["contents"], row["count"]
    have = "has a contentHash" if count == 1 else "have contentHashes"
    first = (
        f"This is {hashes.contents_named(contents)}. Its"
        if count == 1
        else f"These are {hashes.contents_named(contents)}. Their"
    )
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"{plural(count, 'content item')} with references {have} as written before 2.4.2",
        explanation=(
            f"{first} contentHash is the SHA-256 of the content only. Since 2.4.2 the hash also covers the references. Registries "
            "up to 2.4.1 write this form. Imports that do not keep content IDs write it up to 2.5.8, and so does the export tool "
            "for Confluent registries. The registry can read such content. If a client sends the same schema with the same "
            "references again, the registry stores it a second time."
        ),
        **located(row),
        evidence=hashes.offsets(contents),
        remedy=detector.remedy(),
        references=detector.references,
        entities={hashes.content_entity(content) for content in contents},
    )


detector = Detector(
    id="legacy-content-hash",
    title="Content hash as written before 2.4.2",
    find=query(LEGACY, prepare=hashes.suspects),
    describe=describe,
    headline=clause("content with references has hashes as written before 2.4.2"),
    dialects=("apicurio-v2",),
    rows_of="entries",
    scope="partition",
)
