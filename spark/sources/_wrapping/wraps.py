"""Joins lines that a mail program, a book or a terminal broke, if the tool's grammar allows only one way.

kafka-dump-log    names of fields are known: `compresscodec: ` and `NONE crc: 1` are one line; in key and value the
                  printed size decides
JSON              a string contains no line feed, so one that is open at a line's end continues in the next
declared rows     a row that is not whole over its line feeds, and is in exactly one way without them
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from spark.sources._grammar.layout import DeclaredPrint
from spark.sources._grammar.values import CONTENT, JsonNesting, content_of, fits, json_after
from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.pieces import ToolOutput
from spark.sources._wrapping.tools import TOOLS
from spark.sources.dump_log_text.fields import NAMES

WIDEST = 400  # of a broken line
MAX_BROKEN = 200  # lines that one record was broken into
FIELD = b"(?:" + b"|".join(name.encode() for name in NAMES) + b")"
PAIRS = re.compile(  # the last field's value may stand in the next line
    rb"(?:(?:(?:[|-] )?"
    + FIELD
    + rb": (?:\[[^\]]*\]|\S+)|\.{2,}|\xe2\x80\xa6)(?: |$))+(?:(?:key|payload): .*|"
    + FIELD
    + rb": ?)?$",
    re.I | re.S,
)
GLUE = re.compile(rb"(baseOffset: .*? isvalid: \w+) ([|-] offset: .*)", re.S | re.I)
JOINED = "joined"
END_MARKS = b"`*_~\"',;.|"
USUAL_WIDTHS = {80, 100, 120, 132, 160}  # of terminals, in letters


def join_broken(output: ToolOutput) -> None:
    """Joins lines of a record that were broken, and takes off marks behind a row."""
    without_ends(output)
    if output.tool not in JOINERS or (all(output.begins) and not any(map(is_glued, output.lines))):
        return
    lines, begins = [], []
    for record in records(output):
        joined = JOINERS[output.tool](record)
        output.undone |= (
            {JOINED} if [line.text for line in joined] != [line.text for line in record] else set()
        )
        lines += joined
        begins += [number == 0 or line.text.startswith(b"| offset: ") for number, line in enumerate(joined)]
    output.lines, output.begins = lines, begins


def without_ends(output: ToolOutput) -> None:
    """Takes off what Markdown or a list left behind a row that is whole, or has more fields, without it."""
    tool = next((tool for tool in TOOLS if tool.id == output.tool and not tool.is_logged), None)
    if tool is None or (tool.declared is None and tool.id not in ("json", "console")):
        return
    for number, line in enumerate(output.lines):
        if has_end(line.text, tool.declared):
            output.lines[number] = line.with_text(without_end(line.text, tool.declared))
            output.undone.add("marks")


def has_end(text: bytes, declared: DeclaredPrint | None) -> bool:
    """Whether something stands behind a row that is not of it."""
    return text[-1:] in END_MARKS and without_end(text, declared) != text


def without_end(text: bytes, declared: DeclaredPrint | None) -> bytes:
    """A row without what stands behind it."""
    if declared is None or text[:1] == b"{":
        bare = text.rstrip(b"`*~")
        document = json_part(bare)
        is_document = document[:1] in (b"{", b"[") and document[-1:] in (b"}", b"]")
        return bare if is_document and json_after(document).is_done else text
    bare = text.rstrip(END_MARKS + b" \t")
    printed, without = declared.fields_of(text), declared.fields_of(bare)
    return bare if without > printed else text


def records(output: ToolOutput) -> Iterator[list[UploadLine]]:
    starts = [number for number, begins in enumerate(output.begins) if begins]
    starts = starts if starts[:1] == [0] else [0, *starts]
    for start, end in zip(starts, [*starts[1:], len(output.lines)], strict=True):
        yield output.lines[start:end]


def of_dump(lines: list[UploadLine]) -> list[UploadLine]:
    """A line of kafka-dump-log and its broken-off rest."""
    while len(lines) > 1:
        whole = joined_labels(lines[0].text, lines[1].text) or joined_content(lines)
        if whole is None:
            break
        lines = [merged(lines[0], lines[1], whole), *lines[2:]]
    first, *record = unglued(lines[0])
    return [first, *map(without_blanks, record), *lines[1:]]


def is_glued(line: UploadLine) -> bool:
    return line.text.startswith(b"baseOffset: ") and b" | offset: " in line.text


def unglued(line: UploadLine) -> list[UploadLine]:
    """A batch's line and the record's that was glued to it."""
    glue = GLUE.match(line.text)
    return [line.with_text(glue[1]), line.with_text(glue[2])] if glue else [line]


def without_blanks(line: UploadLine) -> UploadLine:
    """A record without the blanks that a page put behind it, if the printed size says so."""
    bare = line.text.rstrip(b" ")
    return line.with_text(bare) if fits(bare) and not fits(line.text) else line


def joined_labels(first: bytes, second: bytes) -> bytes | None:
    """Both as one line of `name: value`, if exactly one of the two ways to join them is such a line."""
    if CONTENT.search(first) or len(first) > WIDEST * 2 or second.startswith((b"|", b"-")):
        return None
    if first.startswith(b"baseOffset: ") and CONTENT.match(b" " + second.lstrip()):
        return None  # no key or payload stands on a batch's line
    ways = (first.rstrip() + b" " + second.lstrip(), first.rstrip() + second.lstrip())
    good = [way for way in ways if PAIRS.match(way)]
    return good[0] if len(good) == 1 or (good and first.endswith(b" ")) else None


def joined_content(lines: Sequence[UploadLine]) -> bytes | None:
    """Key and value that a terminal broke: the joined lines have exactly the printed size."""
    content = content_of(lines[0].text)
    if content is None or len(content[0]) >= content[1]:
        return None
    lacking = content[1] - len(content[0])
    for line in lines[1:MAX_BROKEN]:
        lacking -= len(line.text)
        if lacking <= 0:
            break
    return lines[0].text + lines[1].text if lacking == 0 else None


def of_json(lines: list[UploadLine]) -> list[UploadLine]:
    """A document whose strings were broken. Indented documents stay unchanged."""
    if len(lines) == 1 or len(lines) > MAX_BROKEN:
        return lines
    joined = [lines[0]]
    state = json_after(json_part(lines[0].text))
    for line in lines[1:]:
        if state.is_string and state.is_begun and len(joined[-1].text) <= WIDEST * MAX_BROKEN:
            glue = b"" if joined[-1].text.endswith(b" ") or is_hard(lines) else b" "
            state = json_after(glue + line.text, state)
            joined[-1] = merged(joined[-1], line, joined[-1].text + glue + line.text)
        else:
            state = json_after(line.text, state)
            joined.append(line)
    return joined if not state.is_open else lines


def of_declared(lines: list[UploadLine], declared: DeclaredPrint) -> list[UploadLine]:
    """A row that no way to read over its line feeds makes whole: broken inside a word, or at a blank. One way must be left."""
    texts = [line.text for line in lines[:MAX_BROKEN]]
    as_printed = declared.whole(b"\n".join(texts)) if len(texts) > 1 else None
    if len(texts) < 2 or (as_printed and as_printed.free):  # a value's own line feeds stay
        return lines
    ways = (b"".join(texts), b"".join(with_blanks(texts)), b" ".join(text.strip() for text in texts))
    whole = {way for way in ways if declared.whole(way)}
    return [merged(lines[0], lines[-1], whole.pop()), *lines[MAX_BROKEN:]] if len(whole) == 1 else lines


def with_blanks(texts: list[bytes]) -> list[bytes]:
    """The blank that followed a comma at each break, and none elsewhere."""
    return [
        text.strip() + b" " if text.rstrip().endswith(b",") or text.endswith(b" ") else text.strip()
        for text in texts
    ]


def json_part(text: bytes) -> bytes:
    """The text after the labels of kafka-console-consumer."""
    match = re.search(rb"(?:^|\t|  )([{\[].*)$", text, re.S)
    return match[1] if match else text


def is_hard(lines: Sequence[UploadLine]) -> bool:
    """Whether a terminal broke the lines: all but the last have the same width."""
    widths = {len(line.text.decode(errors="replace")) for line in lines[:-1]}
    is_told = len(lines) > 2 or widths <= USUAL_WIDTHS
    return len(widths) == 1 and len(lines[-1].text) <= max(widths) and min(widths) >= 40 and is_told


def merged(first: UploadLine, second: UploadLine, text: bytes) -> UploadLine:
    return UploadLine(first.number, first.start, second.end, text)


JOINERS: dict[str, Callable[[list[UploadLine]], list[UploadLine]]] = {
    "dump": of_dump,
    "json": of_json,
    "console": of_json,
}
JOINERS |= {tool.id: partial(of_declared, declared=tool.declared) for tool in TOOLS if tool.declared}

__all__ = ["JOINED", "JsonNesting", "join_broken"]
