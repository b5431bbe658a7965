"""Keys and values that a schema reads: by the schema of their frame, else by every schema that was uploaded. For masks of a share,
for filters, rules and detectors that look at members; what a page says beside a decoded value is webapp/reports/values/decoded_values.py.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from spark.codecs.avro import InvalidAvro
from spark.codecs.candidate_schemas import MAX_BYTES, SchemaMatches, match_schemas, read_schemas
from spark.codecs.protobuf import InvalidProtobuf
from spark.codecs.registry_framing import Frame, frame_of
from spark.tables.schemas.registered import Queryable, RegisteredSchema, registered_schemas, schema_files

MAX_IDS = 10_000
NAMED_IN_JOURNALS = """
SELECT 1 FROM records WHERE topic IN (SELECT topic FROM state WHERE entity_type = 'schema')
AND NOT value_is_null AND regexp_matches(TRY(decode("value")), $pattern) LIMIT 1
"""
NAMED_IN_FILES = """
SELECT 1 FROM properties AS p JOIN files AS f USING (file) WHERE f.layout IN ('avro-schema', 'registry-schemas')
AND regexp_matches(p."value", $pattern) LIMIT 1
"""
DESCRIPTORS = "SELECT 1 FROM files WHERE layout = 'protobuf-descriptors' LIMIT 1"  # packed: not searched


class NotAllTried(Exception):
    """There are more schemas than could be tried: one of the others may be the value's."""


class SchemaReader:
    """Reads bytes by the schemas of an inspection: those of registries in it, those that were fetched or uploaded."""

    def __init__(self, tables: Queryable) -> None:
        self._uploaded = read_schemas(schema_files(tables))
        self._registered = lru_cache(MAX_IDS)(lambda schema_id: registered_schemas(tables, schema_id))

    def readings(self, data: bytes) -> list[Any]:
        """The value as each schema reads it that takes all bytes; none where the bytes are of no schema. Raises NotAllTried."""
        if not data or len(data) > MAX_BYTES:
            return []
        frame = frame_of(data)
        if frame is None:
            return _values(match_schemas(self._uploaded, data))
        schemas = self._registered(frame.schema_id)
        return _by_registered(schemas, data[frame.start :]) or self._by_uploaded(schemas, data, frame)

    def document(self, data: bytes | None) -> str | None:
        """What a schema makes of a key or value, as JSON, the first where several do; None where none reads it."""
        try:
            readings = self.readings(bytes(data)) if data else []
            return json.dumps(readings[0]) if readings else None
        except (NotAllTried, ValueError):
            return None

    def _by_uploaded(self, schemas: list[RegisteredSchema], data: bytes, frame: Frame) -> list[Any]:
        """Of a value whose registered schema cannot be read with, and of one that has none."""
        if any(schema.is_readable for schema in schemas):
            return []
        return _values(match_schemas(self._uploaded, data, frame.start, only_protobuf=bool(schemas)))


def may_name(tables: Queryable, pattern: str) -> bool:
    """Whether a schema may have a field whose name fits a regular expression of DuckDB."""
    values = {"pattern": pattern}
    searches = ((NAMED_IN_JOURNALS, values), (NAMED_IN_FILES, values), (DESCRIPTORS, None))
    return any(tables.rows(query, parameters) for query, parameters in searches)


def _by_registered(schemas: list[RegisteredSchema], payload: bytes) -> list[Any]:
    values = []
    for schema in schemas:
        if schema.is_readable:
            try:
                values.append(schema.read(payload)[1])
            except (InvalidAvro, InvalidProtobuf, RecursionError):
                continue
    return values


def _values(matches: SchemaMatches | None) -> list[Any]:
    if matches is None:
        return []
    if matches.tried < matches.candidates:
        raise NotAllTried
    return [match.value for match in matches.matches]
