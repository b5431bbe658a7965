"""Whether a line that may be one thing or another belongs to the print that it stands in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from spark.sources._wrapping import marks
from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.marks import mark_of
from spark.sources._wrapping.pieces import TEXT, PrintPart, Seen, is_one_line_each
from spark.sources._wrapping.tools import tool_at
from spark.sources._wrapping.values import JsonNesting, is_unclosed

FRAGMENT = re.compile(rb"[\"{}\[\]\\]|\w+: -?\w")  # a piece of a record rather than prose

MEMBER = re.compile(rb'"[^"\n]{1,80}" ?:')  # of a document whose beginning or end is broken


@dataclass
class Standing:
    """The print that is read, and how it stands. `state`: of the record that goes on."""

    lines: Sequence[UploadLine]
    part: PrintPart | None = None
    state: JsonNesting = field(default_factory=JsonNesting)
    is_after_blank: bool = False
    fences: int = 0

    def goes_on(self, seen: Seen) -> bool:
        """Whether a document of JSON that is open goes on in this line."""
        if self.part is None or self.part.is_closed or not self.state.is_open or self.part.tool == "dump":
            return False
        if seen.tool and seen.tool.id == self.part.tool and seen.tool.is_strong:
            return False
        if self.part.tool == TEXT and seen.tool and seen.tool.is_strong:
            return False
        if seen.mark and seen.mark.kind in (marks.FENCE, marks.COMMAND, marks.PROMPT, marks.CLOSING):
            return False
        if seen.tool and seen.tool.id == "json" and not seen.shape and seen.line.text[:2] == b'{"':
            return not (self.state.is_string or self.first_text()[:2] == b'{"')
        return True

    def first_text(self) -> bytes:
        """The line that the open record began with."""
        return self.record_texts()[0]

    def record_texts(self) -> list[bytes]:
        """The lines of the last record."""
        part = self.part
        assert part is not None
        number = len(part.lines) - 1
        while number > 0 and not part.begins[number]:
            number -= 1
        return [line.text for line in part.lines[number:]]

    def is_inside(self, seen: Seen) -> bool:
        """Whether a line that begins like JSON, or another tool's, may be part of a value of the print it stands in."""
        part, tool = self.part, seen.tool
        if part is None or part.is_closed or tool is None or tool.id == part.tool:
            return False
        if part.tool == "console":
            return not tool.is_strong and not self.state.is_done
        if part.tool == TEXT:
            return not tool.is_strong and b"\t" in part.lines[-1].text and not self.is_after_blank
        return part.tool == "dump" and not tool.is_strong and not self.is_after_blank

    def may_be_value(self, seen: Seen, number: int) -> bool:
        """Whether a mark may as well be a line of the value before it: of a print that nothing ended yet."""
        part = self.part
        if part is None or part.is_closed or seen.mark is None:
            return False
        kind = seen.mark.kind
        if part.tool == "dump":
            return False
        if part.tool == TEXT and kind == marks.COMMENT:
            return self.fences > 0 or not self.is_after_blank
        if (
            part.tool != "console"
            or self.state.is_done
            or kind in (marks.CLOSING, marks.COMMAND, marks.PROMPT, marks.PROGRAM)
        ):
            return False
        if kind == marks.FENCE:
            return self.fences == 0 and self.follows(number, part.tool)
        return self.follows(number, part.tool) and kind == marks.COMMENT

    def follows(self, number: int, tool: str) -> bool:
        """Whether the next line that is not blank is one of the same print."""
        for line in self.lines[number + 1 : number + 20]:
            if mark_of(line.text) is None:
                tool_of_line = tool_at(line.text)
                return tool_of_line is None or tool_of_line.id == tool
        return False

    def belongs(self, part: PrintPart, seen: Seen) -> bool:
        """Whether any other text is of the print it stands in."""
        text = seen.line.text
        if part.tool == TEXT:
            return True
        if part.tool == "console":
            return not self.state.is_done and not (self.is_after_blank and is_one_line_each(part))
        if part.tool == "dump":
            return (
                not self.is_after_blank
                or marks.TRACES.match(text) is not None
                or (b": " in text[:40] and FRAGMENT.search(text) is not None)
            )
        if part.tool == "formatter":
            return not self.is_after_blank and is_unclosed(b" ".join(self.record_texts()))
        if marks.TRACES.match(text):
            return False
        if part.tool == "json" and self.state.is_done:
            return not self.is_after_blank and MEMBER.search(text) is not None
        return not self.is_after_blank and FRAGMENT.search(text) is not None
