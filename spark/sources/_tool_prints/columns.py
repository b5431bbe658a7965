"""Tables of padded columns, as Kafka's tools print them: a header of names, then a row a line.

    header  => name (spaces name)*          row => cell (spaces cell)*

A cell holds no space; one that is empty is printed as `-` or as nothing. A row is of the table when it has as many cells
as the header has names (the last may be missing), and a header may come again for another group.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

Row = dict[str, str]
ENDS = re.compile(r"[│|]?\s*$")


def rows(text: str, headers: Collection[tuple[str, ...]], least: int = 1) -> Iterator[Row]:
    """Rows of every table with one of these headers; up to `least` - 1 cells at a row's end may be missing."""
    header: tuple[str, ...] | None = None
    for line in text.splitlines():
        cells = cells_of(line)
        if (starts := beginning(cells, headers)) is not None:
            header = starts
        elif not cells:
            continue
        elif header is not None and len(header) - least < len(cells) <= len(header):
            yield dict(zip(header, cells, strict=False))


def beginning(cells: tuple[str, ...], headers: Collection[tuple[str, ...]]) -> tuple[str, ...] | None:
    """The header that a line is, whatever prompt precedes it."""
    for header in headers:
        if cells[-len(header) :] == header and len(cells) <= len(header) + 3:
            return header
    return None


def cells_of(line: str) -> tuple[str, ...]:
    return tuple(ENDS.sub("", line).replace(",", " ").split())


def number(cell: str | None) -> int | None:
    """A 64-bit integer; None for `-`, `None` and anything else."""
    if cell is None or not re.fullmatch(r"-?\d{1,19}", cell, re.ASCII):
        return None
    value = int(cell)
    return value if -(2**63) <= value < 2**63 else None
