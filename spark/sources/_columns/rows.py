"""Lines and rows of a table with their positions in the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from spark.sources._lines.lines import BOM

Cells = list[str]


class PlacedLine(NamedTuple):
    """A line as text without its end, and where it is."""

    start: int
    end: int
    text: str
    raw: bytes


class TableRow(NamedTuple):
    """A row; `cells` is None if it has more or fewer than the header, or cannot be cut into cells."""

    start: int
    end: int
    cells: Cells | None
    raw: bytes = b""
    width: int = 0  # cells, where they do not suit the header


def placed_lines(content: bytes) -> Iterator[PlacedLine]:
    text = content.removeprefix(BOM)
    start = len(content) - len(text)
    for raw in text.splitlines(keepends=True):
        yield PlacedLine(start, start + len(raw), raw.decode("utf-8", "replace").rstrip("\r\n"), raw)
        start += len(raw)
