"""A JSON array whose items are records themselves, whatever they are: the window functions of such a layout."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from spark.sources._json import scan
from spark.sources._json.stream import WINDOW_BYTES, StreamWindow
from spark.sources._json.stream import windows as all_windows
from spark.storage.files import read_bytes

OPENING = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[")
LOOKED_AT_BYTES = 64 * 1024


def windows(
    path: str, start: int, end: int, names: Sequence[str], window_bytes: int = WINDOW_BYTES
) -> Iterator[StreamWindow]:
    """The items that begin in start..end, the file's opening bracket left out."""
    opening = OPENING.match(read_bytes(path, LOOKED_AT_BYTES))
    first = max(start, opening.end()) if opening else start
    return all_windows(path, first, max(first, end), names, window_bytes, scan.scan_values)
