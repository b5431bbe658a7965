"""The pieces of a pasted text: outputs with their lines, lines set aside, and outputs that turn out to be prose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from spark.sources._grammar.prose import end_of_row, may_be_json
from spark.sources._grammar.values import fits
from spark.sources._json.other_objects import are_other, other_ranges
from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.marks import PROMPT, Mark
from spark.sources._wrapping.prefixes import Shape
from spark.sources._wrapping.tools import TABLES_BY_ID, Tool

TEXT = "text"  # a part, or an aside, whose lines begin like no tool's
REPEAT = "repeat"
QUOTE = "quote"  # an aside: prose that quotes a row of the output before it
UNREAD = "unread"  # an aside with the marks of a record
TYPED = re.compile(rb">(?![>\s])")
OWN_TIME = re.compile(
    rb"(?:\bcommitTimestamp(?:Ms)?=|\btxnLastUpdateTimestamp=|\],CommitTime |\bHeartbeat\{.*\btimestamp=)\d{10,}"
)
HEADING = re.compile(rb"Dumping |(?:Log )?[Ss]tarting offset: ")


RECORD_MARKS = re.compile(
    rb"\bbaseOffset: \d+ lastOffset: \d|\| offset: \d+ CreateTime: \d|\bkeySize: -?\d+ valueSize: -?\d"
    rb"|\b(?:CreateTime|LogAppendTime):\d{10,}\t|\]::(?:OffsetAndMetadata|\[OffsetMetadata)[(\[]|::(?:Transaction|Group)Metadata\("
    rb"|\bConsumerRecord\(topic ?=|\"partition\" ?: ?\d+ ?, ?\"offset\" ?: ?\d"
)


SPAN, WORD = re.compile(rb"`+[^`]+`+"), re.compile(rb"[^\W\d_]{2}")
BEFORE = re.compile(
    rb"(?:[\s>`*_~\"'(#-]|\xe2\x80\xa2)*(?:\d{1,8}[:.)|]?[ \t]+)?(?:\[[^\]\n]*(?=\]::)|[^\s:]+(?=::))?"
)


def has_quoted(text: bytes) -> bool:
    """Whether a record's words stand in backticks."""
    return any(RECORD_MARKS.search(span[0]) for span in SPAN.finditer(text))


def begin_of(text: bytes) -> int:
    """Where a row begins behind marks and numbers; for one of a formatter, where its key ends."""
    before = BEFORE.match(text)
    return before.end() if before else 0


@dataclass(frozen=True)
class Aside:
    """A line outside a tool's output, and its kind."""

    line: UploadLine
    kind: str
    records: int = 0  # that a repeat stands for
    is_other: bool = False  # JSON that is no record, whatever it names

    @property
    def kind_by_marks(self) -> str:
        """`unread` if the line contains a tool's own words for a record, `quote` if a sentence quotes them."""
        if self.is_other or self.kind in (REPEAT, QUOTE) or not RECORD_MARKS.search(self.line.text):
            return self.kind
        return QUOTE if WORD.search(SPAN.sub(b"", self.line.text)) and has_quoted(self.line.text) else UNREAD

    @property
    def is_row(self) -> bool:
        """Whether the line begins as a record does, and is none that could be read."""
        return (
            self.kind_by_marks == UNREAD
            and RECORD_MARKS.match(self.line.text, begin_of(self.line.text)) is not None
        )


@dataclass
class ToolOutput:
    """One output of a tool: its cleaned lines, the command before it, the changes reversed."""

    tool: str
    command: bytes = b""
    is_opened: bool = False  # by a command or a fence
    is_closed: bool = False  # no further line belongs to it
    lines: list[UploadLine] = field(default_factory=list)
    begins: list[bool] = field(default_factory=list)  # which lines begin like the tool's
    undone: set[str] = field(default_factory=set)
    topic: str = ""  # that a heading above names

    def add(self, line: UploadLine, begins: bool) -> None:
        self.lines.append(line)
        self.begins.append(begins)


@dataclass
class ClassifiedLine:
    """A line as a tool's, a mark, or neither; its text has no prefix."""

    line: UploadLine
    tool: Tool | None = None
    mark: Mark | None = None
    shape: Shape = ()
    undone: frozenset[str] = frozenset()


def is_one_line_each(output: ToolOutput) -> bool:
    """Whether every record of an output has a single line; blank lines do not count."""
    return all(
        begins or not line.text.strip() for line, begins in zip(output.lines, output.begins, strict=True)
    )


def is_other_form(output: ToolOutput, text: bytes) -> bool:
    """Whether a multi-line document begins where the documents before had one line each."""
    return (
        output.tool == "json"
        and text.strip() in (b"{", b"[", b"[{")
        and all(output.begins)
        and len(output.lines[0].text) > 2
    )


def begins_again(output: ToolOutput, text: bytes) -> bool:
    """Whether a row that contains the time of its write stands in the output already: someone ran the formatter again."""
    return OWN_TIME.search(text) is not None and any(line.text == text for line in output.lines)


