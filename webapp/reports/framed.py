"""Values as a schema registry's serialisers frame them, shown by the schema when a `_schemas` journal is in the upload or a
capture fetched it; those that nothing names a schema for, by a schema that was uploaded beside the journal.

    Framed => magic:0  schema_id:int32  payload        Confluent, Redpanda, Karapace, Apicurio 3.x
    Framed => magic:0  global_id:int64  payload        Apicurio Registry 2.x

The payload is Avro, JSON, or Protobuf (message indexes, then the message). A first byte of 0 proves nothing by itself:
without a schema that fits, the framing is only a remark. Source: Confluent's wire format; Apicurio `DefaultIdHandler`.
"""

from __future__ import annotations

import json
import struct
from base64 import b64decode
from dataclasses import dataclass, replace
from typing import Any

from webapp.reports.avro import NotAvro, decode
from webapp.reports.bytes_text import PRETTY_BYTES, Reading, as_text, read
from webapp.reports.protobuf import NotProtobuf, link, message_place, read_message
from webapp.reports.queries.schema import RegisteredSchema, fetched_schema, registered_schemas
from webapp.reports.results import Results
from webapp.reports.uploaded import MOST_BYTES, Fits, try_uploaded
from webapp.shown import IN_TEXT

SHORT, LONG = struct.Struct(">bi"), struct.Struct(">bq")
MAGIC = 0
MORE = {"PROTOBUF": " without its descriptors, which can be uploaded beside the journal"}
ENCODER = json.JSONEncoder(indent=2, ensure_ascii=False)


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
    if not data or len(data) > MOST_BYTES:
        return plain
    if frame is None:
        return unnamed(results, plain, data)
    name = f"Schema-registry framing: magic 0, schema id {frame.schema_id}"
    schemas = registered_schemas(results, frame.schema_id)
    if plain.form == "json":
        return replace(plain, note=f"{name}{f' ({schemas[0].name})' if schemas else ''}, then JSON.")
    fits = from_files(results, data, frame, schemas)
    if fits and fits.found:
        return fitting(fits, f"{name}{whose(schemas)}, then {fits.found[0].form.capitalize()}. ")
    plain = replace(plain, note=f"{plain.note} {fits.note}".strip()) if fits else plain
    if not schemas:
        asked = fetched_schema(results, frame.schema_id)
        why = f" The registry was asked for it: {asked}" if isinstance(asked, str) else ""
        return replace(
            plain,
            note=f"{plain.note} The first bytes could be a schema-registry framing: magic 0, schema id {frame.schema_id}; no "
            f"journal of a schema registry with that id is in this upload.{why}".strip(),
        )
    return decoded(plain, data[frame.start :], name, schemas)


def unnamed(results: Results, plain: Reading, data: bytes) -> Reading:
    """A value that is no text may be that of an uploaded schema."""
    is_readable = plain.form == "json" or (
        plain.form == "text" and not IN_TEXT.search(data.decode("utf-8", "replace"))
    )
    fits = None if is_readable else try_uploaded(results, data)
    if fits is None:
        return plain
    return fitting(fits) if fits.found else replace(plain, note=f"{plain.note} {fits.note}".strip())


def from_files(results: Results, data: bytes, frame: Frame, schemas: list[RegisteredSchema]) -> Fits | None:
    """What uploaded schemas make of a framed value; of one with a known schema only where that is Protobuf, whose
    registered text cannot be read with.
    """
    if not schemas:
        return try_uploaded(results, data, frame.start)
    if any(schema.type != "PROTOBUF" or schema.descriptors for schema in schemas):
        return None
    return try_uploaded(results, data, frame.start, only_protobuf=True)


def whose(schemas: list[RegisteredSchema]) -> str:
    """Subject and version of the first."""
    return (
        f" ({schemas[0].name})" if schemas else ", which no journal of a schema registry in this upload knows"
    )


def fitting(fits: Fits, framing: str = "") -> Reading:
    """The first by name, with the caution."""
    framing = framing if fits.is_framed else ""
    return Reading(fits.found[0].form, pretty(fits.found[0].value), framing + fits.note)


def decoded(plain: Reading, payload: bytes, name: str, schemas: list[RegisteredSchema]) -> Reading:
    """By the first schema that fits; several contexts of a registry may each have one of the same id."""
    why = ""
    for schema in schemas:
        named = f"{name} ({schema.name})"
        if schema.type != "AVRO" and not schema.descriptors:
            more = f": {schema.why}" if schema.why else MORE.get(schema.type, "")
            why = why or f"{named}: {schema.type} is not decoded here{more}."
            continue
        try:
            form, value = by_schema(schema, payload)
        except (NotAvro, NotProtobuf) as error:
            why = why or f"{named}: the value does not fit it: {error}."
            continue
        return Reading(form, pretty(value), f"{named}, then {form.capitalize()}.")
    return replace(plain, note=f"{plain.note} {why}".strip())


def by_schema(schema: RegisteredSchema, payload: bytes) -> tuple[str, Any]:
    """The form and the value. Raises NotAvro or NotProtobuf."""
    if not schema.descriptors:
        return "avro", decode(schema.document, payload, schema.references)
    files = [file for file in link(b64decode(schema.descriptors)) if file.description.name == schema.root]
    if not files:
        raise NotProtobuf("the schema lacks a file that it imports")
    indexes, data = message_place(payload)
    name = files[0].name_at(indexes)
    if name is None:
        raise NotProtobuf("the schema has no message at that place")
    return "protobuf", read_message(files[0].pool, name, data)


def pretty(value: Any) -> str:
    """A decoded value as JSON; a long one is cut, because a schema's names may make a short value endless."""
    pieces, size = [], 0
    for piece in ENCODER.iterencode(value):
        if size + len(piece) > PRETTY_BYTES:
            pieces.append(f"{piece[: PRETTY_BYTES - size]}\n… cut after {PRETTY_BYTES:,} characters")
            break
        pieces.append(piece)
        size += len(piece)
    return as_text("".join(pieces).encode("utf-8", "backslashreplace"))
