"""The records of a page with what a cell may show of them: their bytes, their batch, what the dialect read, their entities.

A value is read up to `DECODED_BYTES`: what is longer is shown by its beginning.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from webapp.reports.queries.kinds import kinds_at
from webapp.reports.results import AT_OFFSETS, WHERE_REPLICA, PartitionResults, Results, Rows

DECODED_BYTES = 16_384
ATTRIBUTES_LETTERS = 65_536

WHOLE = f"""
SELECT "offset", file, batch_position, timestamp_ms, timestamp_type, "key"[1:{DECODED_BYTES + 1}] AS "key", key_is_null,
       value_is_null, key_size_bytes, value_size_bytes, control_type, entry_type, entry_action, key_hash_1, key_hash_2,
       "value"[1:{DECODED_BYTES + 1}] AS "value", producer_id, producer_epoch, sequence, headers[1:20] AS headers
FROM records WHERE {WHERE_REPLICA} AND {AT_OFFSETS} ORDER BY "offset", file, batch_position
"""
ENTRIES = f"""
SELECT "offset", file, entity_id, decode_error,
       CASE WHEN length(attributes) <= {ATTRIBUTES_LETTERS} THEN attributes END AS attributes
FROM entries WHERE {WHERE_REPLICA} AND {AT_OFFSETS}
"""
BATCHES = f"""
SELECT file, position, leader_epoch, magic, base_offset, last_offset, crc_ok FROM batches
WHERE {WHERE_REPLICA} AND (last_offset >= $low AND base_offset <= $high OR NOT crc_ok)
"""
# What a record sets, or else ends: the one entity that it is about; none where it is about several.
ENTITIES = f"""
SELECT "offset", any_value(entity_type) AS entity_type, any_value(entity_id) AS entity_id FROM (
    SELECT DISTINCT origin_offset AS "offset", entity_type, entity_id FROM state
    WHERE {WHERE_REPLICA} AND is_own AND view = 'log' AND origin_offset IN (SELECT unnest($offsets))
) GROUP BY "offset" HAVING count(*) = 1
"""
TRANSACTIONAL = """
SELECT DISTINCT entity_id AS transactional_id, TRY_CAST(attributes->>'producerId' AS BIGINT) AS producer_id
FROM entries WHERE entry_type = 'transaction' AND list_contains($producers, TRY_CAST(attributes->>'producerId' AS BIGINT))
UNION SELECT transactional_id, producer_id FROM captured_transactions WHERE list_contains($producers, producer_id)
"""
NOT_READ = {"entity_id": None, "decode_error": None, "attributes": None}
NO_BATCH = {"leader_epoch": None, "magic": None, "base_offset": None, "last_offset": None, "crc_ok": None}


def whole_records(partition: PartitionResults, offsets: Collection[int]) -> Rows:
    """In the order of their offsets, each with its `kind`, `is_entry`, `about` and the columns of its batch."""
    if not offsets:
        return []
    among = {"offsets": sorted(offsets), "low": min(offsets), "high": max(offsets)}
    entries = {(row["offset"], row["file"]): row for row in partition.rows(ENTRIES, among)}
    ends = {"low": among["low"], "high": among["high"]}
    batches = {(row["file"], row["position"]): row for row in partition.rows(BATCHES, ends)}
    about = {row["offset"]: row for row in partition.rows(ENTITIES, {"offsets": among["offsets"]})}
    kinds = kinds_at(partition, offsets)
    return [
        _joined(row, entries, batches) | {"kind": kinds.get(row["offset"]), "about": about.get(row["offset"])}
        for row in partition.rows(WHOLE, among)
    ]


def _joined(
    row: dict[str, Any], entries: dict[tuple[int, int], dict[str, Any]], batches: dict[tuple[int, int], Any]
) -> dict[str, Any]:
    entry = entries.get((row["offset"], row["file"]))
    batch = batches.get((row["file"], row["batch_position"]), NO_BATCH)
    return {**batch, **(entry or NOT_READ), **row, "is_entry": entry is not None}


def transactional_ids(results: Results, producers: Collection[int]) -> dict[int, str]:
    """By producer ID, where the coordinator's own journal or a capture names it; a producer ID never changes hands."""
    if not producers:
        return {}
    rows = results.rows(TRANSACTIONAL, {"producers": sorted(producers)})
    return {row["producer_id"]: row["transactional_id"] for row in rows if row["transactional_id"]}
