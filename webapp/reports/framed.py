"""Values as a schema registry's serialisers frame them, shown by the schema when a `_schemas` journal is in the upload.

    Framed => magic:0  schema_id:int32  payload        Confluent, Redpanda, Karapace, Apicurio 3.x
    Framed => magic:0  global_id:int64  payload        Apicurio Registry 2.x

The payload is Avro, JSON, or Protobuf (message indexes, then the message). A first byte of 0 proves nothing by itself:
without a schema that fits, the framing is only a remark. Source: Confluent's wire format; Apicurio `DefaultIdHandler`.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, replace
from typing import Any

from webapp.reports.avro import NotAvro, decode
from webapp.reports.bytes_text import PRETTY_BYTES, Reading, as_text, read
from webapp.reports.queries.schema import RegisteredSchema, registered_schemas
from webapp.reports.results import Results

SHORT, LONG = struct.Struct(">bi"), struct.Struct(">bq")
MAGIC = 0


@dataclass(frozen=True)
class Frame:
    """The id before a payload, and where the payload starts."""

    schema_id: int
    start: int


def frame_of(data: bytes) -> Frame | None:
    """The framing that the first bytes could be; None where they cannot be one."""
    if len(data) < SHORT.size or data[0] != MAGIC:
        return None
    schema_id = SHORT.unpack_from(data)[1]
    if schema_id > 0:
        return Frame(schema_id, SHORT.size)
    if schema_id == 0 and len(data) >= LONG.size and LONG.unpack_from(data)[1] > 0:
        return Frame(LONG.unpack_from(data)[1], LONG.size)
    return None


def read_framed(results: Results, data: bytes | None) -> Reading:
    """A key or value for the drawer: decoded by its schema where that is known, else as `read` shows it."""
    plain = read(data)
    frame = frame_of(data) if data else None
    if data is None or frame is None or len(data) > PRETTY_BYTES:
        return plain
    name = f"Schema-registry framing: magic 0, schema id {frame.schema_id}"
    if plain.form == "json":
        return replace(plain, note=f"{name}, then JSON.")
    schemas = registered_schemas(results, frame.schema_id)
    if not schemas:
        return replace(
            plain,
            note=f"{plain.note} The first bytes could be a schema-registry framing: magic 0, schema id {frame.schema_id}; no "
            "journal of a schema registry with that id is in this upload.".strip(),
        )
    return decoded(plain, data[frame.start :], name, schemas)


def decoded(plain: Reading, payload: bytes, name: str, schemas: list[RegisteredSchema]) -> Reading:
    """By the first schema that fits; several contexts of a registry may each have one of the same id."""
    why = ""
    for schema in schemas:
        whose = f"{name} ({schema.name})"
        if schema.type != "AVRO":
            why = why or f"{whose}: {schema.type} is not decoded here."
            continue
        try:
            value = decode(schema.document, payload, schema.references)
        except NotAvro as error:
            why = why or f"{whose}: the value does not fit it: {error}."
            continue
        return Reading("avro", pretty(value), f"{whose}, then Avro.")
    return replace(plain, note=f"{plain.note} {why}".strip())


def pretty(value: Any) -> str:
    """A decoded value as JSON."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return as_text(text.encode("utf-8", "backslashreplace"))
