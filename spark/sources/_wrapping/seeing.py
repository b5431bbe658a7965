"""Classifies a line: a tool's, a mark, or other text; and whether the record that begins in it is complete."""

from __future__ import annotations

import re
from collections.abc import Sequence

from spark.sources._grammar.values import JsonNesting, json_after
from spark.sources._wrapping import marks
from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.marks import Mark, mark_of, prompted
from spark.sources._wrapping.pieces import ClassifiedLine
from spark.sources._wrapping.prefixes import PIECES, Shape, behind_prefix, end_of, without_closing
from spark.sources._wrapping.soften import soften
from spark.sources._wrapping.tools import Tool, labelled, tool_at

CLOSERS = re.compile(rb"[ \t]*(?:`{3,}|~{3,}|\{(?:code|noformat)\}|\[/(?:code|quote)\])[ \t]*$")
COMMENTED = re.compile(
    rb"([^\n]*::(?:OffsetAndMetadata|GroupMetadata|TransactionMetadata)\(.*\))([ \t]+(?://|#|<-|\xe2\x86\x90)[^\n]*)$"
)
OPENING = re.compile(rb"\s*(?:`{3,}|~{3,})[ \t]*[\w+.#-]")  # a fence with a language never closes
BARE_FENCE = re.compile(rb"\s*(?:`{3,}|~{3,})\s*$")
MARKED = re.compile(rb"[ \t]*(?:[-*+][ \t]+)?[`*\"]")  # a key `x` in `x::NULL` may begin like anything
CONSOLE_VALUE = re.compile(rb"[{\[]")


def classify(
    line: UploadLine, usual: Shape, indent: int | None, is_html: bool, expected: Tool | None = None
) -> ClassifiedLine:
    """A line's class, after removing its prefix and a page's markup. `expected`: rows that the lines before announce."""
    tool = tool_at(line.text)
    if tool is None and marks.FENCES.match(line.text) and line.text.strip():
        return ClassifiedLine(line, None, Mark(marks.FENCE))
    text, undone = soften(line.text, is_html)
    tool = tool_at(text) or (tool if text == line.text else None)
    if tool and not (MARKED.match(text) and tool.id == "formatter" and behind_prefix(text, usual)):
        if mark := glued_to(text):
            return ClassifiedLine(line.with_text(text), None, mark, (), undone)
        if tool.is_logged and (shape := commented(text)):
            rest = text[end_of(text, shape) :]
            return ClassifiedLine(line.with_text(rest), tool, None, shape, undone | {"prefix"})
        return ClassifiedLine(line.with_text(text), tool, None, (), undone)
    if expected and not end_of(text, usual) and expected.begins.match(text):
        return ClassifiedLine(line.with_text(text), expected, None, (), undone)
    if prefix := behind_prefix(text, usual, expected):
        tool, position, shape = prefix
        rest, more = soften(without_closing(text, position, shape), is_html)
        return ClassifiedLine(line.with_text(rest), tool, None, shape, undone | more | {"prefix"})
    mark = mark_of(text)
    if (mark is None or mark.kind in (marks.COMMENT, marks.PROGRAM)) and (tool := labelled(text)):
        return ClassifiedLine(line.with_text(text), tool, None, (), undone)
    if mark and mark.kind != marks.COMMENT and mark.kind != marks.BLANK:
        return ClassifiedLine(line.with_text(text), None, mark, (), undone)
    rest = text[end_of(text, usual, indent) :]
    if rest != text:
        return ClassifiedLine(line.with_text(rest), None, mark_of(rest), usual, undone | {"prefix"})
    return ClassifiedLine(line.with_text(text), None, mark, (), undone)


def glued_to(text: bytes) -> Mark | None:
    """The command that a tool's line stands behind, if a prompt precedes both: `[me@host kafka]$ bin/kafka-... | grep g[g,t,0]::..`."""
    mark = prompted(text) if text[:1] in b"[(" else None
    return mark if mark and mark.command and marks.COMMANDS.match(mark.command) else None


def commented(text: bytes) -> Shape:
    """The comment sign before a row of a log, with its indent: the row may go on in the next comment."""
    shape: Shape = ("indent", "comment") if text[:1].isspace() else ("comment",)
    return shape if PIECES["comment"].match(text, len(text) - len(text.lstrip())) else ()


def without_comment(line: UploadLine) -> tuple[UploadLine, UploadLine | None]:
    """Separates a comment after a formatter's line."""
    match = COMMENTED.match(line.text)
    if match is None:
        return line, None
    at = line.start + len(match[1])
    return line.with_text(match[1]), UploadLine(line.number, at, line.end, match[2].strip())


def without_closer(line: UploadLine) -> tuple[UploadLine, UploadLine | None]:
    """Separates the closing fence at the end of the last line."""
    match = CLOSERS.search(line.text)
    if match is None or not match.start():
        return line, None
    at = line.start + len(line.text[: match.start()])
    return line.with_text(line.text[: match.start()]), UploadLine(line.number, at, line.end, match[0].strip())


def state_of(tool: Tool, text: bytes) -> JsonNesting:
    """Whether the record that begins in a line is complete, judged by brackets."""
    if tool.id == "json":
        return json_after(text)
    if tool.id == "console":
        columns = re.split(rb"\t| {2,}", text)
        last = columns[-1].lstrip()
        begins = CONSOLE_VALUE.match(last)
        return json_after(last) if begins else JsonNesting()
    return JsonNesting()


def begins_inside(lines: Sequence[UploadLine]) -> int:
    """1 if a text was cut out of a fenced block: an odd number of bare fences precedes one with a language."""
    count = 0
    for line in lines:
        if OPENING.match(line.text):
            return count % 2
        count += BARE_FENCE.match(line.text) is not None
    return 0
