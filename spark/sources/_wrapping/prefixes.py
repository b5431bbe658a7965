"""Prefixes of the lines of an output: indents, quotes, line numbers, names and times of containers.

A prefix is recognised by the tool's line after it. A line of the same output that begins like no tool's (the second line
of a value) loses the same pieces.

Sources: Docker Compose `name  | `, `docker logs -t` and `kubectl logs --timestamps` RFC 3339, `kubectl logs --prefix`
`[pod/name/container] `, stern `pod container `.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import zip_longest

from spark.sources._grammar.values import JsonNesting, fits, json_after
from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.marks import COMMAND, mark_of
from spark.sources._wrapping.soften import soften
from spark.sources._wrapping.tools import ROW, Tool, tool_at

PIECES = {
    "quote": re.compile(rb"(?:[ \t]*(?:>|&gt;))+[ \t]?"),
    "indent": re.compile(rb"(?:[ \t]|\xc2\xa0)+"),
    "time": re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)(?:[ \t]|$)"),
    "pod": re.compile(rb"\[(?:pod|container)/[^\]\n]+\](?:[ \t]|$)"),
    "container": re.compile(rb"[\w.-]+[ \t]*\|(?:[ \t]|$)"),
    "stern": re.compile(rb"[a-z0-9][\w.]*-[\w.-]*[a-z0-9][ \t][a-z0-9][\w.-]*[ \t]"),
    "number": re.compile(rb"[ \t]*\d{1,8}(?:[:.)|][ \t]?|[ \t]|$)"),
    "grep": re.compile(rb"[\w./-]+\.(?:txt|log|out|json|dump)[:-](?:\d+[:-])?"),
    "comment": re.compile(rb"(?:#|//)[ \t]?"),
    "bullet": re.compile(rb"(?:[-*+]|\xe2\x80\xa2)[ \t]+"),
    "tick": re.compile(rb"`{1,3}(?=[^`])"),
    "bold": re.compile(rb"\*\*(?=\S)"),
    "italic": re.compile(rb"\*(?=[^\s*])"),
    "quotation": re.compile(rb"\"(?=[^\s\"])"),
}
FOR_STRONG = (
    "number",
    "stern",
    "comment",
    "bullet",
    "grep",
    "bold",
    "italic",
    "quotation",
)  # before JSON these may be a key
PADDED = re.compile(rb"[ \t]{2,}\d|[ \t]*\d+[:)|]")
MARK = re.compile(
    rb"[ \t]*(?:#|//|--|[-*+;]|\xe2\x80\xa2)[ \t]+(?=[{\[])"
)  # of a comment or a list, before JSON
MAX_PIECES = 5
LINES_LOOKED_AT = 200

ENVELOPE = re.compile(rb"\[?\{\"(?:topic|partition|offset)\" ?:")
MAX_PREFIX = 200  # bytes of any text before rows
LEVEL = re.compile(rb"\b(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR)\b")
MONTH = re.compile(rb"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b")
ANY_TEXT = "any "  # before the expression of a prefix that no program is known for

Shape = tuple[str, ...]


def behind_prefix(text: bytes, usual: Shape, expected: Tool | None = None) -> tuple[Tool, int, Shape] | None:
    """The tool whose line begins after a prefix, the position, and the prefix's pieces. `usual` is tried first; `expected`:
    rows that the text before announces, behind the usual prefix, or behind any if they are strong."""
    position = end_of(text, usual)
    if usual and position:
        tool = tool_at(text, position)
        if tool and is_sure(tool, usual, text):
            return tool, position, usual
        if expected and expected.begins.match(text, position):
            return expected, position, usual
    return deeper(text, 0, (), expected if expected and expected.is_strong else None)


def repeated_shape(texts: Sequence[bytes]) -> Shape:
    """A prefix of any text before rows on consecutive lines, or before a header and the line behind it, that differs in
    numbers, months and levels only."""
    before = b""
    for text, following in zip_longest(texts, texts[1:], fillvalue=b""):
        row = None if not text or tool_at(text) else ROW.search(text, 1, MAX_PREFIX + 100)
        prefix = text[: row.start()] if row and row.start() <= MAX_PREFIX else b""
        expression = pattern_of(prefix)
        tool = tool_at(row[0]) if row else None
        is_header = tool is not None and tool.table is not None
        if prefix.strip() and (expression == before or (is_header and re.match(expression, following))):
            return (ANY_TEXT + expression.decode("latin-1"),)
        before = expression
    return ()


def pattern_of(prefix: bytes) -> bytes:
    """An expression for a prefix and its like."""
    expression = re.sub(rb"\d+", rb"\\d+", re.escape(prefix))
    return MONTH.sub(rb"[A-Z][a-z]{2}", LEVEL.sub(rb"[A-Z]{4,7}", expression))


def without_marks(lines: Sequence[UploadLine]) -> list[UploadLine]:
    """The lines without the mark of a comment or a list that several successive lines have before JSON: no key is the same on each
    line. Where rows of another tool stand in the text, such lines may be its values."""
    marked = marked_lines([line.text for line in lines])
    if not marked or any((tool := tool_at(line.text)) and tool.is_strong for line in lines):
        return list(lines)
    return [
        line.with_text(line.text[marked[number] :]) if number in marked else line
        for number, line in enumerate(lines)
    ]


def marked_lines(texts: Sequence[bytes]) -> dict[int, int]:
    """Numbers of the lines with such a mark, and its width."""
    marked: dict[int, int] = {}
    number = 0
    while number < len(texts):
        match = MARK.match(texts[number])
        mark, first = match[0] if match else b"", number
        number += 1
        if not match or not begins_json(texts[first], match.end()):
            continue
        state = json_after(texts[first][match.end() :])
        while number < len(texts) and texts[number].startswith(mark):
            rest = texts[number][len(mark) :]
            if not (state.is_open and not state.is_string) and not begins_json(rest):
                break
            state = json_after(rest, state if state.is_open and not state.is_string else JsonNesting())
            number += 1
        if number - first > 1:
            marked |= dict.fromkeys(range(first, number), len(mark))
    return marked


def begins_json(text: bytes, position: int = 0) -> bool:
    tool = tool_at(text, position)
    return tool is not None and tool.id == "json"


def first_shape(lines: Sequence[UploadLine]) -> Shape:
    """The prefix of the first tool's line: text before it may have it too."""
    shape = known_shape(lines)
    is_clear = any(tool_at(line.text) for line in lines[:LINES_LOOKED_AT])
    return shape or (() if is_clear else repeated_shape([line.text for line in lines[:LINES_LOOKED_AT]]))


