"""Restores tabs that a terminal, a mail or a page replaced by spaces.

    labels   Partition:0     Offset:17       3.0                 a separator is between two labels
    JSON     {"subject":"s"}     {"id":1}                        or between two documents

The gaps between labels show the width of tabs: up to the next multiple of 8 (4) columns, or constant. After the labels,
spaces of that width are tabs, except within JSON. In doubt the spaces stay.
"""

from __future__ import annotations

import re

from spark.sources._grammar.values import json_after
from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.pieces import ToolOutput
from spark.sources.console_consumer.shape import LABELS as CONSOLE_LABELS

TABS = "tabs"
LABELS = re.compile(b"|".join(label for _, label in CONSOLE_LABELS))
BETWEEN = re.compile(rb" +")
STOPS = (8, 4)
LAST = re.compile(rb"null[ ]*$|[{\[\"\-\d]")


def find_columns(output: ToolOutput) -> None:
    """Restores tabs in the first lines of records."""
    if output.tool not in ("console", "json", "text"):
        return
    restore = of_labels if output.tool == "console" else of_documents
    for number, (line, begins) in enumerate(zip(output.lines, output.begins, strict=True)):
        text = (
            restore(line.text)
            if (begins and b"  " in line.text) or (output.tool == "console" and begins)
            else line.text
        )
        if text != line.text:
            output.lines[number] = line.with_text(text)
            output.undone.add(TABS)


def of_documents(text: bytes) -> bytes:
    """Key and value that are both JSON, or the value null."""
    for gap in re.finditer(rb"(?<=[}\]\"\d])( {2,})", text):
        key, value = text[: gap.start()], text[gap.end() :]
        if (
            LAST.match(value)
            and json_after(key).is_done
            and (json_after(value).is_done or value.strip() == b"null")
        ):
            return key + b"\t" + value
    return text


def of_labels(text: bytes) -> bytes:
    """A line of kafka-console-consumer that begins with labels."""
    position, gaps = 0, []
    while match := LABELS.match(text, position):
        position = match.end()
        gap = BETWEEN.match(text, position)
        if gap is None:
            break
        gaps.append((gap.start(), gap.end()))
        position = gap.end()
    if not gaps or b"\t" in text[: gaps[-1][1]]:
        return text
    return rebuilt(text, [*gaps, *later_gaps(text, gaps)])


def later_gaps(text: bytes, gaps: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spaces after the labels as wide as tabs were between them, up to where JSON begins."""
    later = []
    rest = gaps[-1][1]
    for gap in BETWEEN.finditer(text, rest):
        if json_after(text[rest : gap.start()]).is_open:
            continue
        if is_tab(text, gap.start(), gap.end(), gaps):
            later.append((gap.start(), gap.end()))
    return later


def is_tab(text: bytes, start: int, end: int, gaps: list[tuple[int, int]]) -> bool:
    """Whether these spaces are what tabs became on this line."""
    for stop in STOPS:
        if all(b % stop == 0 and b - a <= stop for a, b in columns(text, gaps)) and end - start > 1:
            (first, last), *_ = columns(text, [(start, end)])
            return last % stop == 0 and last - first <= stop
    widths = {b - a for a, b in gaps}
    return len(widths) == 1 and widths == {end - start} and end - start > 1


def columns(text: bytes, gaps: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Positions in characters, not bytes."""
    return [(len(text[:a].decode(errors="replace")), len(text[:b].decode(errors="replace"))) for a, b in gaps]


def rebuilt(text: bytes, gaps: list[tuple[int, int]]) -> bytes:
    pieces, position = [], 0
    for start, end in gaps:
        pieces.append(text[position:start])
        position = end
    return b"\t".join([*pieces, text[position:]])


__all__ = ["TABS", "UploadLine", "find_columns"]
