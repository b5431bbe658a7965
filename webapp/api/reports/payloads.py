"""Bytes in JSON: base64 always, and the text where they are UTF-8. Null, empty and absent stay apart."""

from __future__ import annotations

from binascii import b2a_base64
from typing import Any

from spark.codecs import json_text


def payload(data: bytes | None) -> dict[str, Any] | None:
    """`{"base64": "...", "text": "..." or null}`; None for null."""
    if data is None:
        return None
    whole = bytes(data)
    try:
        text = whole.decode()
    except UnicodeDecodeError:
        text = None
    return {"base64": b2a_base64(whole, newline=False).decode("ascii"), "text": text}


def headers(pairs: list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
    """In order, duplicates kept; None where the layout carries none."""
    if pairs is None:
        return None
    return [{"key": payload(header["key"] or b""), "value": payload(header["value"])} for header in pairs]


def attributes(text: str | None) -> Any:
    """What a dialect read, as an object; the text itself where it is no JSON."""
    if text is None:
        return None
    try:
        return json_text.read(text, parse_constant=str)
    except ValueError:
        return text
