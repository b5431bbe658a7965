"""The text of a schema from a file, as the value of a SCHEMA record has it."""

from __future__ import annotations

from typing import Any

import orjson

from spark.repair import AddedSchemaFile
from spark.terms.errors import UnreadableInput

PROTOBUF_ENDING, JSON_ENDING = ".proto", ".json"
OF_JSON_SCHEMA = ("$schema", "properties", "$ref", "allOf", "anyOf", "oneOf", "$defs", "definitions")


def fields_of_file(file: AddedSchemaFile) -> dict[str, Any]:
    """`schema`, and `schemaType` where it is not Avro. JSON loses its white space, as in every registry. Raises UnreadableInput."""
    try:
        text = file.path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableInput(f"{file.name} is not UTF-8 text. A schema's text is.") from error
    if file.name.endswith(PROTOBUF_ENDING):
        return {"schemaType": "PROTOBUF", "schema": text}
    try:
        document = orjson.loads(text)
    except ValueError as error:
        raise UnreadableInput(
            f"{file.name} is no JSON, and its name does not end in {PROTOBUF_ENDING}. Give an Avro or JSON schema, or name a "
            f"Protobuf schema NAME{PROTOBUF_ENDING}."
        ) from error
    compact = orjson.dumps(document).decode()
    return {"schemaType": "JSON", "schema": compact} if is_json_schema(document) else {"schema": compact}


def is_json_schema(document: Any) -> bool:
    """Avro has none of these members at its top."""
    return isinstance(document, dict) and any(name in document for name in OF_JSON_SCHEMA)
