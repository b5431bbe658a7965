"""Encodings in which a text may hide: base64, and two or four bytes a character without a byte order mark.

Base64 as in journals: standard or URL-safe alphabet, with or without padding, in one or several lines. Wide characters are
bytes that UTF-8 reads as characters between zeros. Source: RFC 4648, sections 4 and 5; RFC 2045, 6.8 for lines;
RFC 2781, section 4.3; Unicode Standard, chapter 23.8.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

MIN_LENGTH = 9  # characters; shorter words are words
ENCODED = re.compile(r"[A-Za-z0-9+/_\r\n-]+={0,2}[\r\n]*")
LINES = str.maketrans("", "", "\r\n")
USUAL = str.maketrans("-_", "+/")
MIN_ZEROS = 4  # one byte of so many is zero, at least
WIDTHS = (("utf-32-be", 4), ("utf-32-le", 4), ("utf-16-be", 2), ("utf-16-le", 2))


def decoded(text: str) -> str | None:
    """The encoded text; None if the text is not base64, is too short, or does not encode UTF-8."""
    if len(text) < MIN_LENGTH or not ENCODED.fullmatch(text):
        return None
    letters = text.translate(LINES).translate(USUAL).rstrip("=")
    try:
        return base64.b64decode(letters + "=" * (-len(letters) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def encoded(text: str) -> str:
    return base64.b64encode(text.encode("utf-8", "surrogatepass")).decode()


@dataclass(frozen=True)
class Wide:
    """A text with the encoding that it stood in; without one, its zero bytes were removed."""

    text: str
    encoding: str

    def encoded(self, masked: str) -> bytes:
        """The text as it was written."""
        return masked.encode(self.encoding or "utf-8", "surrogatepass")


def narrowed(data: bytes) -> Wide | None:
    """The text of wide characters; None if the bytes do not have that width."""
    zeros = data.count(0)
    if not zeros or zeros * MIN_ZEROS < len(data):
        return None
    for encoding, width in WIDTHS:
        if len(data) % width == 0 and (text := _read(data, encoding)) is not None:
            return Wide(text, encoding)
    return Wide(data.replace(b"\0", b"").decode("utf-8", "replace"), "")


def _read(data: bytes, encoding: str) -> str | None:
    """The characters; None if some bytes are not characters, or are zeros of the text itself."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    is_text = "\0" not in text and all(letter.isprintable() or letter in "\t\r\n" for letter in text)
    return text if is_text else None
