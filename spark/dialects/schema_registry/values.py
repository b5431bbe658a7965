"""Values of a `_schemas` topic: the members that registries act on, in one form for all writers.

`schemaHash` is the SHA-256 of a schema's text, `textHash` that of the same JSON with sorted members: equal if two
texts differ only in white space or order of members. The text itself stays in `records`.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import orjson

from spark.dialects._interpret import json_object
from spark.dialects.schema_registry.keys import (
    APPLIED,
    CONFIG,
    CONTEXT,
    DELETE_SUBJECT,
    FATAL,
    MODE,
    SCHEMA,
    SKIPPED,
    TOMBSTONE,
    UNREADABLE,
    Effects,
    Key,
    Members,
    is_one_of,
    is_whole,
)
from spark.terms.errors import Unreadable

JSON_TYPES = ("AVRO", "JSON")
LEVELS = frozenset(
    ("NONE", "BACKWARD", "BACKWARD_TRANSITIVE", "FORWARD", "FORWARD_TRANSITIVE", "FULL", "FULL_TRANSITIVE")
)
MODES = frozenset(("READWRITE", "READONLY", "READONLY_OVERRIDE", "IMPORT", "FORWARD"))
# What Redpanda's reader knows; any other member ends its replay.
REDPANDA_MEMBERS: dict[str, frozenset[str]] = {
    SCHEMA: frozenset(
        ("subject", "version", "id", "schemaType", "references", "metadata", "schema", "deleted")
    ),
    CONFIG: frozenset(("subject", "compatibilityLevel")),
    MODE: frozenset(("subject", "mode")),
    DELETE_SUBJECT: frozenset(("subject", "version")),
    CONTEXT: frozenset(("tenant", "context")),
}
REDPANDA_KEY = frozenset(("keytype", "subject", "version", "magic", "seq", "node"))
NULL_TEXT: Effects = {"confluent": TOMBSTONE, "redpanda": FATAL, "karapace": TOMBSTONE}
EMPTY_TEXT: Effects = {"confluent": SKIPPED, "redpanda": FATAL, "karapace": TOMBSTONE}
BAD_MAGIC: Effects = {"confluent": SKIPPED, "redpanda": FATAL, "karapace": APPLIED}


class UnreadableValue(Unreadable):
    """Why a registry cannot use this value, what each does, and what one of them reads in it nevertheless."""

    def __init__(self, why: str, effects: Effects, action: str | None = None, members: Members | None = None):
        super().__init__(why)
        self.effects = effects
        self.action = action
        self.members = members or {}


def read_value(key: Key, value: bytes) -> tuple[str, Members]:
    """The action's word and the value's members. Raises UnreadableValue."""
    fields = fields_of(value)
    if key.keytype == SCHEMA:
        action, members = schema_members(fields)
    elif key.keytype == DELETE_SUBJECT:
        action, members = "delete-subject", {"version": fields.get("version")}
    elif key.keytype == "CLEAR_SUBJECT":
        action, members = "clear-subject", {}
    else:
        action, members = "set", settings(key.keytype, fields)
    subject = fields.get("subject")
    if isinstance(subject, str) and subject != key.subject:
        members["valueSubject"] = subject
    if key.keytype == SCHEMA and is_whole(fields.get("version")) and fields["version"] != key.version:
        members["valueVersion"] = fields["version"]
    if unknown := unknown_to_redpanda(key, fields):
        members["unknownFields"] = unknown
    if key.keytype == SCHEMA and key.members.get("magic") not in (0, 1):
        why = f"The key of the schema has magic {key.members.get('magic')}; 0 and 1 are known."
        raise UnreadableValue(why, BAD_MAGIC, action, members)
    return action, members


def unknown_to_redpanda(key: Key, fields: Members) -> list[str]:
    """Members at which Redpanda stops its replay."""
    redpanda_members = REDPANDA_MEMBERS.get(key.keytype)
    if redpanda_members is None or (fields.keys() <= redpanda_members and key.members.keys() <= REDPANDA_KEY):
        return []
    in_key = [name for name in key.members if name not in REDPANDA_KEY and name not in redpanda_members]
    return in_key + [name for name in fields if name not in redpanda_members]


def fields_of(value: bytes) -> Members:
    """The value as a JSON object. Texts that some registries read as a deletion are distinguished."""
    if value == b"null":
        raise UnreadableValue("The value is the text null, not a null value.", NULL_TEXT)
    if value == b'""':
        raise UnreadableValue('The value is the text "", not a null value.', EMPTY_TEXT)
    try:
        return json_object(value, "value")
    except Unreadable as error:
        raise UnreadableValue(str(error), UNREADABLE) from error


def schema_members(fields: Members) -> tuple[str, Members]:
    text, schema_id = fields.get("schema"), fields.get("id")
    if not is_whole(schema_id) or not isinstance(text, str):
        lacking = "schema ID" if not is_whole(schema_id) else "schema text"
        raise UnreadableValue(f"The value contains no {lacking}.", UNREADABLE)
    schema_type = fields.get("schemaType") or "AVRO"
    members: Members = {
        "id": schema_id,
        "schemaType": schema_type,
        "references": fields.get("references") or None,
        "deleted": fields.get("deleted") is True,
        **hashes(text, schema_type),
        "cachedOffset": fields.get("offset"),
        "cachedTs": fields.get("ts"),
        "hasRules": True if fields.get("ruleSet") else None,
    }
    if members.pop("isSorted", False):
        members["writer"] = "karapace"
    return "soft-delete" if members["deleted"] else "register", members


def hashes(text: str, schema_type: str) -> Members:
    """Hashes and size of a schema's text; whether it looks like Karapace, or is not JSON."""
    content = text.encode("utf-8", "surrogatepass")
    text_hash = schema_hash = sha256(content).hexdigest()
    members: Members = {"schemaHash": schema_hash, "schema_size_bytes": len(content)}
    if schema_type in JSON_TYPES:
        try:
            parsed = orjson.loads(content)
        except ValueError:
            members["isNotJson"] = True
        else:
            text_hash = hash_of_sorted(parsed) or schema_hash
            if schema_type == "AVRO" and is_sorted_avro(parsed):
                members["isSorted"] = True
    return {**members, "textHash": text_hash}


def hash_of_sorted(parsed: Any) -> str | None:
    """The hash of a JSON text, independent of white space and member order; None if it nests too deep."""
    try:
        return sha256(orjson.dumps(parsed, option=orjson.OPT_SORT_KEYS)).hexdigest()
    except TypeError:
        return None


def is_sorted_avro(schema: Any) -> bool:
    """Karapace writes an Avro record's members sorted, so that `fields` comes first; Confluent begins with `type`."""
    return isinstance(schema, dict) and next(iter(schema), "") == "fields" and list(schema) == sorted(schema)


def settings(keytype: str, fields: Members) -> Members:
    if keytype == CONFIG:
        level = fields.get("compatibilityLevel")
        if level is not None and not is_one_of(level, LEVELS):
            raise UnreadableValue(f"The value names the compatibility level {level!r}.", UNREADABLE)
        # Karapace and Confluent registries before 7.0 leave the subject to the key.
        return {"compatibility": level, "writer": "confluent" if "subject" in fields else None}
    if keytype == MODE:
        if not is_one_of(fields.get("mode"), MODES):
            raise UnreadableValue(f"The value names the mode {fields.get('mode')!r}.", UNREADABLE)
        return {"mode": fields["mode"]}
    return {"lifecycle": fields.get("lifecycle")}
