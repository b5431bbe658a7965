"""Value of a Content record: the one binary value of the journal.

    Value => 02 action:int8 canonical_hash:block content:block [references:block]
    block => length:int32 bytes            big-endian; length 0 reads back as null

The third block exists since 2.2.2. Dumps by text tools change the bytes above 0x7f; such a value is restored
by its layout, and confirmed by the record's contentHash (SHA-256 of content and references, before 2.4.2 of content).
Source: KafkaSqlValueSerializer.java and ContentValue.java, tag 2.5.8.Final.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import orjson

from spark.dialects.apicurio_v2.message_types import CONTENT, CONTENT_V2, CREATE_OR_UPDATE, message

LENGTH_BYTES = 4
HASH_TEXT_BYTES = 64
REPLACED = "\ufffd"
REFERENCES_START = "[{"
# Windows-1252 leaves five bytes without a character; tools keep these as control characters.
_CP1252_BYTES = {bytes([byte]).decode("cp1252", "replace"): byte for byte in range(0x80, 0xA0)}


@dataclass(frozen=True)
class ContentValue:
    """The parts of a Content value. `references` is None if its block is absent (before 2.2.2)."""

    action: int
    canonical_hash: str
    content: bytes
    references: bytes | None
    reading: str = "raw"


class NotAContentValue(ValueError):
    """The bytes do not have the layout; the message says where."""


def read_content(value: bytes, content_hash: str | None = None) -> ContentValue:
    """Reads a value as it is, else in one of the forms that text tools leave."""
    try:
        return read_raw(value)
    except NotAContentValue:
        for reading, again in bent(value):
            try:
                parts = read_raw(again, reading)
            except NotAContentValue:
                continue
            if not parts.content or content_hash in content_hashes(parts.content, parts.references or b""):
                return parts
        restored = read_replaced(value, content_hash)
        if restored is None:
            raise
        return restored


def read_raw(value: bytes, reading: str = "raw") -> ContentValue:
    """Reads bytes with undamaged lengths, which must add up exactly."""
    if len(value) < 2:
        raise NotAContentValue(f"the value has {len(value)} of the 2 bytes of type and action")
    canonical_hash, position = read_block(value, 2, "canonical hash")
    content, position = read_block(value, position, "content")
    references: bytes | None = None
    if position < len(value):
        references, position = read_block(value, position, "references")
    if position != len(value):
        raise NotAContentValue(f"{len(value) - position} bytes follow the last block at byte {position}")
    return ContentValue(value[1], canonical_hash.decode("latin-1"), content, references, reading)


def read_block(value: bytes, position: int, name: str) -> tuple[bytes, int]:
    start = position + LENGTH_BYTES
    if start > len(value):
        raise NotAContentValue(f"the value ends at byte {len(value)}, inside the length of its {name}")
    length = int.from_bytes(value[position:start], "big", signed=True)
    if length < 0 or start + length > len(value):
        remaining = len(value) - start
        raise NotAContentValue(f"the {name} at byte {start} claims {length} bytes, and {remaining} are left")
    return value[start : start + length], start + length


def bent(value: bytes) -> Iterator[tuple[str, bytes]]:
    """The bytes as they were before a tool read each as a character and wrote it as UTF-8."""
    try:
        text = value.decode("utf-8")
        yield "utf-8", text.encode("latin-1")
    except UnicodeEncodeError:
        yield from windows_bytes(text)
    except UnicodeDecodeError:
        return


def windows_bytes(text: str) -> Iterator[tuple[str, bytes]]:
    """The same for a tool that read the bytes as Windows-1252."""
    codes = [_CP1252_BYTES.get(character, ord(character)) for character in text]
    if REPLACED not in text and max(codes) < 0x100:
        yield "utf-8", bytes(codes)


def read_replaced(value: bytes, content_hash: str | None) -> ContentValue | None:
    """Reads a value in which bytes of the lengths became U+FFFD: the hash decides where the blocks end."""
    text = value.decode("utf-8", "replace")
    if REPLACED not in text or len(text) < 2 or content_hash is None:
        return None
    canonical_hash, rest = text[6 : 6 + HASH_TEXT_BYTES], text[6 + HASH_TEXT_BYTES :]
    if text[2:6] == "\0\0\0\0":
        canonical_hash, rest = "", text[6:]
    for content, references in cuts(rest):
        if content_hash in content_hashes(content, references or b""):
            return ContentValue(ord(text[1]), canonical_hash, content, references, "replaced")
    nothing = rest[:LENGTH_BYTES] == "\0\0\0\0"
    if nothing and rest[2 * LENGTH_BYTES :].startswith(REFERENCES_START):
        return ContentValue(ord(text[1]), canonical_hash, b"", rest[8:].encode(), "replaced")
    return None


def cuts(rest: str) -> Iterator[tuple[bytes, bytes | None]]:
    """Every way to split `length content [length references]` without relying on the lengths."""
    tail = rest[LENGTH_BYTES:]
    yield tail.encode(), None
    if tail.endswith("\0\0\0\0"):
        yield tail[:-LENGTH_BYTES].encode(), b""
    start = tail.rfind(REFERENCES_START)
    while start >= LENGTH_BYTES:
        yield tail[: start - LENGTH_BYTES].encode(), tail[start:].encode()
        start = tail.rfind(REFERENCES_START, 0, start)


def content_hashes(content: bytes, references: bytes) -> set[str]:
    """The contentHash in its two historical forms."""
    return {hashlib.sha256(content + references).hexdigest(), hashlib.sha256(content).hexdigest()}


def content_bytes(value: bytes, content_hash: str) -> tuple[bytes, bytes]:
    """Content and references of a Content or ContentV2 record; empty if they are unreadable."""
    if value[:1] == bytes([CONTENT]):
        try:
            parts = read_content(value, content_hash)
        except NotAContentValue:
            return b"", b""
        return parts.content, parts.references or b""
    try:
        members = orjson.loads(value[1:])
        return (
            base64.b64decode(members.get("base64Content") or ""),
            str(members.get("serializedReferences") or "").encode(),
        )
    except (ValueError, AttributeError):
        return b"", b""


def content_value(action: int, canonical_hash: str, content: bytes, references: bytes) -> bytes:
    blocks = (canonical_hash.encode(), content, references)
    return bytes([CONTENT, action]) + b"".join(len(b).to_bytes(LENGTH_BYTES, "big") + b for b in blocks)


def content_v2(
    tenant: str, content_id: object, content_hash: str, canonical_hash: str, content: bytes, references: bytes
) -> tuple[bytes, bytes]:
    """Key and value of a ContentV2 record, which writes a content again under its id."""
    value = {
        "action": CREATE_OR_UPDATE,
        "contentHash": content_hash,
        "canonicalContentHash": canonical_hash,
        "base64Content": base64.b64encode(content).decode(),
        "serializedReferences": references.decode("utf-8", "replace") or None,
    }
    key = {"tenantId": tenant, "contentId": content_id}
    return message(CONTENT_V2, key), message(CONTENT_V2, value)
