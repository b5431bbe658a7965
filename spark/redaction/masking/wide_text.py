"""Text in two or four bytes a letter without a mark that says so: bytes that UTF-8 reads as letters between zeros.

Source: RFC 2781, section 4.3; Unicode Standard, chapter 23.8.
"""

from __future__ import annotations

from dataclasses import dataclass

MIN_ZEROS = 4  # one byte of so many is zero, at least
WIDTHS = (("utf-32-be", 4), ("utf-32-le", 4), ("utf-16-be", 2), ("utf-16-le", 2))


@dataclass(frozen=True)
class Wide:
    """The text, and the encoding that it stood in; without one its zeros were taken out."""

    text: str
    encoding: str

    def encoded(self, masked: str) -> bytes:
        """The text as it was written."""
        return masked.encode(self.encoding or "utf-8", "surrogatepass")


def narrowed(data: bytes) -> Wide | None:
    """The text in it; None where the bytes are not that wide."""
    zeros = data.count(0)
    if not zeros or zeros * MIN_ZEROS < len(data):
        return None
    for encoding, width in WIDTHS:
        if len(data) % width == 0 and (text := _read(data, encoding)) is not None:
            return Wide(text, encoding)
    return Wide(data.replace(b"\0", b"").decode("utf-8", "replace"), "")


def _read(data: bytes, encoding: str) -> str | None:
    """Letters; None where some of it is none or has zeros of its own."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return (
        text
        if "\0" not in text and all(letter.isprintable() or letter in "\t\r\n" for letter in text)
        else None
    )
