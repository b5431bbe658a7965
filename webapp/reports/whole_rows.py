"""Whole records as rows, and rows of any table as JSON has them: for the API and the command line."""

from __future__ import annotations

from binascii import b2a_base64
from typing import Any

from spark.codecs import json_text
from webapp.reports.queries.keys import key_id
from webapp.reports.queries.kinds import kinds_at
from webapp.reports.results import AT_OFFSETS, WHERE_REPLICA, PartitionResults, Results, Rows
from webapp.reports.values.decoded_values import decoded_document

HASHES = ("key_hash_1", "key_hash_2")
WHOLE = f"""
SELECT r.*, e.entity_id, e.decode_error, e.attributes, e.file IS NOT NULL AS is_entry FROM records AS r
LEFT JOIN (SELECT "offset", file, entity_id, decode_error, attributes FROM entries
           WHERE {WHERE_REPLICA} AND {AT_OFFSETS}) AS e
  ON e."offset" = r."offset" AND e.file = r.file
WHERE r.topic = $topic AND r.partition = $partition AND r.replica = $replica
  AND r."offset" BETWEEN $low AND $high AND r."offset" IN (SELECT unnest($offsets))
ORDER BY r."offset", r.file, r.batch_position
"""


def whole(partition: PartitionResults, offsets: list[int]) -> Rows:
    """All of the records at these offsets, decoded, with what the dialect read in them."""
    if not offsets:
        return []
    kinds = kinds_at(partition, offsets)
    rows = partition.rows(WHOLE, {"offsets": offsets, "low": min(offsets), "high": max(offsets)})
    return [_decoded(partition.results, row) | {"kind": kinds.get(row["offset"])} for row in rows]


def _decoded(results: Results, row: dict[str, Any]) -> dict[str, Any]:
    own = dict(row)
    attributes, is_entry = own.pop("attributes"), own.pop("is_entry")
    key, value = (None if row[f"{side}_is_null"] else bytes(row[side] or b"") for side in ("key", "value"))
    of_value = None if row["decode_error"] else attributes
    return own | {
        "decoded_key": decoded_document(results, key, None, is_entry),
        "decoded_value": decoded_document(results, value, of_value, is_entry),
    }


def as_json(row: dict[str, Any]) -> dict[str, Any]:
    """A row as JSON has it: bytes in base64, hashes as one id, the order's own column gone."""
    members = {
        name: _value(name, value) for name, value in row.items() if name not in (*HASHES, "ordered_by")
    }
    for field in ("key", "value"):
        if row.get(f"{field}_is_null"):
            members[field] = None
    if HASHES[0] in row:
        members["key_id"] = key_id(row["key_hash_1"], row["key_hash_2"])
    return members


def _value(name: str, value: Any) -> Any:
    if name == "attributes":
        return _attributes(value)
    if name == "headers":
        return _headers(value)
    return _payload(bytes(value)) if isinstance(value, bytes | bytearray | memoryview) else value


def _payload(data: bytes | None) -> dict[str, Any] | None:
    """`{"base64": "...", "text": "..." or null}`; None for null."""
    if data is None:
        return None
    whole = bytes(data)
    try:
        text = whole.decode()
    except UnicodeDecodeError:
        text = None
    return {"base64": b2a_base64(whole, newline=False).decode("ascii"), "text": text}


def _headers(pairs: list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
    """In order, duplicates kept; None where the layout carries none."""
    if pairs is None:
        return None
    return [{"key": _payload(header["key"] or b""), "value": _payload(header["value"])} for header in pairs]


def _attributes(text: str | None) -> Any:
    """What a dialect read, as an object; the text itself where it is no JSON."""
    if text is None:
        return None
    try:
        return json_text.read(text, parse_constant=str)
    except ValueError:
        return text
