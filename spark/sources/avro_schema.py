"""Avro schema next to a journal (`*.avsc`): JSON that describes a type with parts, or a list of such types.

    Schema => {"type": "record" | "error" | "enum" | "fixed", "name": ...} | {"type": "array" | "map", ...} | [Schema, ...]

Source: the Avro specification 1.11, "Schema declaration".
"""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from spark.codecs.json_text import why_not_json
from spark.sources import Chunk, InputFile, Recognition, Source, Split
from spark.sources._schema_file import MAX_BYTES, content_of, has_ending, one_row

ENDING = ".avsc"
NAMED = ("record", "error", "enum", "fixed")
OF_ITEMS = {"array": "items", "map": "values"}
MAX_NAME = 200


def recognise(file: InputFile, head: bytes) -> Recognition:
    if not has_ending(file, ENDING):
        return Recognition(False, f"its name does not end in {ENDING}")
    if file.size_bytes > MAX_BYTES:
        return Recognition(False, f"it is larger than {MAX_BYTES // 2**20} MB")
    try:
        content = content_of(file.path)
        document = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        return Recognition(False, f"{ENDING}, but not JSON: {why_not_json(content, error)}")
    name = name_of(document)
    if name is None:
        return Recognition(
            False, f"{ENDING}, but not an Avro schema: no type of {', '.join(NAMED)} that has a name"
        )
    return Recognition(
        True, f"an Avro schema: {name}. It is tried on records that no other schema decodes", 95
    )


def name_of(document: object) -> str | None:
    """The name of the described type; None if it is not a schema."""
    if isinstance(document, list):  # a union: it holds no further union
        return next(
            (name for branch in document if isinstance(branch, dict) and (name := name_of(branch))), None
        )
    if not isinstance(document, dict):
        return None
    kind, name = document.get("type"), document.get("name")
    if isinstance(kind, str) and kind in OF_ITEMS:
        return f"{kind} of types" if OF_ITEMS[kind] in document else None
    return name[:MAX_NAME] if kind in NAMED and isinstance(name, str) and name else None


def read(split: Split) -> Iterator[Chunk]:
    """Its text; JSON is UTF-8."""
    yield from one_row(split, content_of(split.path).decode("utf-8", "replace"))


source = Source(
    id="avro-schema",
    title="Avro schema",
    kind="companion",
    recognise=recognise,
    read=read,
)
