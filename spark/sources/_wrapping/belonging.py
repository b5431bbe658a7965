"""Whether an ambiguous line belongs to the current output."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from spark.sources._grammar.prose import is_ended, is_prose, may_be_json
from spark.sources._grammar.values import JsonNesting
from spark.sources._wrapping import marks
from spark.sources._wrapping.headings import LINES_BELOW, is_value_below, named_topic
from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.manifests import MANIFEST_LINES, manifest_command
from spark.sources._wrapping.marks import mark_of
from spark.sources._wrapping.pieces import TEXT, ClassifiedLine, ToolOutput, is_one_line_each
from spark.sources._wrapping.prefixes import Shape, end_of
from spark.sources._wrapping.tools import TABLES_BY_ID, TOOLS, Tool, announced, table_of_command, tool_at
from spark.sources.kcat_format import begins_record, is_row_open

COMMENT_SIGN = ("comment",)
COMMENTED = re.compile(rb"[ \t]*(?:#|//|$)")
FRAGMENT = re.compile(rb"[\"{}\[\]\\]|\w+: -?\w")  # a piece of a record rather than prose

TOOLS_BY_ID = {tool.id: tool for tool in TOOLS}
LINES_BEFORE_FENCE = 4
MAX_LINES = 200  # that a row may take
RECORD_LINES = 50  # lines behind a blank one in which a record of a format is looked for
BRACKET, FIRST_MEMBER = re.compile(rb"(?<= )[{\[]$"), re.compile(rb"\s*(?:\"[^\"\n]{1,80}\" ?:|\{)")
MEMBER = re.compile(rb'"[^"\n]{1,80}" ?:')  # of a document whose beginning or end is broken


@dataclass
class Standing:
    """The current output and its state. `state`: nesting of the record that is not complete."""

    lines: Sequence[UploadLine]
    output: ToolOutput | None = None
    state: JsonNesting = field(default_factory=JsonNesting)
    is_after_blank: bool = False
    fences: int = 0
    shape: Shape = ()
    command: list[bytes] = field(default_factory=list)
    indent: int | None = None
    is_behind_fence: bool = False  # no line of a tool stood behind it yet
    header: bytes = b""  # of the current table
    topic: str = ""  # that a heading named
    mark_open: bytes = b""  # that Markdown put into the current row, and that a next line closes

    @property
    def is_past_end(self) -> bool:
        """Whether the fence around the last tool's lines has closed."""
        return self.is_behind_fence and not self.fences

    @property
    def expected(self) -> Tool | None:
        """The rows that a header, or the command, announces."""
        output = self.output
        if self.command:
            table = table_of_command(b"\n".join(self.command))
        elif output and not output.is_closed:
            table = TABLES_BY_ID.get(output.tool) or (
                table_of_command(output.command) if output.tool == TEXT else None
            )
        else:
            return None
        return announced(table.id, b"" if self.command else self.header) if table else None

    def close_text(self) -> None:
        """Text without a tool ends at a fence; a tool's output may continue after one."""
        if self.output and (self.output.tool == TEXT or self.state.is_open):
            self.output.is_closed = True
        self.state = JsonNesting()

    def end(self) -> None:
        if self.output:
            self.output.is_closed = True
        self.state = JsonNesting()

    def bare(self, number: int) -> UploadLine:
        """A line without the prefix of the lines before it."""
        line = self.lines[number]
        return line.with_text(line.text[end_of(line.text, self.shape, self.indent) :])

    def begins_record(self, output: ToolOutput, number: int) -> bool:
        """Whether a record of the format in the output's command goes on at this line, or begins at it or behind it."""
        command = output.command.decode(errors="replace")
        printed = b"".join(line.text + b"\n" for line in output.lines[-RECORD_LINES:])
        if is_row_open(command, printed):
            return True
        numbers = range(number, min(len(self.lines), number + RECORD_LINES))
        following = b"\n".join(self.bare(line_number).text for line_number in numbers)
        return begins_record(command, following)

    def opening_bracket(self, text: bytes, number: int) -> re.Match[bytes] | None:
        """A bracket at the end of a command's line that opens a document on the next lines."""
        following = self.bare(number + 1).text if number + 1 < len(self.lines) else b""
        return BRACKET.search(text) if FIRST_MEMBER.match(following) else None

    def note_header(self) -> None:
        """Remembers a table's header, which announces the rows behind it."""
        table = TABLES_BY_ID.get(self.output.tool) if self.output else None
        header = b"\n".join(self.record_texts()) if table else b""
        if table and table.headers(header):
            self.header = header

    def goes_on(self, current: ClassifiedLine) -> bool:
        """Whether an open JSON document continues in this line."""
        if (
            self.output is None
            or self.output.is_closed
            or not self.state.is_open
            or self.output.tool == "dump"
        ):
            return False
        if current.tool and current.tool.id == self.output.tool and current.tool.is_strong:
            return False
        if self.output.tool == TEXT and current.tool and current.tool.is_strong:
            return False
        if current.mark and current.mark.kind in (
            marks.FENCE,
            marks.COMMAND,
            marks.PROMPT,
            marks.CLOSING,
        ):
            return False
        if (
            current.tool
            and current.tool.id == "json"
            and not current.shape
            and current.line.text[:2] == b'{"'
        ):
            return not (self.state.is_string or self.first_text()[:2] == b'{"')
        return True

    def is_commented_out(self, number: int) -> bool:
        """Whether a comment behind a command is a record of the format in it."""
        if not self.command or (self.output and not self.output.is_closed):
            return False
        line = self.lines[number].text
        return begins_record(
            b"\n".join(self.command).decode(errors="replace"), line[end_of(line, COMMENT_SIGN) :]
        )

    def is_behind_comments(self, current: ClassifiedLine, number: int) -> bool:
        """Whether code goes on behind a print in its comments; what programs log has lines of others in between."""
        if "comment" not in self.shape or current.tool or COMMENTED.match(self.lines[number].text):
            return False
        tool = TOOLS_BY_ID.get(self.output.tool) if self.output else None
        return tool is None or not tool.is_logged

    def manifest_at(self, number: int) -> tuple[bytes, int] | None:
        """A command in YAML and the number of its lines, where no record can go on."""
        if self.output and not self.output.is_closed and (self.output.tool != TEXT or self.output.command):
            return None
        if b":" not in self.lines[number].text:
            return None
        lines = [line.text for line in self.lines[number : number + MANIFEST_LINES]]
        return manifest_command(lines, self.fences > 0)

    def topic_above(self, number: int) -> str:
        """The topic that a heading names for the values below it, where no record can go on."""
        output = self.output if self.output and not self.output.is_closed else None
        is_inside = output and (output.tool not in ("json", TEXT) or output.command or self.state.is_open)
        if is_inside or self.command:
            return ""
        topic = named_topic(self.bare(number).text, output is None or self.is_after_blank)
        below = range(number + 1, min(len(self.lines), number + LINES_BELOW)) if topic else ()
        return topic if is_value_below([self.bare(number).text for number in below]) else ""

    def is_before_fence(self, number: int) -> bool:
        """Whether prose leads from here to a fence, which has the output."""
        following = self.lines[number : number + LINES_BEFORE_FENCE]
        return not self.fences and any(marks.FENCES.match(line.text) for line in following)

    def first_text(self) -> bytes:
        """The line that the open record began with."""
        return self.record_texts()[0]

    def record_texts(self) -> list[bytes]:
        output = self.output
        assert output is not None
        number = len(output.lines) - 1
        while number > 0 and not output.begins[number]:
            number -= 1
        return [line.text for line in output.lines[number:]]

    def is_inside(self, current: ClassifiedLine) -> bool:
        """Whether a line that begins like JSON or another tool's may belong to a value of the current output."""
        output, tool = self.output, current.tool
        if output is None or output.is_closed or tool is None or tool.id == output.tool:
            return False
        if tool.table and output.tool == TEXT:
            return bool(output.command) and table_of_command(output.command) is not tool.table
        if tool.table and output.tool == "console":
            return self.belongs(output, current)
        if output.tool == "console":
            return not tool.is_strong and not self.state.is_done
        if output.tool == TEXT:
            return not tool.is_strong and b"\t" in output.lines[-1].text and not self.is_after_blank
        logged = TOOLS_BY_ID.get(output.tool)
        if logged and logged.is_logged and logged.declared and self.belongs(output, current):
            texts = [*self.record_texts(), current.line.text]
            return not tool.is_strong or logged.declared.whole(b"\n".join(texts)) is not None
        return output.tool == "dump" and not tool.is_strong and not self.is_after_blank

    def is_quoted(self, current: ClassifiedLine) -> bool:
        """Whether prose quotes a row, in backticks behind the fence that has the rows."""
        output = self.output
        if output is None or current.tool is None or current.tool.id != output.tool or self.fences:
            return False
        return "tick" in current.shape and not (output.undone & {"prefix"}) and len(output.lines) > 1

    def may_be_value(self, current: ClassifiedLine, number: int) -> bool:
        """Whether a mark may instead be a line of the preceding value, if the output has not ended."""
        output = self.output
        if output is None or output.is_closed or current.mark is None:
            return False
        kind = current.mark.kind
        if output.tool == "dump":
            return False
        if output.tool == TEXT and kind == marks.COMMENT:
            return self.fences > 0 or not self.is_after_blank
        if (
            output.tool != "console"
            or self.state.is_done
            or kind in (marks.CLOSING, marks.COMMAND, marks.PROMPT, marks.PROGRAM)
        ):
            return False
        if kind == marks.FENCE:
            return self.fences == 0 and self.follows(number, output.tool)
        return self.follows(number, output.tool) and kind == marks.COMMENT

    def follows(self, number: int, tool: str) -> bool:
        """Whether the next non-blank line belongs to the same output."""
        for line in self.lines[number + 1 : number + 20]:
            if mark_of(line.text) is None:
                tool_of_line = tool_at(line.text)
                return tool_of_line is None or tool_of_line.id == tool
        return False

    def belongs(self, output: ToolOutput, current: ClassifiedLine) -> bool:
        text = current.line.text
        if output.tool == TEXT:
            return True
        if output.tool == "console":
            return not self.state.is_done and not (self.is_after_blank and is_one_line_each(output))
        if output.tool == "dump":
            if is_prose(text, "dump") and is_ended(b"\n".join(self.record_texts()), "dump"):
                return False
            return (
                not self.is_after_blank
                or marks.TRACES.match(text) is not None
                or (not self.is_past_end and b": " in text[:40] and FRAGMENT.search(text) is not None)
            )
        if table := TABLES_BY_ID.get(output.tool):
            texts = self.record_texts()
            record = b"\n".join(texts)
            return (
                not self.is_after_blank
                and len(texts) < MAX_LINES
                and (table.is_open(record, self.header) or table.takes(record, text, self.header))
            )
        if (tool := TOOLS_BY_ID.get(output.tool)) and tool.declared and output.tool != "ksql":
            texts = self.record_texts()
            declared = tool.declared_of(texts[0])
            is_short = not self.is_after_blank and len(texts) < MAX_LINES
            return declared is not None and is_short and declared.is_open(b"\n".join(texts))
        if marks.TRACES.match(text):
            return False
        if output.tool == "json" and self.state.is_done:
            is_piece = may_be_json(text) and not self.is_past_end
            return is_piece or (not self.is_after_blank and MEMBER.search(text) is not None)
        return not self.is_after_blank and FRAGMENT.search(text) is not None
