"""A large text with other lines only before its first and after its last records: its middle is used unchanged.

Both ends are read line by line. If they are one tool's output, unchanged, with no mark between them, the bytes between are
one piece with consecutive positions in the upload.
"""

from __future__ import annotations

from dataclasses import replace

from spark.sources._wrapping.lines import UploadLine, lines_of
from spark.sources._wrapping.marks import WORTH_A_LOOK
from spark.sources._wrapping.parts import read_parts
from spark.sources._wrapping.pieces import Aside, ToolOutput
from spark.sources._wrapping.tools import tool_at

LARGE_BYTES = 8 * 1024 * 1024
END_BYTES = 64 * 1024


def of_large(text: bytes) -> tuple[list[ToolOutput], list[Aside]] | None:
    """The only output of a large text and the lines around it; None if every line must be read."""
    first, last = border(text, END_BYTES), border(text, len(text) - END_BYTES)
    if len(text) < LARGE_BYTES or first is None or last is None or b"\r\n" in text[:END_BYTES]:
        return None
    if WORTH_A_LOOK.search(text, first - 1, last):
        return None
    head, before = read_parts(lines_of(text[:first], "utf-8"))
    lines = text.count(b"\n", 0, last)
    tail, behind = read_parts([moved(line, lines, last) for line in lines_of(text[last:], "utf-8")])
    if not is_one_print(head, tail) or is_repeated(text, head[0], last):
        return None
    middle = UploadLine(head[0].lines[-1].number + 1, first, last, text[first : last - 1])
    joined = [*head[0].lines, middle, *tail[0].lines]
    begins = [*head[0].begins, True, *tail[0].begins]
    return [replace(head[0], lines=joined, begins=begins)], [*before, *behind]


def border(text: bytes, position: int) -> int | None:
    """Where a tool's line begins after a position."""
    end = min(len(text), position + END_BYTES)
    line_start = text.find(b"\n", max(0, position), end) + 1
    while line_start:
        if tool_at(text[line_start : line_start + 400].split(b"\n")[0]):
            return line_start
        line_start = text.find(b"\n", line_start, end) + 1
    return None


def moved(line: UploadLine, lines: int, position: int) -> UploadLine:
    return replace(line, number=line.number + lines, start=line.start + position, end=line.end + position)


def is_one_print(head: list[ToolOutput], tail: list[ToolOutput]) -> bool:
    if len(head) != 1 or len(tail) != 1 or head[0].tool != tail[0].tool:
        return False
    return not (head[0].undone or tail[0].undone or tail[0].command or head[0].is_closed)


def is_repeated(text: bytes, head: ToolOutput, last: int) -> bool:
    """Whether the first line occurs again: a second run of the tool."""
    first = head.lines[0]
    return text.find(b"\n" + first.text + b"\n", first.end, last) >= 0
