"""Keys and values that only a schema reads, decoded for a rule that reads their members: by the same schemas as in filters."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Any

from spark.tables.members import JSON_OF
from spark.tables.schemas.reader import SchemaReader
from spark.tables.schemas.registered import HAS_UPLOADED, Queryable

MAX_RECORDS = 100_000  # that a rule decodes
MAX_CHARACTERS = 64 << 20  # of their documents
SECONDS = 20.0
RECORD = ("topic", "partition", "replica", "offset", "file")
Documents = Sequence[dict[str, Any]]  # of RECORD, `decoded_key` and `decoded_value`: JSON or None
REGISTERED = """
SELECT 1 FROM files WHERE layout = 'registry-schemas' UNION ALL SELECT 1 FROM state WHERE entity_type = 'schema' LIMIT 1
"""
ENCODED = (
    "coalesce(control_type IS NULL AND {0}_form IN ({1}) AND NOT coalesce(json_valid({2}), false), false)"
)
COUNT = 'SELECT count(*) AS "count" FROM {0} AS r WHERE {1}'
RECORDS = 'SELECT topic, "partition", replica, "offset", file, {2} FROM {0} AS r WHERE {1}'


class TooManyEncoded(Exception):
    """More is encoded with a schema than a rule decodes."""

    def __init__(self) -> None:
        super().__init__(
            "it reads members of keys or values that are encoded with a schema, and there are more than a rule decodes: "
            f"{MAX_RECORDS:,} records in {SECONDS:g} seconds"
        )


def decode(tables: Queryable, source: str, record_fields: Sequence[str]) -> Documents:
    """Of the records whose key or value (`record_fields`) a schema may read: what the first that matches makes of it. Raises
    TooManyEncoded.
    """
    forms = _forms(tables) if record_fields else ""
    if not forms:
        return []
    encoded = {name: ENCODED.format(name, forms, JSON_OF.format(name)) for name in record_fields}
    condition = " OR ".join(encoded.values())
    count = tables.rows(COUNT.format(source, condition))[0]["count"]
    if count > MAX_RECORDS:
        raise TooManyEncoded
    columns = ", ".join(f'CASE WHEN {holds} THEN "{name}" END AS "{name}"' for name, holds in encoded.items())
    rows = tables.rows(RECORDS.format(source, condition, columns)) if count else []
    return _decoded(SchemaReader(tables), rows, record_fields) if rows else []


def _forms(tables: Queryable) -> str:
    """Forms of what a schema at hand may read, as SQL; empty where there is none."""
    if tables.rows(HAS_UPLOADED):
        return "'framed', 'binary'"
    return "'framed'" if tables.rows(REGISTERED) else ""


def _decoded(reader: SchemaReader, rows: Sequence[dict[str, Any]], record_fields: Sequence[str]) -> Documents:
    documents = []
    until, size = monotonic() + SECONDS, 0
    for row in rows:
        members = {f"decoded_{name}": reader.document(row[name]) for name in record_fields}
        size += sum(len(text or "") for text in members.values())
        if size > MAX_CHARACTERS or monotonic() > until:
            raise TooManyEncoded
        if any(members.values()):
            identity = {name: row[name] for name in RECORD}
            documents.append({**identity, "decoded_key": None, "decoded_value": None, **members})
    return documents
