"""Text in base64, as journals hold it: the usual alphabet or that of addresses, with or without padding, in lines or in one.

Source: RFC 4648, sections 4 and 5; RFC 2045, 6.8 for lines.
"""

from __future__ import annotations

import base64
import binascii
import re

LEAST = 9  # characters; shorter words are words
ENCODED = re.compile(r"[A-Za-z0-9+/_\r\n-]+={0,2}[\r\n]*")
LINES = str.maketrans("", "", "\r\n")
USUAL = str.maketrans("-_", "+/")


def decoded(text: str) -> str | None:
    """What it encodes; None for what is no base64, too short, or encodes no UTF-8."""
    if len(text) < LEAST or not ENCODED.fullmatch(text):
        return None
    letters = text.translate(LINES).translate(USUAL).rstrip("=")
    try:
        return base64.b64decode(letters + "=" * (-len(letters) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def encoded(told: str) -> str:
    """The text in base64."""
    return base64.b64encode(told.encode("utf-8", "surrogatepass")).decode()
