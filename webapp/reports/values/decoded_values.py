"""Values as a schema registry's serialisers frame them, shown by the schema when a `_schemas` journal is in the upload or a
capture fetched it; those that nothing names a schema for, by a schema that was uploaded beside the journal.

Without a schema that fits, the framing (`spark.codecs.registry_framing`) is only a remark.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from spark.codecs import json_text
from spark.codecs.avro import InvalidAvro
from spark.codecs.candidate_schemas import MAX_BYTES, SchemaMatches, Schemas, match_schemas, read_schemas
from spark.codecs.protobuf import InvalidProtobuf
from spark.codecs.registry_framing import Frame, frame_of
from spark.tables.schemas.registered import (
    RegisteredSchema,
    fetched_schema,
    registered_schemas,
    schema_files,
)
from spark.terms.visible import IN_TEXT
from webapp.reports.results import Results, remembered
from webapp.reports.values.attributes import members_of
from webapp.reports.values.bytes_text import PRETTY_BYTES, RenderedValue, as_text, read

MORE = {"PROTOBUF": " without its descriptors, which you can upload together with the journal"}
ENCODER = json.JSONEncoder(indent=2, ensure_ascii=False)


def read_framed(results: Results, data: bytes | None, is_entry: bool = False) -> RenderedValue:
    """A key or value: decoded by its schema where that is known, else as `read` shows it.

    `is_entry`: a service's dialect reads the record, so its first bytes are the service's own and no framing.
    """
    plain = read(data)
    if not data or len(data) > MAX_BYTES or is_entry:
        return plain
    frame = frame_of(data)
    if frame and plain.form == "json" and data[frame.start :].lstrip()[:1] not in (b"{", b"["):
        return plain  # its JSON begins elsewhere
    if frame is None:
        return unnamed(results, plain, data)
    name = f"Schema-registry framing: magic 0, schema ID {frame.schema_id}"
    schemas = registered_schemas(results, frame.schema_id)
    if plain.form == "json":
        return replace(plain, note=f"{name}{f' ({schemas[0].name})' if schemas else ''}, then JSON.")
    fits = from_files(results, data, frame, schemas)
    if fits and fits.matches:
        return fitting(fits, f"{name}{whose(schemas)}, then {fits.matches[0].form.capitalize()}. ")
    plain = replace(plain, note=f"{plain.note} {fits.note}".strip()) if fits else plain
    if not schemas:
        fetched = fetched_schema(results, frame.schema_id)
        why = f" The registry was asked for it: {fetched}" if isinstance(fetched, str) else ""
        return replace(
            plain,
            note=f"{plain.note} The first bytes could be a schema-registry framing: magic 0, schema ID {frame.schema_id}; no "
            f"journal of a schema registry with that id is in this upload.{why}".strip(),
        )
    return decoded(plain, data[frame.start :], name, schemas)


def decoded_document(
    results: Results,
    data: bytes | None,
    attributes: str | None = None,
    is_entry: bool = False,
    decodes: bool = True,
) -> Any:
    """What a key or value decodes to: a document, else what a dialect read of the record (`attributes`); else None.

    `decodes`: by schemas, too.
    """
    if data is None:
        return None
    reading = read_framed(results, data, is_entry) if decodes else read(data)
    return _sendable(reading.document if reading.is_decoded else dict(members_of(attributes)) or None)


def _sendable(document: Any) -> Any:
    """As every reader of JSON takes it: without NaN, and without halves of surrogate pairs."""
    try:
        json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        text = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
        return json_text.read(text, parse_constant=str)
    return document


def unnamed(results: Results, plain: RenderedValue, data: bytes) -> RenderedValue:
    """A value that is no text may be that of an uploaded schema."""
    is_readable = plain.form == "json" or (
        plain.form == "text" and not IN_TEXT.search(data.decode("utf-8", "replace"))
    )
    fits = None if is_readable else try_uploaded(results, data)
    if fits is None:
        return plain
    return fitting(fits) if fits.matches else replace(plain, note=f"{plain.note} {fits.note}".strip())


def from_files(
    results: Results, data: bytes, frame: Frame, schemas: list[RegisteredSchema]
) -> SchemaMatches | None:
    """What uploaded schemas make of a framed value; of one with a known schema only where that is Protobuf, whose
    registered text cannot be read with.
    """
    if not schemas:
        return try_uploaded(results, data, frame.start)
    if any(schema.type != "PROTOBUF" or schema.descriptors for schema in schemas):
        return None
    return try_uploaded(results, data, frame.start, only_protobuf=True)


def try_uploaded(
    results: Results, data: bytes, start: int | None = None, *, only_protobuf: bool = False
) -> SchemaMatches | None:
    """What the uploaded schemas make of a value."""
    if not data or len(data) > MAX_BYTES or not results.count("properties"):
        return None
    return match_schemas(_uploaded_schemas(results), data, start, only_protobuf=only_protobuf)


@remembered
def _uploaded_schemas(results: Results) -> Schemas:
    return read_schemas(schema_files(results))


def whose(schemas: list[RegisteredSchema]) -> str:
    """Subject and version of the first."""
    return (
        f" ({schemas[0].name})" if schemas else ", which no journal of a schema registry in this upload knows"
    )


def fitting(fits: SchemaMatches, framing: str = "") -> RenderedValue:
    """The first by name, with the caution."""
    framing = framing if fits.is_framed else ""
    match = fits.matches[0]
    return RenderedValue(match.form, pretty(match.value), framing + fits.note, match.value)


def decoded(
    plain: RenderedValue, payload: bytes, name: str, schemas: list[RegisteredSchema]
) -> RenderedValue:
    """By the first schema that fits; several contexts of a registry may each have one of the same id."""
    why = ""
    for schema in schemas:
        named = f"{name} ({schema.name})"
        if not schema.is_readable:
            reason = f": {schema.why}" if schema.why else MORE.get(schema.type, "")
            why = why or f"{named}: {schema.type} is not decoded here{reason}."
            continue
        try:
            form, value = schema.read(payload)
        except (InvalidAvro, InvalidProtobuf) as error:
            why = why or f"{named}: the value does not match the schema: {error}."
            continue
        return RenderedValue(form, pretty(value), f"{named}, then {form.capitalize()}.", value)
    return replace(plain, note=f"{plain.note} {why}".strip())


def pretty(value: Any) -> str:
    """A decoded value as JSON; a long one is cut, because a schema's names may make a short value endless."""
    pieces, size = [], 0
    for piece in ENCODER.iterencode(value):
        if size + len(piece) > PRETTY_BYTES:
            pieces.append(f"{piece[: PRETTY_BYTES - size]}\n… truncated after {PRETTY_BYTES:,} characters")
            break
        pieces.append(piece)
        size += len(piece)
    return as_text("".join(pieces).encode("utf-8", "backslashreplace"))
