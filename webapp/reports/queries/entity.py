"""One entity: its intervals, how it ends in every replay, the records that speak of it, what belongs to it."""

from __future__ import annotations

from typing import Any

from webapp.reports.queries.state import IN_ORDER, RUN, ReplayView
from webapp.reports.results import WHERE_REPLICA, PartitionResults, Rows

INTERVALS_PER_PAGE = 50
SPANS_DRAWN = 500
PARTS_SHOWN = 200
REJECTIONS_SHOWN = 50

IT = "entity_type = $entity_type AND entity_id = $entity_id"
LIVED = "(valid_to_offset IS NULL OR valid_to_offset > valid_from_offset)"
INTERVALS = f"""
SELECT attributes, valid_from_offset, valid_to_offset, origin_offset FROM state
WHERE {RUN} AND {IT} AND {LIVED} AND valid_from_offset >= $first
ORDER BY valid_from_offset LIMIT {INTERVALS_PER_PAGE + 1}
"""
BEFORE = f"""
SELECT attributes, valid_from_offset, valid_to_offset, origin_offset FROM state
WHERE {RUN} AND {IT} AND {LIVED} AND valid_from_offset < $first ORDER BY valid_from_offset DESC LIMIT 1
"""
SPAN = f"""
SELECT count(*) AS intervals, min(valid_from_offset) AS first_offset,
       max(valid_to_offset) AS last_offset, bool_or(valid_to_offset IS NULL) AS is_held
FROM state WHERE {RUN} AND {IT} AND {LIVED}
"""
SPANS = f"""
SELECT valid_from_offset, valid_to_offset FROM state WHERE {RUN} AND {IT} AND {LIVED}
ORDER BY valid_from_offset LIMIT {SPANS_DRAWN}
"""
ENDS = f"""
SELECT profile, view, attributes, origin_offset FROM state
WHERE {WHERE_REPLICA} AND {IT} AND valid_to_offset IS NULL
"""
REJECTED = f"""
SELECT "offset", reason, needs, available_from_offset FROM refusals WHERE {RUN} AND {IT}
ORDER BY "offset" LIMIT {REJECTIONS_SHOWN + 1}
"""
LACKING = f"""
SELECT needs, any_value(entity_id) AS entity_id FROM refusals
WHERE {WHERE_REPLICA} AND is_own AND view = 'log' AND needs IN (SELECT unnest($needs))
AND entity_type = 'content' AND starts_with(needs, 'content:') GROUP BY needs HAVING count(DISTINCT entity_id) = 1
"""
PARTS = f"""
SELECT entity_type, entity_id, attributes, valid_from_offset, origin_offset, count(*) OVER () AS parts
FROM state WHERE {RUN} AND valid_to_offset IS NULL AND starts_with(entity_id, $entity_id || '/')
ORDER BY {IN_ORDER} LIMIT {PARTS_SHOWN}
"""
NAMED = f"""
SELECT entity_type, entity_id, arg_max(attributes, valid_from_offset) AS attributes,
       arg_max(origin_offset, valid_from_offset) AS origin_offset,
       bool_or(valid_to_offset IS NULL) AS is_held
FROM state WHERE {RUN} AND entity_id IN (SELECT unnest($ids)) GROUP BY entity_type, entity_id
"""
KNOWN = f"""
SELECT entity_type, entity_id FROM state
WHERE {WHERE_REPLICA} AND is_own AND view = 'log' AND entity_id IN (SELECT unnest($ids))
UNION
SELECT entity_type, entity_id FROM refusals
WHERE {WHERE_REPLICA} AND is_own AND view = 'log' AND entity_id IN (SELECT unnest($ids)) ORDER BY ALL
"""
ORIGINS = f"""
SELECT entity_id, min(origin_offset) AS origin_offset
FROM state WHERE {RUN} AND entity_type = $entity_type AND entity_id IN (SELECT unnest($ids)) GROUP BY entity_id
"""
SAME_CONTENT = f"""
WITH contents AS (
    SELECT "offset", entity_id, attributes ->> '$.contentHash' AS content_hash, attributes ->> '$.has_content' = 'true' AS has_content
    FROM entries WHERE {WHERE_REPLICA} AND entry_type IN ('Content', 'ContentV2')
)
SELECT lost.entity_id, max(held."offset") AS "offset" FROM contents AS lost JOIN contents AS held USING (content_hash)
WHERE list_contains($ids, lost.entity_id) AND held.has_content GROUP BY lost.entity_id
"""
USERS = f"""
SELECT entity_type, entity_id, attributes, origin_offset, true AS is_held, count(*) OVER () AS users
FROM state WHERE {RUN} AND valid_to_offset IS NULL AND entity_type <> $entity_type AND NOT starts_with(entity_id, $below)
AND (contains(attributes, $as_number || ',') OR contains(attributes, $as_number || '}}') OR contains(attributes, $as_text))
ORDER BY {IN_ORDER} LIMIT {PARTS_SHOWN}
"""
DID = f"""
SELECT entity_type, entity_id, min(valid_from_offset) AS valid_from_offset,
       bool_or(origin_offset = $offset OR valid_from_offset = $offset) AS is_set,
       bool_or(valid_to_offset = $offset) AS is_ended
FROM state WHERE {WHERE_REPLICA} AND is_own AND view = 'log'
AND (origin_offset = $offset OR valid_from_offset = $offset OR valid_to_offset = $offset)
GROUP BY entity_type, entity_id ORDER BY entity_type, entity_id LIMIT {PARTS_SHOWN}
"""
MOMENTS = f"""
SELECT "offset", max(timestamp_ms) AS timestamp_ms FROM lifelines
WHERE {WHERE_REPLICA} AND "offset" IN (SELECT unnest($offsets)) GROUP BY "offset"
"""
ENTRIES = f"""
SELECT "offset", entry_type, entry_action FROM entries
WHERE {WHERE_REPLICA} AND "offset" IN (SELECT unnest($offsets))
"""


