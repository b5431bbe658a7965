"""What changed from one value of a key to the next, line by line, within bounds."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from itertools import islice

from webapp.reports.values.bytes_text import read

MAX_BYTES = 100_000  # difflib needs time that grows with the square of the lines
MAX_LINES = 2000
LINES_SHOWN = 120
LONG_LINE = 400


@dataclass(frozen=True)
class DifferenceLine:
    """`kind` is added | removed | same | place."""

    kind: str
    text: str


@dataclass(frozen=True)
class Difference:
    """Lines to show, or a sentence instead of them."""

    lines: list[DifferenceLine]
    note: str = ""


def compare(before: bytes | None, after: bytes | None) -> Difference:
    """The difference between two values of one key."""
    if before == after:
        return Difference(
            [], "The same bytes again." if after is not None else "A second delete of a deleted key."
        )
    if after is None:
        return Difference([], f"The value ({len(before or b''):,} bytes) is deleted.")
    if before is None:
        return Difference([], "Written after a delete: nothing to compare with.")
    if len(before) + len(after) > MAX_BYTES:
        return Difference([], f"Too large to compare here ({len(before):,} and {len(after):,} bytes).")
    return _compare_lines(_lines(before), _lines(after))


def compare_texts(before: str, after: str) -> Difference:
    """The difference between two texts that are laid out in lines already."""
    if before == after:
        return Difference([], "The same text.")
    if len(before) + len(after) > MAX_BYTES:
        return Difference([], f"Too large to compare here ({len(before):,} and {len(after):,} characters).")
    return _compare_lines(_cut(before), _cut(after))


def _compare_lines(before: list[str], after: list[str]) -> Difference:
    if len(before) + len(after) > MAX_LINES:
        return Difference([], f"Too long to compare here ({len(before):,} and {len(after):,} lines).")
    changes = difflib.unified_diff(before, after, lineterm="", n=2)
    lines = [_line(text) for text in islice(changes, 2, LINES_SHOWN + 3)]
    if not lines:
        return Difference([], "Different bytes with the same meaning (spaces or member order differ).")
    note = f"The first {LINES_SHOWN} lines of the difference." if len(lines) > LINES_SHOWN else ""
    return Difference(lines[:LINES_SHOWN], note)


def _lines(data: bytes) -> list[str]:
    return _cut(read(data).text)


def _cut(text: str) -> list[str]:
    return [line[:LONG_LINE] for line in text.splitlines()]


def _line(text: str) -> DifferenceLine:
    kinds = {"+": "added", "-": "removed", "@": "place", " ": "same"}
    return DifferenceLine(kinds.get(text[:1], "same"), text)
