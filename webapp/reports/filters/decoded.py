"""Keys and values that only a schema tells, decoded in bulk for a filter: as many as fit into some seconds and megabytes.

The same schemas as on a record's page (`webapp.reports.values.decoded_values`): registered, fetched by a capture, uploaded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

from spark.codecs.avro import InvalidAvro
from spark.codecs.candidate_schemas import MAX_BYTES, SchemaMatches
from spark.codecs.protobuf import InvalidProtobuf
from spark.codecs.registry_framing import frame_of
from spark.tables.schemas.registered import RegisteredSchema, registered_schemas
from webapp.reports.filters.members import DecodedDocuments
from webapp.reports.results import WHERE_REPLICA, PartitionResults, Results, Rows, remembered
from webapp.reports.values.decoded_values import try_uploaded

PORTION = 5_000  # records
MAX_TEXT = 64 << 20  # characters of all documents of a filter
PARTS = ("key", "value")
IDS = f"""
SELECT DISTINCT unnest([key_schema_id, value_schema_id]) AS id FROM records WHERE {WHERE_REPLICA}
"""
UPLOADED = "SELECT 1 AS found FROM files WHERE layout IN ('avro-schema', 'protobuf-descriptors') LIMIT 1"
CANDIDATES = f"""
SELECT "offset", "key", "value" FROM records WHERE {WHERE_REPLICA} AND "offset" BETWEEN $low AND $high
AND (key_form IN ('framed', 'binary') OR value_form IN ('framed', 'binary')) ORDER BY "offset" LIMIT {PORTION}
"""


@dataclass(frozen=True)
class DecodedRange:
    """What was decoded, and up to which offset."""

    documents: DecodedDocuments
    reached: int


def decode_range(partition: PartitionResults, low: int, high: int, seconds: float) -> DecodedRange:
    """The records of these offsets, until the time is over; nothing where no schema is at hand."""
    documents = DecodedDocuments()
    if not has_schemas(partition):
        return DecodedRange(documents, high)
    until, size, reached = monotonic() + seconds, 0, low - 1
    read = partial(read_document, partition.results)
    for row in _candidates(partition, low, high):
        if row["offset"] != reached and (monotonic() > until or size > MAX_TEXT):
            return DecodedRange(documents, reached)
        texts = [read(None if row[field_name] is None else bytes(row[field_name])) for field_name in PARTS]
        if any(texts):
            documents.offsets.append(row["offset"])
            documents.keys.append(texts[0])
            documents.values.append(texts[1])
            size += sum(len(text or "") for text in texts)
        reached = row["offset"]
    return DecodedRange(documents, high)


def _candidates(partition: PartitionResults, low: int, high: int) -> Iterator[dict[str, Any]]:
    while low <= high:
        rows: Rows = partition.arrow(CANDIDATES, {"low": low, "high": high}).to_pylist()
        yield from rows
        if len(rows) < PORTION:
            return
        low = rows[-1]["offset"] + 1


@remembered
def has_schemas(partition: PartitionResults) -> bool:
    """Whether a schema could read a key or value of this partition."""
    results = partition.results
    if results.count("properties") and results.row(UPLOADED):
        return True
    ids = (row["id"] for row in partition.rows(IDS))
    return any(schema.is_readable for id in ids if id is not None for schema in _schemas(results, id))


@remembered
def _schemas(results: Results, schema_id: int) -> list[RegisteredSchema]:
    return registered_schemas(results, schema_id)


def read_document(results: Results, data: bytes | None) -> str | None:
    """What a schema makes of a key or value, as JSON; None where none reads it."""
    if not data or len(data) > MAX_BYTES:
        return None
    frame = frame_of(data)
    if frame is None:
        return _by_uploaded(try_uploaded(results, data))
    schemas = _schemas(results, frame.schema_id)
    for schema in schemas:
        if not schema.is_readable:
            continue
        try:
            return json.dumps(schema.read(data[frame.start :])[1])
        except (InvalidAvro, InvalidProtobuf, ValueError, RecursionError):
            continue
    if any(schema.is_readable for schema in schemas):
        return None
    return _by_uploaded(try_uploaded(results, data, frame.start, only_protobuf=bool(schemas)))


def _by_uploaded(matches: SchemaMatches | None) -> str | None:
    return json.dumps(matches.matches[0].value) if matches and matches.matches else None
