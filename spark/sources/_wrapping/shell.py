r"""Where a shell's command ends.

    command => line (LF line)*      goes on behind `\`, ` |`, ` ^` or a backquote at the end of a line, and before options alone on theirs
    quoted  => '...' | "..."        and while a quote is open: `kcat -f` of several lines
    input   => << ["-"] WORD        and up to the line WORD: what the tool reads, not what it prints

Source: POSIX Shell Command Language 2.2 (quotes) and 2.7.4 (here-documents).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.marks import FENCES, GOES_ON, OPTIONS
from spark.sources._wrapping.tools import tool_at

QUOTED_LINES = 40  # that one quoted word may take
INPUT_LINES = 2_000
QUOTED = re.compile(rb"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|(?<!\S)#[^\n]*|[^\\'\"#]+|#", re.S)
INPUT = re.compile(rb"(?<!<)<<(?P<tabs>-?)[ \t]*(?P<quote>['\"]?)(?P<word>\w+)(?P=quote)")


def whole_command(first: bytes, following: Sequence[UploadLine]) -> tuple[list[bytes], int]:
    """A command's lines, blanks at their ends removed except in quotes, and how many lines behind its first belong to it, with
    its input."""
    command, last, count = [first], first, 0
    quote, is_truncated = open_quote(first), False
    while count < len(following):
        quoted = quoted_lines(quote, following[count : count + QUOTED_LINES])
        is_truncated = is_truncated or bool(quote and not quoted)
        if quoted:
            command += [line.text for line in following[count : count + quoted]]
            quote = b""
        elif is_continued(last, following[count].text):
            command.append(following[count].text.strip())
            quote = b"" if is_truncated else open_quote(command[-1])
        else:
            break
        count += quoted or 1
        last = command[-1].strip()
    return command, count + input_lines(b"\n".join(command), following[count:])


def open_quote(command: bytes) -> bytes:
    """The quote within which a command ends; empty if there is none."""
    position = 0
    while match := QUOTED.match(command, position):
        position = match.end()
    end = command[position : position + 1]
    return end if end in (b"'", b'"') else b""


def is_continued(text: bytes, following: bytes) -> bool:
    """Whether the next line, which is not quoted, belongs to the command."""
    return bool(following.strip()) and (
        GOES_ON.search(text) is not None or OPTIONS.match(following) is not None
    )


def quoted_lines(quote: bytes, following: Sequence[UploadLine]) -> int:
    """The lines that an open quote takes; 0 without one, or if a tool's line or a fence comes before its end: then the command was
    truncated."""
    for count, line in enumerate(following):
        if not quote:
            return count
        if FENCES.match(line.text) or tool_at(line.text):
            return 0
        quote = open_quote(quote + b"\n" + line.text)
    return 0 if quote else len(following)


def input_lines(command: bytes, following: Sequence[UploadLine]) -> int:
    """The lines of a here-document, its last line among them; 0 without one, or without its end."""
    match = INPUT.search(command)
    if match is None or open_quote(command[: match.start()]):
        return 0
    ends = (line.text.strip(b" \t") if match["tabs"] else line.text.rstrip() for line in following)
    return next((count for count, line in enumerate(ends, 1) if line == match["word"]), 0)
