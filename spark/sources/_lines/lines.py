"""Lines of a file with their byte positions, the only split that such layouts need, and JSON objects within a file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from io import BufferedReader
from typing import Any, NamedTuple

from spark.sources import InputFile, Recognition, Split
from spark.storage.files import open_binary, read_bytes

BOM = b"\xef\xbb\xbf"
CLEAN = str.maketrans({"\u00a0": " ", "\u2028": "\n", "\r": None, "\ufeff": None})
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


def is_utf_16(head: bytes) -> bool:
    """Whether a byte order mark says so."""
    return head.startswith(UTF_16_MARKS)


@lru_cache(maxsize=2)  # several layouts ask for the same head
def text_of_head(head: bytes) -> str:
    return text_of(head)


def text_of(content: bytes) -> str:
    """Bytes as text, with plain spaces and line feeds."""
    return content.decode("utf-16" if is_utf_16(content) else "utf-8", errors="replace").translate(CLEAN)
