"""Content hash mismatch: the hash in the key is not that of the bytes in the value.

Innocent: the form of versions before 2.4.2, without the references (legacy-content-hash).
Page: docs/detectors/content-hash-mismatch.md
"""

from __future__ import annotations

from spark.detectors import Detector, located, query
from spark.detectors._effects import on_entities
from spark.detectors._words import damaged
from spark.detectors.apicurio import _hash_words as hashes
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, plural

MANY = 20  # more in one partition have one cause: the dump or its tool; one finding names them together
MAX_EVIDENCE = 50

# One row per content; one per partition where there are many.
MISMATCHES = f"""
    WITH wrong AS (SELECT * FROM hash_suspects WHERE content_form = 'mismatch'),
    contents AS (
        SELECT {REPLICA_COLUMNS}, tenant, content_id, content_hash,
            min("offset") AS "offset", list("offset" ORDER BY "offset") AS copies
        FROM wrong GROUP BY ALL
    ),
    counted AS (SELECT *, count(*) OVER (PARTITION BY {REPLICA_COLUMNS}) AS of_partition FROM contents)
    SELECT {REPLICA_COLUMNS}, list({{'tenant': tenant, 'content_id': content_id, 'content_hash': content_hash,
        'offset': "offset", 'copies': copies}} ORDER BY "offset") AS contents
    FROM counted GROUP BY {REPLICA_COLUMNS}, CASE WHEN of_partition > {MANY} THEN -1 ELSE "offset" END
    ORDER BY {REPLICA_COLUMNS}, min("offset")
"""


def describe(row: Row) -> Finding:
    contents = row["contents"]
    offsets = sorted({offset for content in contents for offset in content["copies"]})
    first = contents[0]
    return Finding(
        detector=detector.id,
        severity="high",
        effects=on_entities("changed", "content", [content["content_id"] for content in contents]),
        title=title(contents, offsets),
        explanation=explanation(contents),
        **located(row, *offsets),
        entity=f"{hashes.content_entity(first)}#{first['content_id']}" if len(contents) == 1 else None,
        evidence=offsets[:MAX_EVIDENCE],
        remedy=detector.remedy(topic=row["topic"]),
        references=detector.references,
        entities={hashes.content_entity(content) for content in contents}
        | {damaged(offset) for offset in offsets[:MAX_EVIDENCE]},
    )


def title(contents: list[dict[str, object]], offsets: list[int]) -> str:
    """One sentence a ticket can quote."""
    if len(contents) == 1:
        return f"Content {marked.entity(contents[0]['content_id'], 'content')} at {at_offsets(offsets)} is wrong: its bytes do not match its contentHash"
    return (
        f"{plural(len(contents), 'content item')} are wrong: their bytes do not match their contentHash, the first at offset "
        f"{marked.offset(offsets[0])}"
    )


def explanation(contents: list[dict[str, object]]) -> str:
    """What does not match, and what follows."""
    which = (
        f"The key contains contentHash {marked.hash_of(str(contents[0]['content_hash']))}."
        if len(contents) == 1
        else f"Affected: {hashes.contents_named(contents)}."
    )
    return (
        f"{which} The SHA-256 of the bytes in the value differs, with the references after the content (as since 2.4.2) and "
        "without them (as before). The registry does not check the hash. It serves these bytes for artifacts that refer to "
        "this hash. If a client sends the same schema again, the registry stores it as new content. Possible causes: a tool "
        "that copied the topic changed the bytes, a tool treated the content as text, or the dump does not contain the exact "
        "bytes."
    )


def headline(findings: list[Finding]) -> str:
    """`2 content items are wrong: their bytes do not match their contentHash`."""
    if len(findings) == 1:
        return findings[0].marked["title"][:1].lower() + findings[0].marked["title"][1:]
    return f"{plural(len(findings), 'content item')} are wrong: their bytes do not match their contentHash"


detector = Detector(
    id="content-hash-mismatch",
    title="Content hash mismatch",
    find=query(MISMATCHES, prepare=hashes.suspects),
    describe=describe,
    headline=headline,
    dialects=("apicurio-v2",),
    rows_of="entries",
    scope="partition",
    needs=frozenset({"exact-bytes"}),
    follows=("crc-mismatch",),
)
