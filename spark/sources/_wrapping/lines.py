"""Lines of an uploaded text with their positions in the upload's bytes, in any encoding.

A byte order mark and the ends of lines (LF, CR LF) belong to no line; UTF-16 becomes UTF-8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

UTF_8_MARK, UTF_16_MARKS = b"\xef\xbb\xbf", {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
HEAD_BYTES = 4096
MOSTLY = 0.9
TEXT_BYTES = bytes([8, 9, 10, 11, 12, 13, 27, *range(32, 256)])
FIRST_BYTES = 8  # a log segment begins with an offset, whose first byte is 0
MAX_CONTROLS = 0.02  # share of a text's bytes: values may be binary


@dataclass(frozen=True, slots=True)
class UploadLine:
    """`start`, `end`: its bytes in the upload, including the line end; `text` excludes it."""

    number: int
    start: int
    end: int
    text: bytes

    def with_text(self, text: bytes) -> UploadLine:
        return self if text == self.text else replace(self, text=text)


def encoding_of(head: bytes) -> str | None:
    """utf-8, utf-16-le, utf-16-be, or None for bytes that are not text."""
    if head[:2] in UTF_16_MARKS:
        return UTF_16_MARKS[head[:2]]
    head = head[:HEAD_BYTES]
    for name, first in (("utf-16-le", 1), ("utf-16-be", 0)):
        zeros = head[first::2].count(0)
        if zeros > len(head) // 2 * MOSTLY and head[1 - first :: 2].count(0) == 0:
            return name
    controls = len(head.translate(None, TEXT_BYTES))
    return None if b"\0" in head[:FIRST_BYTES] or controls > len(head) * MAX_CONTROLS else "utf-8"


def lines_of(content: bytes, encoding: str) -> list[UploadLine]:
    upload_lines = utf_16_lines(content, encoding) if encoding.startswith("utf-16") else utf_8_lines(content)
    with_cr = sum(line.text.endswith(b"\r") for line in upload_lines)
    if not with_cr or with_cr < (len(upload_lines) - 1) * MOSTLY:
        return upload_lines
    return [line.with_text(line.text.removesuffix(b"\r")) for line in upload_lines]


def utf_8_lines(content: bytes) -> list[UploadLine]:
    """Lines between line feeds."""
    upload_lines: list[UploadLine] = []
    start = len(UTF_8_MARK) if content.startswith(UTF_8_MARK) else 0
    while start < len(content):
        feed = content.find(b"\n", start)
        end = feed + 1 if feed >= 0 else len(content)
        upload_lines.append(UploadLine(len(upload_lines) + 1, start, end, content[start : end - (feed >= 0)]))
        start = end
    return upload_lines


def utf_16_lines(content: bytes, encoding: str) -> list[UploadLine]:
    """The same for UTF-16; invalid characters become U+FFFD."""
    upload_lines: list[UploadLine] = []
    start = 2 if content[:2] in UTF_16_MARKS else 0
    for text in content[start:].decode(encoding, errors="replace").split("\n"):
        end = min(len(content), start + 2 * (len(text) + sum(letter > "\uffff" for letter in text)) + 2)
        if end > start:
            upload_lines.append(UploadLine(len(upload_lines) + 1, start, end, text.encode(errors="replace")))
        start = end
    return upload_lines
