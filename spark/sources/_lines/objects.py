"""JSON objects of a file one by one, one after another or in an array, read in plain Python."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from spark.sources import Split
from spark.storage.files import read_bytes

MAX_BYTES = 1 << 28
decoder = json.JSONDecoder(strict=False)


def objects(split: Split) -> Iterator[tuple[int, int, Any]]:
    """Objects that begin in the split, with their positions in its text; invalid text up to the next object is None."""
    text = read_bytes(split.path).decode("utf-8", "replace")
    at = 0
    while (begin := text.find("{", at)) >= 0 and begin < max(split.end, 1):
        try:
            members, at = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            following = text.find("\n{", begin + 1)
            at = following + 1 if following >= 0 else len(text)
            yield begin, at, None
            continue
        yield begin, at, members
