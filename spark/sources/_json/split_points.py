"""Where a big file may be cut: before an object that stands first on its line, as far indented as the first one.

A string holds no line feed, and what is nested in an object stands further in, so such a place begins a record.
A file without such places (an array on one line) stays whole.
"""

from __future__ import annotations

import re

from spark.sources._split_points import SPLIT_BYTES, find_behind, split_points
from spark.storage.files import file_size, read_bytes

HEAD_BYTES = 64 * 1024


def borders(path: str, split_bytes: int = SPLIT_BYTES) -> list[int]:
    """0, positions to cut about every `split_bytes`, the file's size."""
    size_bytes = file_size(path)
    opening = _opening(path)
    if opening is None:
        return [0, size_bytes]
    pattern = re.compile(rb"\n(?=%b)" % re.escape(opening))
    return split_points(
        size_bytes, lambda start: find_behind(path, pattern, start, start + split_bytes), split_bytes
    )


def _opening(path: str) -> bytes | None:
    """Indent and brace of the first record."""
    head = read_bytes(path, HEAD_BYTES)
    brace = head.find(b"{")
    indent = head[head.rfind(b"\n", 0, max(brace, 0)) + 1 : max(brace, 0)].removeprefix(b"\xef\xbb\xbf")
    return indent + b"{" if brace >= 0 and indent.strip() in (b"", b"data:") else None
