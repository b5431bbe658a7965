"""Writes a message's members under Kafka's names, as its JSON converters print them, as the bytes of a version.

    write(message, version, members)   what `read` reads; a missing member gets the default of its type

Strings are UTF-8, bytes base64, UUIDs URL-safe base64. A tagged field is written if its member is present.
Source: Kafka's message format (`generator/`, `*JsonConverter`, KIP-482).
"""

from __future__ import annotations

import struct
from base64 import b64decode, urlsafe_b64decode
from collections.abc import Iterable, Mapping
from typing import Any

from spark.codecs.kafka_message.layout import FIXED, UUID_BYTES
from spark.codecs.kafka_message.schema import Field, MessageSchema
from spark.codecs.varint import write_unsigned

Members = Mapping[str, Any]


class Unwritable(ValueError):
    """The members do not fit the message."""


def write(message: MessageSchema, version: int, members: Members) -> bytes:
    """The bytes of a message in one version, without the version itself."""
    if message.is_open or not message.first_version <= version <= message.last_version:
        raise Unwritable(f"{message.name} has no version {version} whose fields are known.")
    check_names(message.fields, version, members, message.name)
    return structure(message.fields, version, version >= message.flexible_from, members)


def write_versioned(message: MessageSchema, version: int, members: Members) -> bytes:
    """The same after the int16 version."""
    body = write(message, version, members)  # which knows the versions there are
    return struct.pack(">h", version) + body


def check_names(fields: Iterable[Field], version: int, members: Members, name: str) -> None:
    """Raises Unwritable for a member that no field of this version has: it would be lost."""
    defined = {field.name for field in fields if field.is_in(version)}
    unknown = [member for member in members if member not in defined]
    if unknown:
        raise Unwritable(f"{name} of version {version} has no field {unknown[0]}.")


def structure(fields: Iterable[Field], version: int, is_flexible: bool, members: Members) -> bytes:
    """Fields in order and, in flexible versions, the tagged fields after the last."""
    present = [field for field in fields if field.is_in(version)]
    in_order = [field for field in present if field.tag is None or not is_flexible]
    body = b"".join(value(field, version, is_flexible, members.get(field.name)) for field in in_order)
    if not is_flexible:
        return body
    chosen = [field for field in present if field.tag is not None and field.name in members]
    return body + tagged(chosen, version, members)


def tagged(fields: list[Field], version: int, members: Members) -> bytes:
    """Tagged fields: how many, then tag, size and bytes of each."""
    parts = [write_unsigned(len(fields))]
    for field in sorted(fields, key=lambda field: field.tag or 0):
        data = value(field, version, True, members[field.name])
        parts += [write_unsigned(field.tag or 0), write_unsigned(len(data)), data]
    return b"".join(parts)


def value(field: Field, version: int, is_flexible: bool, member: Any) -> bytes:
    """Raises Unwritable with the innermost field that does not fit."""
    try:
        return unchecked_value(field, version, is_flexible, member)
    except Unwritable:
        raise
    except (struct.error, TypeError, ValueError, AttributeError, KeyError) as error:
        raise Unwritable(f"The value of field {field.name} is not one of its type.") from error


def unchecked_value(field: Field, version: int, is_flexible: bool, member: Any) -> bytes:
    if not field.is_array:
        return single(field, version, is_flexible, member)
    if member is None:
        return length(-1 if field.is_nullable else 0, ">i", is_flexible)
    items = (single(field, version, is_flexible, item) for item in member)
    return length(len(member), ">i", is_flexible) + b"".join(items)


def single(field: Field, version: int, is_flexible: bool, member: Any) -> bytes:
    if field.type in FIXED:
        return struct.pack(">" + FIXED[field.type], member or 0)
    if field.type == "uuid":
        return uuid(member)
    if field.type == "{}":
        return nested(field, version, is_flexible, member)
    if member is None and field.is_nullable:
        return length(-1, ">h" if field.type == "string" else ">i", is_flexible)
    data = (member or "").encode() if field.type == "string" else b64decode(member or "", validate=True)
    return length(len(data), ">h" if field.type == "string" else ">i", is_flexible) + data


def nested(field: Field, version: int, is_flexible: bool, member: Any) -> bytes:
    """A structure; a nullable one follows a marker byte."""
    may_be_null = field.is_nullable and not field.is_array
    if member is None and may_be_null:
        return b"\xff" if field.tag is None else b"\0"
    check_names(field.fields, version, member or {}, field.name)
    return (b"\1" if may_be_null else b"") + structure(field.fields, version, is_flexible, member or {})


def uuid(text: str | None) -> bytes:
    """A UUID from Base64 for URLs without padding."""
    data = urlsafe_b64decode(f"{text}==") if text else bytes(UUID_BYTES)
    if len(data) != UUID_BYTES:
        raise Unwritable(f"{text} is no UUID.")
    return data


def length(count: int, form: str, is_flexible: bool) -> bytes:
    """The length before a text or an array; -1 is null."""
    return write_unsigned(count + 1) if is_flexible else struct.pack(form, count)