def known_shape(lines: Sequence[UploadLine]) -> Shape:
    """The same of programs' prefixes."""
    for line in lines[:LINES_LOOKED_AT]:
        if tool_at(line.text):
            return ()
        prefix = behind_prefix(soften(line.text, False)[0], ())
        if prefix and (prefix[0].is_strong or prefix[2] != ("indent",)):  # JSON is indented by itself
            return prefix[2]
        if shape := before_a_command(line.text):
            return shape
    return ()


def before_a_command(text: bytes) -> Shape:
    """The prefix of a line that is a command after a quote mark or indent, or, with its prompt, after a comment sign."""
    for name in ("quote", "indent", "comment"):
        match = PIECES[name].match(text)
        mark = mark_of(text[match.end() :]) if match else None
        if (
            match
            and mark
            and mark.kind == COMMAND
            and (name != "comment" or text[match.end() :].startswith(b"$ "))
        ):
            return (name,)
    return ()


def deeper(
    text: bytes, position: int, shape: Shape, expected: Tool | None = None
) -> tuple[Tool, int, Shape] | None:
    """The first sequence of pieces that leads to a tool's line."""
    for name, piece in PIECES.items():
        match = piece.match(text, position)
        if match is None or name in shape:
            continue
        pieces = (*shape, name)
        tool = tool_at(text, match.end()) or (
            expected if expected and expected.begins.match(text, match.end()) else None
        )
        is_marked = (
            tool and tool.id == "formatter" and text[match.end() : match.end() + 1] in (b"`", b"*", b'"')
        )
        if tool and is_sure(tool, pieces, text) and not is_marked:
            return tool, match.end(), pieces
        if len(pieces) < MAX_PIECES and (deep := deeper(text, match.end(), pieces, expected)):
            return deep
    return None


COMPOSED = re.compile(  # as Docker Compose names and pads, or before an envelope, which no key stands before
    rb"[\w.-]*[A-Za-z][\w.-]*(?:[ \t]{2,}\||[ \t]*\|[ \t]*\[?\{\"(?:topic|partition|offset)\":)"
)


def is_sure(tool: Tool, shape: Shape, text: bytes) -> bool:
    """A number before JSON may be a record's key, unless it is padded or marked as a line number."""
    if tool.is_strong:
        return True
    if ENVELOPE.match(text, end_of(text, shape)) and not {"number", "stern"} & {*shape}:
        return True  # no value stands bare behind a sign
    if "container" in shape and not COMPOSED.match(text, end_of(text, shape[: shape.index("container")])):
        return False  # `user-7 | {..}` may be a key and its value
    if "number" in shape and PADDED.match(text, end_of(text, shape[: shape.index("number")])):
        return all(name == "number" or name not in FOR_STRONG for name in shape)
    return not any(name in FOR_STRONG for name in shape)


CLOSED = ("tick", "bold", "italic", "quotation")


def without_closing(text: bytes, position: int, shape: Shape) -> bytes:
    """The row behind a prefix, without the mark that closes what the prefix opened."""
    opening = re.search(rb"`+$|\*+$|\"$", text[:position]) if {*CLOSED} & {*shape} else None
    row = text[position:]
    closing = re.search(re.escape(opening[0]) + rb"[,;.]?[ \t]*$", row) if opening else None
    return row[: closing.start()] if closing and closing.start() and not fits(row) else row


def end_of(text: bytes, shape: Shape, indent: int | None = None) -> int:
    """The position after as many pieces of a shape as the text begins with; at most `indent` characters of an indent."""
    position = 0
    for name in shape:
        match = piece(name, indent).match(text, position)
        if match is None:
            break
        position = match.end()
    return position


@lru_cache(maxsize=256)
def piece(name: str, indent: int | None) -> re.Pattern[bytes]:
    """The expression of a piece; `indent` limits the width of an indent."""
    if name.startswith(ANY_TEXT):
        return re.compile(name.removeprefix(ANY_TEXT).encode("latin-1"))
    if name != "indent" or indent is None:
        return PIECES[name]
    return re.compile(rb"(?:[ \t]|\xc2\xa0){0,%d}" % indent)


def indent_of(text: bytes, shape: Shape) -> int | None:
    """The width of the indent in a prefix, in characters."""
    position = 0
    for name in shape:
        match = piece(name, None).match(text, position)
        if match is None:
            return None
        if name == "indent":
            return len(match[0].replace(b"\xc2\xa0", b" "))
        position = match.end()
    return None
