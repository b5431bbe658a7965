"""Whether a file must be read line by line, judged by its two ends and one search of its middle.

Not needed for a text whose lines all belong to one tool, nor for anything that is not text.
"""

from __future__ import annotations

import mmap
import re

from spark.sources._grammar.prose import PLACED, end_of_row, is_ended, is_prose
from spark.sources._grammar.values import JsonNesting, json_after, lines_more
from spark.sources._json.other_objects import OF_PLACE, has_others
from spark.sources._json.shape import look
from spark.sources._wrapping import marks
from spark.sources._wrapping.headings import is_value_below, named_topic
from spark.sources._wrapping.lines import MOSTLY, encoding_of
from spark.sources._wrapping.marks import CLOSINGS, WORTH_A_LOOK, mark_of
from spark.sources._wrapping.prefixes import behind_prefix, marked_lines, repeated_shape
from spark.sources._wrapping.soften import soften
from spark.sources._wrapping.tools import tool_at
from spark.sources._wrapping.wraps import has_end
from spark.sources.console_consumer.shape import BEGINS as CONSOLE
from spark.sources.dump_log_text.beginnings import BEGINS as DUMP

HEAD_BYTES, TAIL_BYTES = 64 * 1024, 16 * 1024
MAX_BYTES = 256 * 1024 * 1024  # a larger text is handed on as it is
MAX_LINE_BYTES = 64 * 1024  # looked at of one line
LINES_LOOKED_AT = 200
MIN_REPEATED = 24  # bytes of a first line that stands in the file again
KNOWN_BY_LAYOUTS = (marks.BLANK, marks.CLOSING)
STOPPED = (b"^C", b"\x03")
SPACES = re.compile(
    rb"^(?:(?:CreateTime|LogAppendTime):\d+|NO_TIMESTAMP|Partition:\d+|Offset:\d+) +\S|^[ \t]*\{[^\n]*[}\"] {2,}(?:[{\[\"]|null)",
    re.M,
)
BROKEN = re.compile(
    rb"\S{0,40} ?(?:crc|magic|compresscodec|isvalid|position|producerId|producerEpoch|sequence|isTransactional|isControl|headerKeys): "
)
CSV = re.compile(rb'(?:\xef\xbb\xbf)?"?[A-Za-z][\w .]*"?(?:[,;]"?[A-Za-z][\w .]*"?){2,}\r?\n')
VALUES = re.compile(rb"value|key|payload|message|content|body|data", re.I)  # columns that may contain JSON
JSON_BEHIND = re.compile(
    rb"\n[ \t]*\r?\n\s*\[?\s*\{[^\n]{0,2000}%s" % PLACED.pattern
)  # a blank line separates it


def is_suspicious(content: bytes | mmap.mmap) -> bool:
    """Whether there is other text around, between or before a tool's lines."""
    head = bytes(content[:HEAD_BYTES])
    encoding = encoding_of(head)
    if encoding is None or len(content) > MAX_BYTES:
        return False
    if encoding != "utf-8":
        return True
    if (header := CSV.match(head)) and (VALUES.search(header[0]) or not JSON_BEHIND.search(head)):
        return False
    tail = bytes(content[max(0, len(content) - TAIL_BYTES) :]) if len(content) > HEAD_BYTES else b""
    is_odd = is_end_odd(head, is_head=True) or is_end_odd(tail, is_head=False)
    return (
        is_odd or is_left_oddly(head, tail or head) or is_middle_odd(content, head) or is_json_odd(head, tail)
    )


def is_json_odd(head: bytes, tail: bytes) -> bool:
    """Whether objects that are no records stand next to records, as the lines of a log do."""
    if OF_PLACE.search(head) is None or first_tool(head.removeprefix(b"\xef\xbb\xbf").split(b"\n")) != "json":
        return False
    return has_others([members for text in (head, tail) for members in look(text).objects])


