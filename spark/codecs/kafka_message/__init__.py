"""Kafka's own messages, as coordinators and controllers write them, read by tables of fields.

schema   a table's text -> MessageSchema     layout   a message in one version -> a function that reads it

    read(message, version, data, at, source)  the members of a message, which must end where the data ends
    read_newest(forms, data)                  the same for a message whose fields changed under one version number

Source: Kafka's message format (`generator/`, KIP-482 for flexible versions and tagged fields).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from spark.codecs.kafka_message.layout import reader
from spark.codecs.kafka_message.schema import MessageSchema, messages
from spark.terms.errors import Unreadable

__all__ = ["MessageSchema", "exact", "messages", "read", "read_newest", "read_versioned"]
VERSION_BYTES = 2


def read(
    message: MessageSchema, version: int, data: bytes, at: int, source: str, *, is_whole: bool = True
) -> dict[str, Any]:
    """The members of a message from position `at` on, under Kafka's names. Raises Unreadable.

    `source` names what is read in errors ("value"); `is_whole`: nothing may follow the last field.
    """
    if not message.first_version <= version <= message.last_version:
        raise Unreadable(
            f"The {source} has version {version} of {message.name}; {known_versions(message)} known."
        )
    members: dict[str, Any] = {}
    try:
        end = reader(message, version)(data, at, members)
    except (struct.error, IndexError) as error:
        raise Unreadable(
            f"The {source} ends within a field of {message.name}, {len(data)} bytes in."
        ) from error
    if is_whole and end != len(data) and not message.is_open:
        raise Unreadable(f"The {source} has {len(data) - end} bytes after the last field of {message.name}.")
    return members


def read_versioned(message: MessageSchema, data: bytes, source: str) -> dict[str, Any]:
    """The same for a message after its int16 version. Bytes after the last field of a value are allowed, as for coordinators."""
    if len(data) < VERSION_BYTES:
        raise Unreadable(f"The {source} has {len(data)} bytes, fewer than its version takes.")
    version = int.from_bytes(data[:VERSION_BYTES], "big", signed=True)
    return read(message, version, data, VERSION_BYTES, source, is_whole=source != "value")


def read_newest(forms: Sequence[MessageSchema], value: bytes) -> dict[str, Any]:
    """The members of a value by the newest form whose fields use all bytes; otherwise as a current coordinator reads them."""
    if len(forms) > 1:
        for form in forms:
            members = exact(form, value)
            if members is not None:
                return members
    return read_versioned(forms[0], value, "value")


def exact(form: MessageSchema, value: bytes) -> dict[str, Any] | None:
    """The members if the form's fields use all bytes, else None."""
    version = int.from_bytes(value[:VERSION_BYTES], "big", signed=True)
    try:
        return read(form, version, value, VERSION_BYTES, "value")
    except Unreadable:
        return None


def known_versions(message: MessageSchema) -> str:
    """`0 to 3 are`, `0 is`."""
    if message.first_version == message.last_version:
        return f"{message.first_version} is"
    return f"{message.first_version} to {message.last_version} are"
