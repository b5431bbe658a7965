"""What the detectors of hashes share: a content record as a row, its name in words, and the registry's own words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.typed_wording import some

MAX_NAMED = 10

# A content as findings name it, in SQL.
CONTENT = """{'tenant': tenant, 'content_id': content_id, 'content_hash': content_hash, 'offset': "offset"}"""

# Content records whose hashes are worth a word, with the members that findings name. Reading the attributes is what
# takes the time, so the detectors of hashes ask once, and the raw text before the JSON.
SUSPECTS = """
    SELECT topic, partition, replica, "offset", entry_type, entity_id,
        coalesce(attributes->>'$.tenantId', '_') AS tenant,
        attributes->>'$.contentId' AS content_id,
        attributes->>'$.contentHash' AS content_hash,
        attributes->>'$.contentHashForm' AS content_form,
        attributes->>'$.canonicalHashForm' AS canonical_form,
        attributes->>'$.canonicalHashOf' AS family
    FROM entries WHERE entry_type IN ('Content', 'ContentV2') AND (
        contains(attributes, 'HashForm":"mismatch"') OR contains(attributes, 'HashForm":"legacy"')
        OR contains(attributes, 'HashForm":"other"')
        OR (contains(attributes, '"canonicalHashOf":"Protobuf"') AND contains(attributes, '"references":[{'))
    )
"""


def suspects(tables: ResultTables) -> str:
    """The name of the table of SUSPECTS."""
    tables.materialize("hash_suspects", SUSPECTS)
    return "hash_suspects"


def content_entity(content: Row) -> str:
    """How findings name a content, so that causes and consequences meet."""
    return f"content:{content['tenant']}/{content['content_hash']}"


def contents_named(contents: Sequence[dict[str, Any]]) -> str:
    """`content 3 (offset 14) and content 7 (offset 31)`."""
    return some(
        [
            f"content {marked.entity(c['content_id'], 'content')} (offset {marked.offset(c['offset'])})"
            for c in contents
        ],
        MAX_NAMED,
    )


def offsets(contents: Sequence[dict[str, Any]]) -> list[int]:
    """Where the records stand, in order."""
    return sorted({content["offset"] for content in contents})
