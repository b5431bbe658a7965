"""Where a large file may be cut: about every so many bytes, at the start of the next record."""

from __future__ import annotations

import re
from collections.abc import Callable

from spark.storage.files import open_binary

SPLIT_BYTES = 24 * 1024 * 1024
READ_BYTES = 1024 * 1024
MAX_MATCH_BYTES = 1024  # of what is searched for


def split_points(
    size_bytes: int, next_record: Callable[[int], int | None], split_bytes: int = SPLIT_BYTES
) -> list[int]:
    """0, the split points, the file's size. `next_record`: where a record begins from a position on, or None if not near it."""
    points = [0]
    while size_bytes - points[-1] > split_bytes * 3 // 2:
        point = next_record(points[-1] + split_bytes)
        if point is None:
            break
        points.append(point)
    return [*points, size_bytes]


def find_behind(path: str, pattern: re.Pattern[bytes], start: int, end: int | None = None) -> int | None:
    """The position after the first match from `start` on, searched in blocks up to `end`."""
    with open_binary(path) as file:
        file.seek(start)
        text = b""
        while (end is None or start < end) and (block := file.read(READ_BYTES)):
            text = text[-MAX_MATCH_BYTES:] + block
            start += len(block)
            if match := pattern.search(text):
                return start - len(text) + match.end()
    return None
