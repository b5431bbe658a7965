"""Reads a pasted text line by line: which lines belong to an output, and which are around it.

Each line is a mark (fence, prompt, command, ...), the beginning of a tool's line, or any other text; the meaning
of other text depends on the current output: the next line of a value, or a title. What may belong to a value stays there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from spark.sources._grammar.values import JsonNesting, json_after, lines_more
from spark.sources._wrapping import marks, seeing
from spark.sources._wrapping.belonging import COMMENT_SIGN, Standing
from spark.sources._wrapping.headings import SECTION
from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.pieces import (
    QUOTE,
    TEXT,
    Aside,
    ClassifiedLine,
    ToolOutput,
    begins_again,
    is_other_form,
    without_prose,
)
from spark.sources._wrapping.prefixes import first_shape, indent_of
from spark.sources._wrapping.seeing import (
    classify,
    state_of,
    without_closer,
    without_comment,
)
from spark.sources._wrapping.shell import INPUT_LINES, whole_command
from spark.sources._wrapping.soften import open_mark
from spark.sources._wrapping.tools import GLUED, TABLES_BY_ID, Tool, tool_at

IN_HTML = re.compile(rb"<(?:pre|code|div|p|html|span|table)\b")
CODE_TAG = re.compile(rb"</?(?:pre|code|samp)\b")
CLOSING_TAG = re.compile(rb"[ \t]*(?:</\w+>[ \t]*)+$")
LOOK_AHEAD = 20_000  # lines that a value may go on for


@dataclass
class PartReader(Standing):
    """The state after each line read."""

    outputs: list[ToolOutput] = field(default_factory=list)
    asides: list[Aside] = field(default_factory=list)
    is_html: bool = False
    is_opened: bool = False
    is_past: bool = False  # a fence closed behind the command, so that prose may stand before its output

    def read(self) -> None:
        number = 0
        self.fences = seeing.begins_inside(self.lines)
        while number < len(self.lines):
            number += self.take(number)

    def take(self, number: int) -> int:
        """Reads the line and those that belong to it; returns their number."""
        if occurrence := self.manifest_at(number):
            return self.manifest(number, *occurrence)
        if self.is_heading(number):
            return 1
        current = classify(self.lines[number], self.shape, self.indent, self.is_html, self.expected)
        if self.is_behind_comments(current, number):
            self.end()
        if self.goes_on(current):
            current.line = self.lines[number] if "quotation" in current.shape else current.line
            self.append(current)
            return 1
        if self.is_quoted(current):
            self.set_aside(current.line, QUOTE)
            return 1
        if current.tool and not self.is_inside(current):
            return self.record(current, number)
        if current.mark and current.mark.kind == marks.COMMENT and self.is_commented_out(number):
            self.shape = COMMENT_SIGN
            current = classify(self.lines[number], self.shape, self.indent, self.is_html, self.expected)
        if current.mark:
            return self.mark(current, number)
        self.text(current)
        return 1

    def is_heading(self, number: int) -> bool:
        """Takes a heading that names the topic of the values below it, or ends them."""
        topic = self.topic_above(number)
        if topic or (self.topic and SECTION.match(self.lines[number].text)):
            self.end()
            self.topic = topic
        if topic:
            self.set_aside(self.lines[number], TEXT)
        return bool(topic)

    def append(self, current: ClassifiedLine) -> None:
        """Adds the line to the current record."""
        output = self.output
        assert output is not None
        if self.mark_open and self.mark_open in current.line.text:
            closed = current.line.text.replace(self.mark_open, b"", 1)
            current.line, self.mark_open = current.line.with_text(closed), b""
        output.add(current.line, False)
        output.undone |= current.undone
        self.state = json_after(current.line.text, self.state)
        if output.tool == TEXT and not self.state.is_begun:
            self.state = JsonNesting()  # a quotation mark in prose opens nothing
        self.is_after_blank = False

    def record(self, current: ClassifiedLine, number: int) -> int:
        """Handles a tool's line: in the current output, or the first of another."""
        assert current.tool is not None
        output = self.output
        is_next = (
            output is not None
            and not output.is_closed
            and output.tool == current.tool.id
            and not self.command
        )
        if (
            output is None
            or not is_next
            or (self.is_behind_fence and is_other_form(output, current.line.text))
            or (self.is_behind_fence and begins_again(output, current.line.text))
        ):
            output = self.begin(current.tool.id)
        self.is_behind_fence = False
        line, closer = without_closer(current.line) if self.fences else (current.line, None)
        comment = None
        if current.tool.id == "formatter":
            line, comment = without_comment(line)
        output.add(line, True)
        if comment:
            self.set_aside(comment, marks.COMMENT)
        output.undone |= current.undone
        is_marked = "marks" in current.undone
        self.mark_open = open_mark(self.lines[number].text, current.line.text) if is_marked else b""
        self.note_header()
        if current.shape or not self.is_after_blank:
            self.shape, self.indent = current.shape, indent_of(self.lines[number].text, current.shape)
        self.is_after_blank = False
        self.state = state_of(current.tool, line.text)
        if closer:
            self.fences = 0
            output.is_closed = True
            self.set_aside(closer, marks.FENCE)
        return 1 + self.rest_of_value(current.tool, line, number)

    def rest_of_value(self, tool: Tool, line: UploadLine, number: int) -> int:
        """Adds the lines of a value of kafka-dump-log that spans several, judged by its size; returns their number."""
        if tool.id != "dump":
            return 0
        following = range(number + 1, min(len(self.lines), number + LOOK_AHEAD))
        count = lines_more(line.text, (self.bare(line_number).text for line_number in following))
        for line_number in following[:count]:
            assert self.output is not None
            self.output.add(self.bare(line_number), False)
        return count

    def begin(self, tool: str) -> ToolOutput:
        """Starts another output. Prose after a closed fence was not printed by the command in it."""
        if tool == TEXT and self.is_past and not self.fences:
            self.output = ToolOutput(tool)
            self.outputs.append(self.output)
            self.state = JsonNesting()
            return self.output
        table, before = TABLES_BY_ID.get(tool), self.output
        if (
            table
            and before
            and before.tool == TEXT
            and not self.command
            and table.commands.search(before.command)
        ):
            self.command, before.is_opened = [before.command], False  # its lines are the tool's messages
        self.header = b""
        self.topic = "" if self.command else self.topic
        is_opened = self.is_opened or bool(self.command)
        self.output = ToolOutput(tool, b"\n".join(self.command), is_opened, topic=self.topic)
        self.outputs.append(self.output)
        self.command, self.is_opened = [], self.fences > 0
        self.state = JsonNesting()
        return self.output

    def mark(self, current: ClassifiedLine, number: int) -> int:
        """Handles a line around outputs."""
        assert current.mark is not None
        kind = current.mark.kind
        if kind == marks.BLANK:
            return self.blank(current, number)
        if self.may_be_value(current, number):
            self.text(current)
            return 1
        self.set_aside(current.line, kind)
        self.is_after_blank = True
        if kind == marks.FENCE:
            self.fence(current.line)
        elif kind in (marks.CLOSING, marks.PROMPT):
            self.end()
        elif kind == marks.COMMAND:
            return self.commands(current, number)
        return 1

    def blank(self, current: ClassifiedLine, number: int) -> int:
        """Handles a blank line: within a value, within a format that has blank lines, or between outputs."""
        output = self.output
        if output and not output.is_closed and output.tool == "console" and not self.state.is_done:
            output.add(current.line, False)
        elif output and output.tool == TEXT and not output.is_closed:
            output.is_closed = self.fences == 0 and not self.begins_record(output, number)
            if not output.is_closed:
                output.add(current.line, False)
        self.is_after_blank = True
        return 1

    def fence(self, line: UploadLine) -> None:
        """A fence opens or closes a block."""
        is_tag = line.text.lstrip().startswith(b"<")
        self.is_html = self.is_html or (is_tag and IN_HTML.search(line.text) is not None)
        if is_tag and not CODE_TAG.search(line.text):
            return
        closes = (
            CLOSING_TAG.match(line.text) is not None
            if is_tag
            else self.fences > 0 and not seeing.OPENING.match(line.text)
        )
        self.is_past = closes and bool(self.command)
        self.fences = 0 if closes else 1
        self.is_opened = not closes
        self.is_behind_fence = True
        self.close_text()

    def commands(self, current: ClassifiedLine, number: int) -> int:
        """Handles a command with its continuation lines, and output that starts on the command's line."""
        assert current.mark is not None
        self.end()
        text = current.mark.command
        glued = GLUED.search(text, 1) or self.opening_bracket(text, number)
        if glued and not re.search(rb"[\"'=][^\s]*$", text[: glued.start()]):
            return self.glued(current, text, glued.start())
        following = self.lines[number + 1 : number + 1 + INPUT_LINES]
        # of commands without output between them, the last
        self.command, count = whole_command(text, following)
        self.asides += [Aside(line, marks.COMMAND) for line in following[:count]]
        return 1 + count

    def manifest(self, number: int, command: bytes, count: int) -> int:
        """Handles a command in YAML."""
        self.end()
        self.command, self.is_past = [command], self.is_before_fence(number + count)
        self.asides += [Aside(line, marks.COMMAND) for line in self.lines[number : number + count]]
        return count

    def glued(self, current: ClassifiedLine, command: bytes, position: int) -> int:
        """Handles output that starts on the command's line."""
        self.command = [command[:position].strip()]
        whole = current.line
        at = whole.text.rindex(command[position:])
        line = UploadLine(whole.number, whole.start + at, whole.end, command[position:])
        before = UploadLine(whole.number, whole.start, whole.start + at, whole.text[:at].rstrip())
        self.asides[-1] = Aside(before, marks.COMMAND)
        tool = tool_at(line.text)
        assert tool is not None
        output = self.begin(tool.id)
        output.add(line, True)
        self.state, self.is_after_blank = state_of(tool, line.text), False
        return 1

    def text(self, current: ClassifiedLine) -> None:
        """Handles a line that begins like no tool's."""
        output = self.output
        if output and not output.is_closed and self.belongs(output, current):
            self.append(current)
            self.note_header()
            return
        if output is None or output.is_closed:
            output = self.begin(TEXT)
            output.add(current.line, True)
            output.undone |= current.undone
            self.is_after_blank = False
            return
        self.set_aside(current.line, TEXT if current.mark is None else current.mark.kind)

    def set_aside(self, line: UploadLine, kind: str) -> None:
        """Sets a line aside that is not output."""
        self.asides.append(Aside(line, kind))


def read_parts(lines: Sequence[UploadLine]) -> tuple[list[ToolOutput], list[Aside]]:
    """The outputs in a text, in order, and the lines that belong to none."""
    reader = PartReader(lines, shape=first_shape(lines))
    reader.read()
    return without_prose(reader.outputs, reader.asides)