def span_of(partition: PartitionResults, replay: ReplayView, entity: dict[str, str]) -> dict[str, Any]:
    """Number of intervals, first and last offset; `is_held`: whether it exists at the end."""
    return partition.row(SPAN, replay.values | entity) or {"intervals": 0}


def intervals_of(
    partition: PartitionResults, replay: ReplayView, entity: dict[str, str], first: int
) -> tuple[Rows, int | None]:
    """A page of intervals from an offset on, with the one before it, and the offset where the next page begins."""
    values = replay.values | entity | {"first": first}
    rows = partition.rows(INTERVALS, values)
    following = rows[INTERVALS_PER_PAGE]["valid_from_offset"] if len(rows) > INTERVALS_PER_PAGE else None
    before = partition.row(BEFORE, values)
    rows = rows[:INTERVALS_PER_PAGE]
    for earlier, later in zip([before, *rows], rows, strict=False):
        later["before"] = earlier
    return rows, following


def spans_of(partition: PartitionResults, replay: ReplayView, entity: dict[str, str]) -> Rows:
    return partition.rows(SPANS, replay.values | entity)


def ends_of(partition: PartitionResults, entity: dict[str, str]) -> dict[ReplayView, dict[str, Any]]:
    """By replay: its last row. A replay without the entity is left out."""
    return {ReplayView(row["profile"], row["view"]): row for row in partition.rows(ENDS, entity)}


def rejections_of(partition: PartitionResults, replay: ReplayView, entity: dict[str, str]) -> Rows:
    """Entries about it that the service rejects; one more than is shown where there are more."""
    return partition.rows(REJECTED, replay.values | entity)


def parts_of(partition: PartitionResults, replay: ReplayView, entity_id: str) -> Rows:
    """Entities at the end whose ids begin with this one; each row counts all of them in `parts`."""
    return partition.rows(PARTS, replay.values | {"entity_id": entity_id}) if entity_id else []


def named(
    partition: PartitionResults,
    replay: ReplayView,
    pairs: set[tuple[str, str]],
    ids: set[str],
) -> Rows:
    """Those of the (type, id) pairs, and of the ids of whatever type, that exist or did."""
    names = sorted({pair[1] for pair in pairs} | ids)
    rows = partition.rows(NAMED, replay.values | {"ids": names}) if names else []
    return [row for row in rows if row["entity_id"] in ids or (row["entity_type"], row["entity_id"]) in pairs]


def origins_of(
    partition: PartitionResults, replay: ReplayView, entity_type: str, ids: list[str]
) -> dict[str, int]:
    """By id: offset of the record that first set the entity."""
    values = replay.values | {"entity_type": entity_type, "ids": ids}
    return {row["entity_id"]: row["origin_offset"] for row in partition.rows(ORIGINS, values)}


def records_with_content_of(partition: PartitionResults, ids: list[str]) -> dict[str, int]:
    """By id of a content the last record with the same content, under this id or another."""
    rows = partition.rows(SAME_CONTENT, {"ids": ids}) if ids else []
    return {row["entity_id"]: row["offset"] for row in rows}


def users_of(partition: PartitionResults, replay: ReplayView, entity: dict[str, str]) -> Rows:
    """Entities at the end that name this one by `<type>Id`; each row counts all of them in `users`."""
    if not entity["entity_id"] or "/" in entity["entity_id"]:
        return []
    name = f'"{entity["entity_type"]}Id":'
    texts = {"as_number": name + entity["entity_id"], "as_text": f'{name}"{entity["entity_id"]}"'}
    values = {"entity_type": entity["entity_type"], "below": entity["entity_id"] + "/"}
    return partition.rows(USERS, replay.values | texts | values)


def what_a_record_did(partition: PartitionResults, offset: int) -> Rows:
    """Entities that begin, change or end at this record, by the own service's rules."""
    return partition.rows(DID, {"offset": offset})


def lacking_contents(partition: PartitionResults, needs: list[str]) -> dict[str, str]:
    """By what rejected entries need (`content:_/acfb…`): the id of the one content that is rejected because it is that itself."""
    rows = partition.rows(LACKING, {"needs": needs}) if needs else []
    return {row["needs"]: row["entity_id"] for row in rows}


def types_of(partition: PartitionResults, ids: list[str]) -> dict[str, list[str]]:
    """By id, the types of the entities that have it, had it, or were rejected, by the own service's rules."""
    types: dict[str, list[str]] = {}
    for row in partition.rows(KNOWN, {"ids": ids}) if ids else []:
        types.setdefault(row["entity_id"], []).append(row["entity_type"])
    return types


def moments_of(partition: PartitionResults, offsets: list[int]) -> dict[int, dict[str, Any]]:
    """By offset: time, entry type and action of the record."""
    if not offsets:
        return {}
    values = {"offsets": offsets}
    entries = {row["offset"]: row for row in partition.rows(ENTRIES, values)}
    rows = partition.rows(MOMENTS, values)
    return {row["offset"]: {**entries.get(row["offset"], {}), **row} for row in rows}
