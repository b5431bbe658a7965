"""Lines of a file with their byte positions, and the one split that such layouts are read in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from io import BufferedReader
from typing import NamedTuple

from spark.sources import InputFile, Recognition, Split
from spark.storage.files import open_binary

BOM = b"\xef\xbb\xbf"
LOOKED_AT = 200
MAX_LINE_BYTES = 64 * 1024 * 1024
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
UTF_16 = "the file is UTF-16; save it as UTF-8 (in PowerShell: Out-File -Encoding utf8)"


class TextLine(NamedTuple):
    """A line without its end: its start, the next line's start, its text; `is_whole`: a line feed ended it.

    In a file whose first line ends with CR LF, all do; otherwise a CR is part of the text.
    """

    start: int
    end: int
    text: bytes
    is_whole: bool


def lines(split: Split) -> Iterator[TextLine]:
    """The lines that begin in the split."""
    with open_binary(split.path) as file:
        end_of_line = b"\r\n" if file.readline(MAX_LINE_BYTES).endswith(b"\r\n") else b"\n"
        file.seek(0)
        start = file.seek(len(BOM) if split.start == 0 and file.read(len(BOM)) == BOM else split.start)
        yield from _lines(file, start, split.end, end_of_line)


def _lines(file: BufferedReader, start: int, end: int, end_of_line: bytes) -> Iterator[TextLine]:
    while start < end:
        text = file.readline(MAX_LINE_BYTES)
        if not text:
            return
        following = start + len(text)
        yield TextLine(start, following, text.removesuffix(end_of_line), text.endswith(b"\n"))
        start = following


def by_lines(
    file: InputFile,
    head: bytes,
    is_own: Callable[[bytes], object],
    passed_over: re.Pattern[bytes],
    recognition: Recognition,
    otherwise: str,
) -> Recognition:
    """Recognised if at least half of the first lines are a tool's own. `passed_over`: lines that do not count."""
    if head.startswith(UTF_16_MARKS):
        return Recognition(False, UTF_16)
    first_lines = [line for line in head_lines(head, file)[:LOOKED_AT] if not passed_over.match(line)]
    hits = sum(bool(is_own(line)) for line in first_lines)
    return recognition if hits and hits * 2 >= len(first_lines) else Recognition(False, otherwise)


def head_lines(head: bytes, file: InputFile) -> list[bytes]:
    """The lines of a head without their ends; the last one only if the file ends with it."""
    pieces = head.removeprefix(BOM).split(b"\n")
    if file.size_bytes > len(head):
        pieces.pop()
    return [line.rstrip(b"\r") for line in pieces]
