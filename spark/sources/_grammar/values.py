"""Where a record ends: the sizes that kafka-dump-log prints before key and value, the brackets of JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

SIZES = re.compile(rb"^(?:[|-] )?offset: [^\n]*?\bkey[sS]ize: (-?\d+) value[sS]ize: (-?\d+) ")
OLD_SIZES = re.compile(rb"^offset: [^\n]*?\b(?:key[sS]ize: (-?\d+) )?(?:value[sS]ize|payloadsize): (-?\d+) ")
CONTENT = re.compile(rb" (key|payload): ")
REPLACEMENT = b"\xef\xbf\xbd"
BETWEEN = len(b" payload: ")
STRING = re.compile(rb'"(?:[^"\\]|\\.)*("?)', re.S)
STRING_END = re.compile(rb'(?:[^"\\]|\\.)*("?)', re.S)
DOCUMENT = re.compile(rb'\s*(?:\[\s*)?\{\s*(?:"|$)')
TOKEN = re.compile(rb'["{}\[\]]')


@dataclass(frozen=True)
class JsonNesting:
    """The nesting at the end of a text: depth of brackets, and whether within a string. `is_begun`: it contained a bracket."""

    depth: int = 0
    is_string: bool = False
    is_begun: bool = False

    @property
    def is_open(self) -> bool:
        return self.depth > 0 or self.is_string

    @property
    def is_done(self) -> bool:
        return self.is_begun and not self.is_open


def json_after(text: bytes, before: JsonNesting = JsonNesting()) -> JsonNesting:
    depth, position, is_begun = before.depth, 0, before.is_begun
    if before.is_string:
        match = STRING_END.match(text)
        if match is None or not match[1]:
            return before
        position = match.end()
    while token := TOKEN.search(text, position):
        mark = token[0]
        if mark == b'"':
            match = STRING.match(text, token.start())
            if match is None or not match[1]:
                return JsonNesting(depth, True, is_begun)
            position = match.end()
            continue
        depth += 1 if mark in b"{[" else -1
        is_begun = True
        position = token.end()
        if depth <= 0 and before.depth == 0 and depth < 0:
            return JsonNesting(0, False, is_begun)
    return JsonNesting(depth, False, is_begun)


def is_cut_document(value: bytes) -> bool:
    """Whether a value begins as a JSON document and ends before it closes."""
    return DOCUMENT.match(value) is not None and json_after(value).is_open


def content_of(text: bytes) -> tuple[bytes, int] | None:
    """The printed key and value in a record's line of kafka-dump-log, and their expected size."""
    sizes = SIZES.match(text) or OLD_SIZES.match(text)
    content = CONTENT.search(text, sizes.end() - 1) if sizes else None
    if sizes is None or content is None:
        return None
    key, value = max(-1, int(sizes[1] or -1)), int(sizes[2])
    if content[1] == b"payload":
        return text[content.end() :], max(0, value)
    has_value = value >= 0
    return text[content.end() :], max(0, key) + (BETWEEN + value if has_value else 0)


def missing(text: bytes) -> int:
    """Missing bytes of key and value in a record's line; 0 if it is complete or prints no sizes."""
    content = content_of(text)
    return max(0, content[1] - printed(content[0])) if content else 0


def printed(content: bytes) -> int:
    """The least number of bytes that a text stands for: the tool prints U+FFFD for one to three bytes."""
    return len(content) - 2 * content.count(REPLACEMENT)


def fits(text: bytes) -> bool | None:
    """Whether key and value have the sizes printed before them; None if no sizes are printed."""
    content = content_of(text)
    return None if content is None else len(content[0]) == content[1]


def lines_more(text: bytes, following: Iterable[bytes]) -> int:
    """The number of following lines that belong to the value in a record's line: those that give it exactly its size;
    0 if none do."""
    lacking = missing(text)
    count = 0
    for line in following:
        if lacking <= 0:
            break
        count += 1
        lacking -= 1 + printed(line)
    return count if lacking == 0 and count else 0
