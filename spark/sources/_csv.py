"""A CSV file as windows of records, in bounded memory: what `spark.sources._json.stream` is for JSON.

These exports quote nothing, so each layout has a cutter of its own. It takes bytes that begin a row and returns the rows,
each with the positions of its cells, and how far it came. What it leaves between rows is damage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from spark.sources._json import scan
from spark.sources._json.spans import columns
from spark.sources._json.stream import MAX_RECORD_BYTES, WINDOW_BYTES, StreamWindow, UnreadSpan
from spark.sources._lines.lines import BOM
from spark.storage.files import open_binary

Cell = tuple[int, int]  # start, end; an empty cell is null
# Start, end with its line feed, cells in the order of the layout's names.
Row = tuple[int, int, Sequence[Cell]]
Cutter = Callable[[bytes, bool], tuple[list[Row], int]]  # bytes, whether all is there -> rows, bytes done

_HIGH = re.compile(rb"[\x80-\xff]")


@dataclass
class _Found:
    """Rows of one window, with the damage between them."""

    content: bytes
    base: int
    rows: list[Row] = field(default_factory=list)
    damage: list[UnreadSpan] = field(default_factory=list)


def windows(
    cutter: Cutter,
    path: str,
    start: int,
    end: int,
    names: Sequence[str],
    window_bytes: int = WINDOW_BYTES,
    has_header: bool = True,
) -> Iterator[StreamWindow]:
    """Rows that begin in start..end. At the file's start, the header or a byte order mark is skipped."""
    rest, base, read_bytes = b"", start, max(16, window_bytes)
    with open_binary(path) as file:
        file.seek(start)
        if start == 0:
            first = file.readline(64 * 1024)
            base = len(first) if has_header else len(BOM) * first.startswith(BOM)
        while True:
            file.seek(base + len(rest))
            block = file.read(max(0, min(read_bytes, end - base - len(rest))))
            is_all = base + len(rest) + len(block) >= end or not block
            content = rest + block
            rows, done = cutter(content, is_all or len(content) >= MAX_RECORD_BYTES)
            yield from _windows(_with_damage(content, base, rows, done, is_all), len(names))
            rest, base = content[done:], base + done
            read_bytes = window_bytes if done else read_bytes * 2
            if is_all:
                return


def _with_damage(content: bytes, base: int, rows: list[Row], done: int, is_all: bool) -> _Found:
    window_rows, position = _Found(content, base, rows), 0
    for start, end, _ in rows:
        window_rows.damage += _damage(content, base, position, start, False)
        position = end
    window_rows.damage += _damage(content, base, position, done, is_all)
    return window_rows


def _damage(content: bytes, base: int, start: int, end: int, is_last: bool) -> list[UnreadSpan]:
    """The bytes between two rows, unless they are white space."""
    if not content[start:end].strip():
        return []
    why = scan.CUT_OFF if is_last and content[end - 1 : end] != b"\n" else scan.NOT_A_ROW
    return [UnreadSpan(base + start, base + end, why, base + (end if is_last else start), is_last)]


def _windows(window_rows: _Found, width: int) -> Iterator[StreamWindow]:
    if not window_rows.rows and not window_rows.damage:
        return
    buffer = np.frombuffer(bytearray(window_rows.content) or bytearray(1), np.uint8)
    places = np.array([row[:2] for row in window_rows.rows], np.int64).reshape(-1, 2) + window_rows.base
    cells = np.array([row[2] for row in window_rows.rows], np.int64).reshape(-1, width, 2)
    starts, ends = np.ascontiguousarray(cells[:, :, 0]), np.ascontiguousarray(cells[:, :, 1])
    kinds = np.where(ends > starts, scan.STRING, scan.NULL).astype(np.uint8)
    if _HIGH.search(window_rows.content):
        kinds |= _high_flags(buffer, starts, ends)
    yield StreamWindow(columns(buffer, kinds, starts, ends), places[:, 0], places[:, 1], window_rows.damage)


def _high_flags(buffer: scan.Bytes, starts: scan.Places, ends: scan.Places) -> scan.Bytes:
    """The scanner's flag for cells with bytes above 0x7F."""
    before = np.concatenate([[0], np.cumsum(buffer >= 0x80)])
    return np.where(before[ends] > before[starts], scan.HIGH, 0).astype(np.uint8)