def without_prose(outputs: list[ToolOutput], asides: list[Aside]) -> tuple[list[ToolOutput], list[Aside]]:
    """Text that begins like no tool's is an output only after a command or in a fence, or if there is nothing else."""
    for output in outputs:
        asides += without_foreign(output)
        if (table := TABLES_BY_ID.get(output.tool)) and not table.has_any(
            b"\n".join(line.text for line in output.lines)
        ):
            output.tool = TEXT
    typed = [output for output in outputs if output.is_opened and is_typed(output)]
    outputs = [output for output in outputs if output not in typed] or outputs
    asides += [
        Aside(line, PROMPT)
        for output in typed
        if output not in outputs
        for line in output.lines
        if line.text.strip()
    ]
    retained = [output for output in outputs if output.tool != TEXT or output.is_opened] or outputs
    following = {output.lines[0].number for output in retained if output.tool == "json" and output.lines}
    prose = [
        Aside(line, UNREAD if line.number + 1 in following and may_be_json(line.text) else TEXT)
        for output in outputs
        if output not in retained
        for line in output.lines
        if line.text.strip()
    ]
    for output in retained:
        without_blank_end(output)
        asides += without_glued(output)
        without_indent(output)
    return retained, sorted([*asides, *prose], key=lambda aside: aside.line.start)


def is_typed(output: ToolOutput) -> bool:
    """Whether a block is input of kafka-console-producer: each line after its prompt."""
    return output.tool == TEXT and all(TYPED.match(line.text) for line in output.lines if line.text.strip())


def without_foreign(output: ToolOutput) -> list[Aside]:
    """For kafka-dump-log output without any entry: text that a filter made of its lines."""
    if output.tool != "dump" or any(
        begins and not HEADING.match(line.text)
        for line, begins in zip(output.lines, output.begins, strict=True)
    ):
        return []
    asides = [
        Aside(line, TEXT)
        for line, begins in zip(output.lines, output.begins, strict=True)
        if not begins and line.text.strip()
    ]
    output.lines = [line for line, begins in zip(output.lines, output.begins, strict=True) if begins]
    output.begins = [True] * len(output.lines)
    return asides


def without_glued(output: ToolOutput) -> list[Aside]:
    """Prose glued to the last row, if brackets or the printed size tell where the row ends. Where a decoder printed the records,
    sizes tell nothing."""
    if output.tool not in ("dump", "json") or output.undone or output.begins[-1:] != [True]:
        return []
    last = output.lines[-1]
    end = end_of_row(last.text, output.tool)
    if end == len(last.text):
        return []
    if output.tool == "dump":
        begun = zip(output.lines[:-1], output.begins, strict=False)
        if {fits(line.text) for line, begins in begun if begins} - {None} != {True}:
            return []
    border = last.start + end
    output.lines[-1] = UploadLine(last.number, last.start, border, last.text[:end])
    return [Aside(UploadLine(last.number, border, last.end, last.text[end:]), TEXT)]


def without_other_json(output: ToolOutput) -> list[Aside]:
    """Of JSON documents one after another: those that are no records."""
    starts = [number for number, begins in enumerate(output.begins) if begins]
    if output.tool != "json" or len(starts) < 2:
        return []
    documents = list(pairwise([*starts, len(output.lines)]))
    texts = [b"\n".join(line.text for line in output.lines[start:end]) for start, end in documents]
    other = {
        number
        for (start, end), is_other in zip(documents, are_other(texts), strict=True)
        if is_other
        for number in range(start, end)
    }
    asides = [
        Aside(output.lines[number], TEXT, is_other=True)
        for number in sorted(other)
        if output.lines[number].text.strip()
    ]
    rest = [number for number in range(len(output.lines)) if number not in other]
    output.lines, output.begins = (
        [output.lines[number] for number in rest],
        [output.begins[number] for number in rest],
    )
    return asides


def asides_of(lines: Sequence[UploadLine]) -> list[Aside]:
    """The lines of a print that no layout reads, beside one that was read."""
    ends = list(accumulate(len(line.text) + 1 for line in lines))
    ranges = list(other_ranges(b"\n".join(line.text for line in lines)))
    return [
        Aside(
            line,
            TEXT,
            is_other=any(start < end and end - len(line.text) - 1 < stop for start, stop in ranges),
        )
        for line, end in zip(lines, ends, strict=True)
        if line.text.strip()
    ]


def without_blank_end(output: ToolOutput) -> None:
    """Blank lines after the last record do not belong to its value."""
    while output.lines and not output.lines[-1].text.strip():
        output.lines.pop()
        output.begins.pop()


def without_indent(output: ToolOutput) -> None:
    """Removes the indent that every line of a text has, as in a list or nested list."""
    texts = [line.text for line in output.lines if line.text.strip()]
    if output.tool != TEXT or not texts:
        return
    width = min(len(text) - len(text.lstrip(b" ")) for text in texts)
    if width:
        output.lines = [line.with_text(line.text[width:]) for line in output.lines]
        output.undone.add("prefix")