def is_left_oddly(head: bytes, tail: bytes) -> bool:
    """A consumer's closing line after an output of another layout; prose behind the last row, or glued to it."""
    lines = tail.removeprefix(b"\xef\xbb\xbf").rstrip().split(b"\n")
    first = first_tool(head.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
    if first != "console" and CLOSINGS.match(lines[-1].lstrip()):
        return True
    begins = (
        number
        for number in reversed(range(len(lines)))
        if lines[number][:1].strip() and tool_at(lines[number])
    )
    number = next(begins, None)
    return number is not None and first in ("dump", "json") and is_followed(lines[number:], first)


def first_tool(lines: list[bytes]) -> str | None:
    """The tool of the first line that is a tool's."""
    return next((tool.id for line in lines[:LINES_LOOKED_AT] if (tool := tool_at(line))), None)


def is_followed(lines: list[bytes], tool: str) -> bool:
    """Whether nothing but prose follows the row that begins in the first line and is complete, or is glued to it."""
    row, following = lines[0], lines[1:]
    at_row = tool_at(row)
    if at_row is None or at_row.id != tool:
        return False
    count = lines_more(row, following) if tool == "dump" else lines_of_document(lines)
    row, following = b"\n".join(lines[: count + 1]), following[count:]
    if not following:
        return end_of_row(row, tool) < len(row)
    return is_ended(row, tool) and all(not line.strip() or is_prose(line, tool) for line in following)


def lines_of_document(lines: list[bytes]) -> int:
    """Lines that follow the first one in its document."""
    state = JsonNesting()
    for number, line in enumerate(lines):
        state = json_after(line, state)
        if state.is_done:
            return number
    return len(lines) - 1


def is_end_odd(text: bytes, is_head: bool) -> bool:
    """Whether the lines at one end differ from those of a single tool."""
    lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    lines = lines[:LINES_LOOKED_AT] if is_head else lines[1:][-LINES_LOOKED_AT:]
    with_cr = sum(line.endswith(b"\r") for line in lines)
    lines = [line[:MAX_LINE_BYTES].removesuffix(b"\r") for line in lines]
    if SPACES.search(text) or any(is_line_odd(line) for line in lines):
        return True
    if any(named_topic(line) and is_value_below(lines[number + 1 :]) for number, line in enumerate(lines)):
        return True
    return is_head and (
        bool(repeated_shape(lines) or marked_lines(lines))
        or is_late(lines)
        or (1 < with_cr >= (len(lines) - 2) * MOSTLY and has_values_of_several_lines(lines))
    )


def is_late(lines: list[bytes]) -> bool:
    """Whether other text precedes the first line of a tool; before JSON only if nothing but JSON follows."""
    lines = [line.lstrip(b" \t") for line in lines]
    first = next((number for number, line in enumerate(lines) if tool_at(line)), None)
    if first is None or not any(line.strip() for line in lines[:first]):
        return False
    return any((tool := tool_at(line)) and tool.is_strong for line in lines) or is_all_json(lines[first:])


def is_all_json(lines: list[bytes]) -> bool:
    state = JsonNesting()
    for line in lines[:-1]:
        if not state.is_open and line.strip() and tool_at(line) is None and mark_of(line) is None:
            return False
        state = json_after(line, state)
    return True


def has_values_of_several_lines(lines: list[bytes]) -> bool:
    """Whether a value of kafka-dump-log or kafka-console-consumer spans several lines and their ends were changed."""
    is_print = any(DUMP.match(line) or CONSOLE.match(line) for line in lines)
    return is_print and any(line.strip() and tool_at(line) is None for line in lines)


def is_line_odd(text: bytes) -> bool:
    """A mark, a broken line of kafka-dump-log, or a tool's line after a prefix or in a page's markup."""
    soft = soften(text, False)[0]
    if tool := tool_at(soft):
        return soft != text or (
            tool.declared is not None and not tool.is_logged and has_end(text, tool.declared)
        )
    mark = mark_of(text)
    if mark and mark.kind != marks.COMMENT:
        return mark.kind not in KNOWN_BY_LAYOUTS or text.startswith(STOPPED)
    if BROKEN.match(text):
        return True
    prefix = behind_prefix(soft, ())
    is_event = text.lstrip().startswith(b"data:")
    return prefix is not None and (
        prefix[0].is_strong or prefix[2] != ("indent",) or soft != text or is_event
    )


def is_middle_odd(content: bytes | mmap.mmap, head: bytes) -> bool:
    """A fence or a command anywhere, or a repeated first line: two runs of the tool."""
    if WORTH_A_LOOK.match(b"\n" + head[:MAX_LINE_BYTES]) or WORTH_A_LOOK.search(content):
        return True
    first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[0]
    if not MIN_REPEATED <= len(first) < len(head):
        return False
    again = content.find(b"\n" + first, len(first))
    return again >= 0 and tool_at(first) is not None
