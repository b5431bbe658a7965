"""The text that a record's value holds for its service: a schema inside JSON, or inside blocks with their lengths
(`spark.codecs.length_blocks`).

Binary journals write a schema as one of several blocks, JSON journals as a string member that is often JSON itself.
"""

from __future__ import annotations

import json
import re
from typing import Any

from spark.codecs import json_text
from spark.codecs.length_blocks import read_blocks
from webapp.reports.values.bytes_text import as_text, read

PREFIX_BYTES = 8
MAX_BYTES = 1_000_000
DIGEST = re.compile(rb"[0-9a-f]{32,128}")  # a hash is a block, too, and longer than a small schema
MAX_DEPTH = 3  # levels of JSON inside a string of JSON


def held_text(value: bytes | None) -> str | None:
    """The text as people read it; None where there is no value or it is no text."""
    if not value or len(value) > MAX_BYTES:
        return None
    inner = longest_block(value)
    reading = read(inner if inner is not None else value)
    if reading.form == "json" and inner is None:
        return expanded(value, reading.text)
    return reading.text if reading.form in ("json", "text") else None


def longest_block(value: bytes) -> bytes | None:
    """The longest of the blocks behind a value's prefix that is no digest; None where there are no blocks."""
    blocks = read_blocks(value, PREFIX_BYTES)
    return blocks and max(blocks[1], key=lambda block: (not DIGEST.fullmatch(block), len(block)))


def expanded(value: bytes, otherwise: str) -> str:
    """JSON with the JSON that stands in its strings laid out, too."""
    start = min((position for position in (value.find(b"{"), value.find(b"[")) if position >= 0), default=0)
    try:
        document = json_text.read(value[start:])
    except ValueError:
        return otherwise
    text = json.dumps(_laid_out(document, 0), indent=2, ensure_ascii=False)
    return as_text(text.encode("utf-8", "backslashreplace"))


def _laid_out(document: Any, depth: int) -> Any:
    if isinstance(document, dict):
        return {name: _laid_out(member, depth) for name, member in document.items()}
    if isinstance(document, list):
        return [_laid_out(member, depth) for member in document]
    if isinstance(document, str) and depth < MAX_DEPTH and document.lstrip()[:1] in ("{", "["):
        try:
            return _laid_out(json_text.read(document), depth + 1)
        except ValueError:
            return document
    return document
