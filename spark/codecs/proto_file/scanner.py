"""Tokens of a Protobuf file, and the comments that Wire treats as documentation.

Comments before a declaration document it, and one on its own line after a field or constant; all others are dropped. Source: SyntaxReader.kt of Wire 4.9.3.
"""

from __future__ import annotations

import re

_SKIP = re.compile(r"(?:[ \t\r\n\f\v]|//[^\n]*|/\*.*?\*/)*", re.S)
_SPACE = re.compile(r"[ \t\r\n\f\v]*")
_WORD = re.compile(r"[A-Za-z0-9_.\-]+")
_TYPE = re.compile(r"[A-Za-z0-9_.]+")
_QUOTED = re.compile(r"""(?:"[^"\\\n]*"|'[^'\\\n]*')""")
_LINE_COMMENT = re.compile(r"//( ?)([^\n]*)(?:\n|\Z)")
_BLOCK_COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
_TRAILING_LINE = re.compile(r"[ \t]*// ?([^\n]*)(?:\n|\Z)")
_TRAILING_BLOCK = re.compile(r"[ \t]*/\* ?([^\n]*?)\*/[ \t]*(?:\n|\Z)")


class NotCovered(ValueError):
    """The text is not Protobuf, or uses something these rules do not cover."""


class Scanner:
    """Reads tokens in sequence. `has_comments`: documentation was found."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.has_comments = False

    def peek(self) -> str:
        """The next character that is neither white space nor comment; empty at the end."""
        self._skip()
        return self.text[self.position : self.position + 1]

    def take(self, expected: str) -> bool:
        if self.peek() != expected:
            return False
        self.position += 1
        return True

    def need(self, expected: str) -> None:
        if not self.take(expected):
            raise NotCovered(f"{expected!r} expected at character {self.position}")

    def word(self) -> str:
        return self._match(_WORD)[0]

    def type_name(self) -> str:
        """A type; a map as Wire spells it."""
        name = self._match(_TYPE)[0]
        if name != "map" or self.peek() != "<":
            return name
        self.need("<")
        key = self.type_name()
        self.need(",")
        value = self.type_name()
        self.need(">")
        return f"map<{key}, {value}>"

    def string(self) -> str:
        """A quoted text without escapes."""
        content = self._match(_QUOTED)[0][1:-1]
        if self.peek() in ('"', "'"):
            raise NotCovered("texts that continue one another")
        return content

    def documentation(self) -> list[str]:
        """Comments before the next declaration, line by line."""
        lines: list[str] = []
        while True:
            self.position = self._end_of(_SPACE)
            if self.text[self.position : self.position + 1] != "/":
                return lines
            lines += self._comment()
            self.has_comments = True

    def trailing(self, before: list[str]) -> list[str]:
        """The documentation together with the comment that follows on the same line."""
        match = _TRAILING_LINE.match(self.text, self.position) or _TRAILING_BLOCK.match(
            self.text, self.position
        )
        if not match:
            return before
        self.position = match.end()
        self.has_comments = True
        line = match[1].rstrip(" \t")
        return [*before, line] if line else before

    def _comment(self) -> list[str]:
        line = _LINE_COMMENT.match(self.text, self.position)
        if line:
            self.position = line.end()
            return [line[2]]
        block = _BLOCK_COMMENT.match(self.text, self.position)
        if not block:
            raise NotCovered("a comment without end")
        self.position = block.end()
        return block_lines(block[1])

    def _skip(self) -> None:
        self.position = self._end_of(_SKIP)

    def _end_of(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self.text, self.position)
        return match.end() if match else self.position

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        self._skip()
        match = pattern.match(self.text, self.position)
        if not match:
            raise NotCovered(f"nothing readable at character {self.position}")
        self.position = match.end()
        return match


def block_lines(body: str) -> list[str]:
    """Lines of a block comment without their leading stars."""
    lines = []
    for line in body.split("\n"):
        start = line.lstrip()
        lines.append(start[1:].removeprefix(" ") if start.startswith("*") else start)
    return "\n".join(lines).strip().split("\n")
