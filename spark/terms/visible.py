"""Escapes characters that a terminal, a page or a ticket would obey instead of showing.

    C0 and C1 controls, DEL         move the cursor, colour, clear, answer: \\x1b, \\x9b
    line and paragraph separators   begin a line that no one wrote: \\u2028
    marks of direction              reverse what follows, so that `gpj.exe` reads `exe.jpg`: \\u202e
    zero-width characters           two names that look alike: \\u200b
    halves of surrogate pairs       file names that are not UTF-8, which no stream accepts: \\udc80

Every text output passes record data and file names through here. Line feeds and tabs of our own layout stay; `one_line` is
for names and sentences, in which any line feed is data.
"""

from __future__ import annotations

import re
from collections.abc import Callable

UNSEEN = "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff"
IN_TEXT = re.compile(f"[{UNSEEN}]")
IN_LINE = re.compile(f"[{UNSEEN}\t\n]")
NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    """A multi-line text with control and direction characters escaped."""
    return IN_TEXT.sub(escape, text)


def one_line(text: str) -> str:
    """The same for a single line: a name, a title, a log message."""
    return IN_LINE.sub(escape, text)


def cut_middle(name: str, characters: int) -> str:
    """A name with an ellipsis in its middle where it is longer: names differ at their ends."""
    if len(name) <= characters:
        return name
    end = (characters - 1) // 2
    return f"{name[: characters - 1 - end]}…{name[-end:]}"


def cut_end(text: str, characters: int, write: Callable[[str], str] = str) -> str:
    """A text as `write` writes it (escaped, percent-encoded), cut where that has more characters than allowed."""
    written, prefix = write(text), text[:characters]
    while prefix and len(written) > characters:
        prefix = prefix[:-1]
        written = write(f"{prefix}…")
    return written


def visible_json(text: str) -> str:
    """The same for JSON text, which remains the same document: such characters occur only within its strings."""
    return IN_TEXT.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def escape(match: re.Match[str]) -> str:
    """One character as Python writes it."""
    code = ord(match[0])
    return NAMED.get(match[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
