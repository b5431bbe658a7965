"""Schemas by id: out of a schema registry's journal in the same upload, where the text stands in the record that set it, or
as a capture fetched them from the registry itself. And files of schemas that were uploaded beside the journal.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from spark.codecs import json_text
from spark.codecs.avro import Names, decode, names_of
from spark.codecs.candidate_schemas import CandidateFile
from spark.codecs.protobuf import InvalidProtobuf, ProtoFile, link, read_message
from spark.codecs.registry_framing import message_indexes

Rows = list[dict[str, Any]]

MAX_SCHEMAS = 4  # of one id: one per context of the registry
MAX_REFERENCES = 100
OF_ID = f"""
SELECT topic, "partition", replica, entity_id, origin_offset, attributes->>'schemaType' AS schema_type FROM state
WHERE entity_type = 'schema' AND is_own AND "view" = 'log' AND try_cast(attributes->>'id' AS BIGINT) = $schema_id
QUALIFY row_number() OVER (PARTITION BY topic, entity_id ORDER BY valid_from_offset DESC) = 1
ORDER BY valid_to_offset IS NOT NULL, valid_from_offset DESC LIMIT {MAX_SCHEMAS}
"""
OF_NAME = """
SELECT topic, "partition", replica, entity_id, origin_offset FROM state
WHERE entity_type = 'schema' AND is_own AND "view" = 'log' AND topic = $of_topic AND entity_id = $name
ORDER BY valid_from_offset DESC LIMIT 1
"""
TEXT = """
SELECT "value" FROM records
WHERE topic = $of_topic AND "partition" = $of_partition AND replica = $of_replica AND "offset" = $at AND NOT value_is_null
LIMIT 1
"""
FETCHED = """
SELECT p."value" FROM properties AS p JOIN files AS f USING (file)
WHERE f.layout = 'registry-schemas' AND list_contains($names, p.name) ORDER BY file, p.name LIMIT 200
"""
UPLOADED = (
    "layout IN ('avro-schema', 'protobuf-descriptors')"  # of a file: what may read values that name no schema
)
HAS_UPLOADED = f"SELECT 1 FROM files WHERE {UPLOADED} LIMIT 1"
MAX_FILES = 1000
MAX_BYTES = 8 * 1024 * 1024  # of the text of files in all
FILES = f"""
WITH retained AS (
    SELECT f.name, f.layout, p."value" AS content FROM properties AS p JOIN files AS f USING (file)
    WHERE f.{UPLOADED} ORDER BY f.name LIMIT {MAX_FILES}
)
SELECT name, layout, content FROM retained
QUALIFY sum(length(content)) OVER (ORDER BY name ROWS UNBOUNDED PRECEDING) <= {MAX_BYTES} ORDER BY name
"""


class Queryable(Protocol):
    """The tables of an inspection, as whoever asks has them open."""

    def rows(self, sql: str, values: Mapping[str, Any] | None = None, /) -> Rows:
        """Rows as dicts by column name."""


@dataclass(frozen=True)
class RegisteredSchema:
    """A schema as a registry holds it: `name` is subject/version; `document` its text as JSON, None where it is none.

    `descriptors` (base64) and `root`, the file that the schema is: of Protobuf, where its text could be read with; `why` not.
    """

    name: str
    type: str
    document: Any
    references: list[Any] = field(default_factory=list)
    descriptors: str = ""
    root: str = ""
    why: str = ""

    @property
    def is_readable(self) -> bool:
        """Whether values can be decoded with it."""
        return self.type == "AVRO" or bool(self.descriptors)

    def read(self, payload: bytes) -> tuple[str, Any]:
        """The form and the value behind a frame. Raises InvalidAvro or InvalidProtobuf."""
        if not self.descriptors:
            return "avro", decode(self.document, payload, names=self._names)
        if self._file is None:
            raise InvalidProtobuf("the schema lacks a file that it imports")
        indexes, data = message_indexes(payload)
        name = self._file.name_at(indexes)
        if name is None:
            raise InvalidProtobuf("the schema has no message at that place")
        return "protobuf", read_message(self._file.pool, name, data)

    @cached_property
    def _names(self) -> Names:
        """Named types of the schemas that this one refers to: read once, for many values."""
        return names_of(self.references)

    @cached_property
    def _file(self) -> ProtoFile | None:
        """Linked once, for many values."""
        files = link(b64decode(self.descriptors))
        return next((file for file in files if file.description.name == self.root), None)


def registered_schemas(tables: Queryable, schema_id: int) -> list[RegisteredSchema]:
    """Every schema of that id: those of journals, first what is still there; else the one that was fetched."""
    schemas = []
    for row in tables.rows(OF_ID, {"schema_id": schema_id}):
        members = _members(tables, row)
        document = _document(members.get("schema"))
        schema_type = row["schema_type"] or "AVRO"
        references = _references(tables, row["topic"], members) if schema_type == "AVRO" else []
        schemas.append(RegisteredSchema(row["entity_id"], schema_type, document, references))
    fetched = fetched_schema(tables, schema_id)
    return [*schemas, *([fetched] if isinstance(fetched, RegisteredSchema) else [])]


def fetched_schema(tables: Queryable, schema_id: int) -> RegisteredSchema | str | None:
    """The schema that a capture fetched by this id; why the registry did not give it; None: it was not asked."""
    rows = tables.rows(FETCHED, {"names": [f"schema {schema_id}"]})
    if not rows:
        return None
    document = json.loads(rows[0]["value"])
    if "missing" in document:
        return str(document["missing"] or "no reason was given")
    others = (
        tables.rows(FETCHED, {"names": document.get("references", [])}) if document.get("references") else []
    )
    return RegisteredSchema(
        document["name"],
        document["type"],
        _document(document["schema"]),
        [_document(json.loads(row["value"])["schema"]) for row in others],
        document.get("descriptors", ""),
        document.get("root", ""),
        document.get("why", ""),
    )


def _references(tables: Queryable, topic: str, members: dict[str, Any]) -> list[Any]:
    """Documents of all schemas that this one names, those that they name included."""
    documents: dict[str, Any] = {}
    waiting = _names(members)
    while waiting and len(documents) < MAX_REFERENCES:
        name = waiting.pop()
        if name in documents:
            continue
        rows: Rows = tables.rows(OF_NAME, {"of_topic": topic, "name": name})
        other = _members(tables, rows[0]) if rows else {}
        documents[name] = _document(other.get("schema"))
        waiting += _names(other)
    return list(documents.values())


def _names(members: dict[str, Any]) -> list[str]:
    references = members.get("references")
    return [
        f"{reference.get('subject')}/{reference.get('version')}"
        for reference in (references if isinstance(references, list) else [])
        if isinstance(reference, dict)
    ]


def _members(tables: Queryable, row: dict[str, Any]) -> dict[str, Any]:
    replica = {
        "of_topic": row["topic"],
        "of_partition": row["partition"],
        "of_replica": row["replica"],
        "at": row["origin_offset"],
    }
    texts = tables.rows(TEXT, replica)
    document = _document(bytes(texts[0]["value"]).decode("utf-8", "replace")) if texts else None
    return document if isinstance(document, dict) else {}


def _document(text: Any) -> Any:
    """JSON, or None; a bare name of a primitive (`string`) is a schema, too."""
    try:
        return json_text.read(text, json_text.MAX_SCHEMA_DEPTH) if isinstance(text, str) else None
    except ValueError:
        return text


def schema_files(tables: Queryable) -> list[CandidateFile]:
    """Uploaded Avro schemas and Protobuf descriptors by name, as many as may be tried."""
    return [
        CandidateFile(row["name"], row["layout"] == "avro-schema", row["content"])
        for row in tables.rows(FILES)
    ]
