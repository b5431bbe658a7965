"""Legacy content hash: contents with references whose hash leaves the references out, as before 2.4.2.

Always innocent: worth knowing when hashes are compared. Page: docs/detectors/legacy-content-hash.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.apicurio import _hash_words as hashes
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import plural, steps

MAX_LISTED = 50

LEGACY = f"""
    WITH legacy AS (SELECT * FROM hash_suspects WHERE content_form = 'legacy'),
    contents AS (
        SELECT {REPLICA_COLUMNS}, tenant, content_id, content_hash, min("offset") AS "offset" FROM legacy GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, count(*) AS count, min("offset") AS first_offset, max("offset") AS last_offset,
        list({{'tenant': tenant, 'content_id': content_id, 'content_hash': content_hash, 'offset': "offset"}}
            ORDER BY "offset")[:{MAX_LISTED}] AS contents
    FROM contents GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per partition."""
    hashes.suspects(tables)
    return tables.rows(LEGACY)


def describe(row: Row) -> Finding:
    """The row in words."""
    contents, count = row["contents"], row["count"]
    have = "has a contentHash" if count == 1 else "have contentHashes"
    return Finding(
        detector="legacy-content-hash",
        severity="info",
        title=f"{plural(count, 'content')} with references {have} in the form of before 2.4.2",
        explanation=(
            f"These are {hashes.contents_named(contents)}. Their contentHash is the SHA-256 of the content alone; since "
            "2.4.2 the references are hashed behind it. Registries up to 2.4.1 wrote this form, and imports that do not "
            "keep content ids wrote it until 2.5.8, as does the export tool for Confluent registries. The registry reads "
            "these contents as well as any. The same schema with the same references, sent again, gets a second content."
        ),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        evidence=hashes.offsets(contents),
        remedy=steps(
            [
                "Nothing needs to be done. Versions from 2.5.9 on write the new hashes once, at their first start."
            ]
        ),
        references=hashes.HASHES,
        entities={hashes.content_entity(content) for content in contents},
    )


def headline(findings: list[Finding]) -> str:
    """`contents have hashes of the old form`."""
    return "contents with references have hashes of the old form"


detector = Detector(
    id="legacy-content-hash",
    title="Content hash of the old form",
    find=find,
    describe=describe,
    headline=headline,
    dialects=("apicurio-v2",),
    rows_of="entries",
)
