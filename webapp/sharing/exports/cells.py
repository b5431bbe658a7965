"""Bytes of a record as text: as they are where they are UTF-8, else as base64, and the name of which it is."""

from __future__ import annotations

import base64
from typing import Any

UTF_8, BASE64 = "utf-8", "base64"


def render(data: bytes | None) -> tuple[str | None, str | None]:
    """The text and its encoding; nothing and nothing for null."""
    if data is None:
        return None, None
    try:
        return data.decode(), UTF_8
    except UnicodeDecodeError:
        return base64.b64encode(data).decode("ascii"), BASE64


def render_headers(headers: list[dict[str, Any]] | None) -> tuple[list[str | None] | None, str | None]:
    """`[name, value, name, value]` and the encoding of the values; None where the source carries no headers."""
    if headers is None:
        return None, None
    values = [header["value"] for header in headers]
    is_text = all(render(value)[1] in (UTF_8, None) for value in values)
    flat: list[str | None] = []
    for header in headers:
        flat += [(header["key"] or b"").decode(errors="replace"), _value(header["value"], is_text)]
    return flat, UTF_8 if is_text else BASE64


def _value(data: bytes | None, is_text: bool) -> str | None:
    if data is None:
        return None
    return data.decode() if is_text else base64.b64encode(data).decode("ascii")
