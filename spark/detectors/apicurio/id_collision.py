"""One id for two things: the registry keeps what came first and drops the other one's record.

Innocent: an id given again after its holder was deleted; one content written twice at once by two nodes
(concurrent-create); the same record again. Page: docs/detectors/id-collision.md
"""

from __future__ import annotations

from spark.detectors import Detector, located, query
from spark.detectors._effects import on_entities
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural, version_name

# One row per record that came second.
# Replay refuses the second of two; the first is what holds its id at that offset. Of one hash under two ids the second
# matters only where a version asks for it by its id and finds nothing.
COLLISIONS = f"""
    WITH refused AS (
        SELECT {REPLICA_COLUMNS}, "offset", entity_type, entity_id, reason, needs FROM refusals
        WHERE view = 'log' AND is_own AND entity_type IN ('version', 'content')
            AND reason IN ('id-taken', 'already-exists')
    ),
    needed AS (
        SELECT DISTINCT {REPLICA_COLUMNS}, needs FROM refusals
        WHERE view = 'log' AND is_own AND entity_type = 'version'
            AND reason IN ('content-missing', 'content-null', 'content-later')
    ),
    counted AS (
        SELECT * FROM refused WHERE reason = 'id-taken'
        UNION ALL
        SELECT refused.* FROM refused
        SEMI JOIN needed ON refused.entity_type = 'content' AND refused.reason = 'already-exists'
            AND (needed.topic, needed.partition, needed.replica) = (refused.topic, refused.partition, refused.replica)
            AND needed.needs IN (refused.needs, regexp_replace(refused.needs, '[^/]*$', '#' || refused.entity_id))
    ),
    members AS (
        SELECT {REPLICA_COLUMNS}, "offset", attributes ->> '$.globalId' AS global_id, attributes ->> '$.contentId' AS content_id,
            attributes ->> '$.contentHash' AS hash
        FROM entries SEMI JOIN counted USING ({REPLICA_COLUMNS}, "offset")
    ),
    holders AS (
        SELECT {REPLICA_COLUMNS}, entity_type, entity_id, valid_from_offset, valid_to_offset, origin_offset,
            attributes ->> '$.globalId' AS global_id, attributes ->> '$.contentId' AS content_id,
            attributes ->> '$.contentHash' AS hash, coalesce(attributes ->> '$.tenantId', '_') AS tenant
        FROM state WHERE view = 'log' AND is_own AND entity_type IN ('version', 'content')
            AND EXISTS (SELECT 1 FROM counted)
    )
    SELECT counted.*, members.global_id, members.content_id, members.hash, holders.entity_id AS holder,
        holders.origin_offset AS holder_offset, holders.hash AS holder_hash
    FROM counted JOIN members USING ({REPLICA_COLUMNS}, "offset")
    LEFT JOIN holders ON (holders.topic, holders.partition, holders.replica)
            = (counted.topic, counted.partition, counted.replica)
        AND holders.entity_type = counted.entity_type
        AND holders.valid_from_offset < counted."offset"
        AND (holders.valid_to_offset IS NULL OR holders.valid_to_offset > counted."offset")
        AND CASE WHEN counted.entity_type = 'version' THEN counted.needs IN ('version:' || holders.tenant || '/'
                || holders.entity_id, 'version:' || holders.entity_id)
            WHEN counted.reason = 'id-taken' THEN holders.entity_id = counted.entity_id
            ELSE holders.hash = members.hash END
    QUALIFY row_number() OVER (PARTITION BY counted.topic, counted.partition, counted.replica, counted."offset"
        ORDER BY holders.valid_from_offset DESC) = 1
    ORDER BY {REPLICA_COLUMNS}, "offset"
"""


def describe(row: Row) -> Finding:
    holder = row["holder_offset"]
    offsets = [offset for offset in (holder, row["offset"]) if offset is not None]
    return Finding(
        detector=detector.id,
        severity="critical",
        effects=on_entities("rejected", row["entity_type"], [row["entity_id"]]),
        title=title(row),
        explanation=explanation(row),
        **located(row, offsets[0], row["offset"]),
        entity=f"{row['entity_type']}:{row['entity_id']}@{row['offset']}",
        evidence=offsets,
        remedy=remedy(row),
        references=detector.references,
        entities={str(row["needs"]), f"{row['entity_type']}:{row['entity_id']}", f"sequence:{sequence(row)}"},
    )


def sequence(row: Row) -> str:
    """The sequence the id came from."""
    return "globalId" if row["entity_type"] == "version" else "contentId"


def title(row: Row) -> str:
    """One sentence a ticket can quote."""
    if row["entity_type"] == "version":
        second = version_name(row["entity_id"])
        first = version_name(row["holder"] or row["needs"].partition(":")[2])
        return f"{second} cannot be read: its globalId {marked.name(row['global_id'])} (offset {marked.offset(row['offset'])}) already belongs to {first}"
    if row["reason"] == "id-taken":
        return (
            f"Content {short(row['hash'])} is not stored: its contentId {marked.entity(row['content_id'], 'content')} (offset {marked.offset(row['offset'])}) already belongs "
            f"to content {short(row['holder_hash'])}"
        )
    return (
        f"Content {short(row['hash'])} has two contentIds: {marked.name(row['holder'])} and {marked.entity(row['content_id'], 'content')} (offset {marked.offset(row['offset'])}); a "
        f"version needs {marked.entity(row['content_id'], 'content')}"
    )


def short(content_hash: str | None) -> str:
    """The beginning of a hash: enough to find it."""
    return f"{marked.hash_of(content_hash[:12], content_hash)}..." if content_hash else "with another hash"


def explanation(row: Row) -> str:
    """Who wins, who loses."""
    first = (
        f"offset {marked.offset(row['holder_offset'])}"
        if row["holder_offset"] is not None
        else "an earlier record"
    )
    loses = {
        "version": "The version cannot be read. Clients that use its globalId get the other artifact's schema.",
        "content": (
            "Its content is not stored. The registry also rejects artifact records that need it. Clients that use its ID get "
            "other content."
        ),
    }[row["entity_type"]]
    return (
        f"The ID belongs to {first}, which is still in force at offset {marked.offset(row['offset'])}. An ID is unique, so the registry rejects "
        f"the second record at every start. {loses} IDs repeat if a sequence restarts. Possible causes: compaction removed the "
        "records that draw IDs, they were lost with the start of the log, or an import used IDs that already existed."
    )


def headline(findings: list[Finding]) -> str:
    """`2 records are rejected: their IDs were already in use`."""
    if len(findings) == 1:
        return "1 record is rejected: its ID was already in use"
    return f"{plural(len(findings), 'record')} are rejected: their IDs were already in use"


def remedy(row: Row) -> str:
    """The version or content gets an ID of its own."""
    is_version = row["entity_type"] == "version"
    return detector.remedy(
        topic=row["topic"],
        version_or_content=version_name(row["entity_id"])
        if is_version
        else f"content {marked.entity(row['entity_id'])}",
        it_is_content=row["entity_type"] == "content",
        offset=row["offset"],
    )


detector = Detector(
    id="id-collision",
    title="Duplicate ID",
    find=query(COLLISIONS),
    describe=describe,
    headline=headline,
    dialects=("apicurio-v2",),
    rows_of="refusals",
    scope="partition",
)
