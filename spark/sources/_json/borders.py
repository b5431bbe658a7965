"""Where a big file may be cut: before an object that stands first on its line, as far indented as the first one.

A string holds no line feed, and what is nested in an object stands further in, so such a place begins a record.
A file without such places (an array on one line) stays whole.
"""

from __future__ import annotations

from spark.storage.files import file_size, open_binary

SPLIT_BYTES = 24 * 1024 * 1024
READ_BYTES = 1024 * 1024
HEAD_BYTES = 64 * 1024


def borders(path: str, split_bytes: int = SPLIT_BYTES) -> list[int]:
    """0, places to cut about every `split_bytes`, the file's size."""
    size_bytes = file_size(path)
    places = [0]
    opening = _opening(path)
    while opening and size_bytes - places[-1] > split_bytes * 3 // 2:
        place = _find(path, opening, places[-1] + split_bytes, places[-1] + 2 * split_bytes)
        if place is None:
            break
        places.append(place)
    return [*places, size_bytes]


def _opening(path: str) -> bytes | None:
    """Line feed, indent and brace of the first record."""
    with open_binary(path) as file:
        head = file.read(HEAD_BYTES)
    brace = head.find(b"{")
    indent = head[head.rfind(b"\n", 0, max(brace, 0)) + 1 : max(brace, 0)].removeprefix(b"\xef\xbb\xbf")
    return b"\n" + indent + b"{" if brace >= 0 and indent.strip() in (b"", b"data:") else None


def _find(path: str, opening: bytes, start: int, end: int) -> int | None:
    """First place behind a line feed from `start` on where `opening` stands."""
    with open_binary(path) as file:
        file.seek(start)
        tail = b""
        while start < end and (block := file.read(READ_BYTES)):
            found = (tail + block).find(opening)
            if found >= 0:
                return start - len(tail) + found + 1
            start += len(block)
            tail = (tail + block)[-len(opening) + 1 :]
    return None
