"""Keys and values that only a schema tells, decoded in bulk for a filter: as many as fit into some seconds and megabytes.

The same schemas as on a record's page (`webapp.reports.values.decoded_values`) and in masks of a share: registered, fetched by a
capture, uploaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any

from spark.tables.schemas.reader import SchemaReader
from spark.tables.schemas.registered import HAS_UPLOADED, registered_schemas
from webapp.reports.filters.members import DecodedDocuments
from webapp.reports.results import WHERE_REPLICA, PartitionResults, Rows, remembered

PORTION = 5_000  # records
MAX_TEXT = 64 << 20  # characters of all documents of a filter
PARTS = ("key", "value")
IDS = f"""
SELECT DISTINCT unnest([key_schema_id, value_schema_id]) AS id FROM records WHERE {WHERE_REPLICA}
"""
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
    reader = SchemaReader(partition.results)
    for row in _candidates(partition, low, high):
        if row["offset"] != reached and (monotonic() > until or size > MAX_TEXT):
            return DecodedRange(documents, reached)
        texts = [reader.document(row[field_name]) for field_name in PARTS]
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
    if results.count("properties") and results.row(HAS_UPLOADED):
        return True
    ids = (row["id"] for row in partition.rows(IDS))
    return any(
        schema.is_readable for id in ids if id is not None for schema in registered_schemas(results, id)
    )
