"""A range of the output as windows of whole batches, and the positions where a large file may be cut.

A window ends before a batch whose record lines may continue. A cut is made before a batch line, or before the first of
several lines with one position. A line that names the next dumped file gives the topic of all lines after it.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spark.sources._byte_window import ByteWindow
from spark.sources._split_points import SPLIT_BYTES, split_points
from spark.sources.dump_log_text import fields as f
from spark.sources.dump_log_text.fields import Bytes, Rows
from spark.sources.dump_log_text.walk import walk
from spark.storage.address import is_address
from spark.storage.files import file_size, open_binary

WINDOW_BYTES = 8 * 1024 * 1024
MAX_BATCH_BYTES = 64 * 1024 * 1024  # of text; the lines of a longer batch are read window by window
MAX_LINE_BYTES = 256 * 1024 * 1024
ROWS_PER_WINDOW = 65_536

BATCH_LINE = re.compile(rb"\n(?:baseOffset: \d+ lastOffset: |offset: \d+ position: (\d+) )")
RECORD_LINE = re.compile(rb"\n\| offset: \d+ ")
DUMPING_LINE = re.compile(
    rb"^Dumping ([^\n\r]+\.(?:log|index|timeindex|txnindex|snapshot|checkpoint))\r?$", re.M
)

COMPANION = re.compile(r"\.(index|timeindex|txnindex|snapshot)$")


@dataclass(frozen=True)
class PrintWindow:
    """Walked lines, the bytes they point into (reused by the next window) and their position in the file."""

    rows: Rows
    buffer: Bytes
    base: int
    is_last: bool
    is_parted: bool  # the last batch goes on in the next window


def windows(path: str, start: int, end: int, window_bytes: int = WINDOW_BYTES) -> Iterator[PrintWindow]:
    """The lines that begin in start..end."""
    with open_binary(path, 0) as file:
        window = ByteWindow(file, start, end, max(256, min(window_bytes, end - start)))
        rows = np.empty((min(ROWS_PER_WINDOW, len(window.buffer) // 8 + 8), f.FIELDS), np.int64)
        while not window.is_all or window.used:
            window.fill()
            is_end = window.is_all or len(window.buffer) >= MAX_LINE_BYTES
            count, done = walk(window.buffer, window.used, is_end, rows)
            is_last = window.is_all and done == window.used
            taken = count if is_last else whole_batches(rows[:count], window.used >= MAX_BATCH_BYTES)
            if not taken and count == len(rows):
                rows = np.empty((2 * len(rows), f.FIELDS), np.int64)
            done = int(rows[taken - 1, f.END]) if taken else 0
            if taken:
                is_parted = not is_last and taken == count
                yield PrintWindow(rows[:taken], window.buffer, window.base, is_last, is_parted)
            window.drop(done)


def whole_batches(rows: Rows, is_large: bool) -> int:
    """How many rows to take without splitting a batch; all if no batch is named or one is too large."""
    kinds = rows[:, f.KIND]
    is_deep = kinds == f.DEEP
    goes_on = np.isin(kinds, (f.RECORD, f.ODD, f.CUT))
    goes_on[1:] |= is_deep[1:] & is_deep[:-1] & (rows[1:, f.POSITION] == rows[:-1, f.POSITION])
    begins = np.flatnonzero(~goes_on)
    if len(begins) and begins[-1] > 0:
        return int(begins[-1])
    return len(rows) if is_large or not len(begins) else 0


def borders(path: str, split_bytes: int = SPLIT_BYTES) -> list[tuple[int, str, int]]:
    """Positions to cut about every `split_bytes`, each with the dumped file of its lines and the number of segments begun
    before it; then the file's size."""
    size_bytes = file_size(path)
    if size_bytes <= split_bytes * 3 // 2 or is_address(path):  # lines far before a place tell whose it is
        return [(0, "", 0), (size_bytes, "", 0)]
    with Path(path).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        points = split_points(
            size_bytes, lambda start: find_border(text, start, start + split_bytes), split_bytes
        )
        return [*named(text, points[:-1]), (size_bytes, "", 0)]


def find_border(text: mmap.mmap, start: int, end: int) -> int | None:
    """The first position after `start` where a batch begins."""
    before: bytes | None = None
    for match in BATCH_LINE.finditer(text, start, min(end, len(text))):
        if match[1] is None or (before is not None and match[1] != before):
            return match.start() + 1
        before = match[1]
    first_record = RECORD_LINE.search(text, start, min(end, len(text)))
    return first_record.start() + 1 if first_record else None


def named(text: mmap.mmap, borders: list[int]) -> list[tuple[int, str, int]]:
    """Each position with the last file named before it, and the number of segments before it."""
    named_borders = []
    dumped, segments = "", 0
    position = text.find(b"Dumping ")
    for border in borders:
        while 0 <= position < border:
            begins_line = position == 0 or text[position - 1 : position] == b"\n"
            match = DUMPING_LINE.match(text, position) if begins_line else None
            if match:
                dumped = match[1].decode(errors="replace")
                segments += is_segment(dumped)
            position = text.find(b"Dumping ", position + 1)
        named_borders.append((border, dumped, segments))
    return named_borders


def dumped_files(path: str) -> list[str]:
    """The files that `Dumping` lines name, of the first bytes of an output."""
    with open_binary(path, 0) as file:
        return [name.decode(errors="replace") for name in DUMPING_LINE.findall(file.read(MAX_BATCH_BYTES))]


def is_segment(dumped: str) -> bool:
    """Whether a file of this name is part of the log, not an index."""
    return bool(dumped) and not COMPANION.search(dumped)
