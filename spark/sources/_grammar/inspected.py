r"""Values as Node's `util.inspect` prints them.

    value  => string | number | <Buffer 6b 65 [... 12 more bytes]> | null | undefined | [Name ...] | object | list | word
    object => [Name] "{" [name ":" value] ("," name ":" value)* "}"      list => "[" [value] ("," value)* ["... 3 more items"] "]"
    string => '..' | ".." | `..`, with escapes of JavaScript; long ones as 'a' + \n 'b'

Source: Node.js `lib/internal/util/inspect.js` (10 to 22), `lib/buffer.js`: a buffer shows its first 50 bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

BLANKS = re.compile(rb"[\s,]*")
STRING = re.compile(rb"(?P<quote>['\"`])(?P<text>(?:(?!(?P=quote))[^\\]|\\.)*+)(?P=quote)", re.S)
BUFFER = re.compile(rb"<Buffer(?P<bytes>(?:\s[0-9a-f]{2})*)(?P<more>\s?\.\.\. (?P<count>\d+) more bytes?)?>")
NAME = re.compile(rb"(?P<name>[\w$]+|'[^'\n]*'|\"[^\"\n]*\")\s*:\s*")
SCALAR = re.compile(rb"-?\d[\d.]*(?:e[+-]?\d+)?n?|[\w$.:+-]+|\[[A-Z][^\[\]\n]*\]|<ref \*\d+>\s*")
CLASS = re.compile(rb"(?:<ref \*\d+>\s*)?(?:\[[^\]\n]+\]|[A-Z][\w$]*)(?:\(\d+\))?\s+(?=[{\[])")
PLUS = re.compile(rb"\s*\+\s*(?=['\"`])")
MORE = re.compile(rb"\.\.\. \d+ more items?")
ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"v": b"\v", b"0": b"\0"}
ESCAPE = re.compile(rb"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]+)\}|(.))", re.S)
MAX_DEPTH = 30
WORDS = {b"null": None, b"undefined": None, b"true": True, b"false": False}


@dataclass(frozen=True)
class CutBuffer:
    """The first bytes of a buffer, and how many were not printed."""

    content: bytes
    missing: int


def inspected(text: bytes, at: int, end: int, depth: int = 0) -> tuple[int, Any] | None:
    """Where the value that begins here ends, and the value; None if it is not closed."""
    if name := CLASS.match(text, at, end):
        at = name.end()
    letter = text[at : at + 1]
    if depth > MAX_DEPTH or not letter:
        return None
    if letter in b"{[" and not SCALAR.fullmatch(text, at, end):
        if letter == b"[" and (word := SCALAR.match(text, at, end)) and word[0].startswith(b"["):
            return word.end(), word[0].decode(errors="replace")  # [Function: heartbeat]
        return container(text, at, end, depth)
    if buffer := BUFFER.match(text, at, end):
        content = bytes.fromhex(buffer["bytes"].decode())
        return buffer.end(), CutBuffer(content, int(buffer["count"])) if buffer["more"] else content
    if letter in b"'\"`":
        return string(text, at, end)
    word = SCALAR.match(text, at, end)
    return None if word is None else (word.end(), scalar(word[0]))


def container(text: bytes, at: int, end: int, depth: int) -> tuple[int, Any] | None:
    """An object or a list."""
    is_object = text[at : at + 1] == b"{"
    members: dict[str, Any] = {}
    items: list[Any] = []
    at = after_blanks(text, at + 1, end)
    while at < end and text[at : at + 1] not in b"}]":
        if more := MORE.match(text, at, end):
            at = after_blanks(text, more.end(), end)
            continue
        name = NAME.match(text, at, end) if is_object else None
        if is_object and name is None:
            return None
        value = inspected(text, name.end() if name else at, end, depth + 1)
        if value is None:
            return None
        if name:
            members[name["name"].strip(b"'\"").decode(errors="replace")] = value[1]
        else:
            items.append(value[1])
        at = after_blanks(text, value[0], end)
    return (at + 1, members if is_object else items) if at < end else None


def after_blanks(text: bytes, at: int, end: int) -> int:
    match = BLANKS.match(text, at, end)
    return match.end() if match else at


def string(text: bytes, at: int, end: int) -> tuple[int, str] | None:
    """A string, with the pieces that were joined by `+`."""
    pieces = []
    while match := STRING.match(text, at, end):
        pieces.append(ESCAPE.sub(unescaped, match["text"]))
        at = match.end()
        plus = PLUS.match(text, at, end)
        if plus is None:
            return at, b"".join(pieces).decode("utf-8", "surrogateescape")
        at = plus.end()
    return None


def unescaped(match: re.Match[bytes]) -> bytes:
    code = match[1] or match[2] or match[3]
    if code:
        return chr(int(code, 16)).encode("utf-8", "surrogatepass")
    return ESCAPES.get(match[4], match[4])


def scalar(word: bytes) -> Any:
    """A number, null, true, false, or a word as text."""
    if word in WORDS:
        return WORDS[word]
    digits = word.removesuffix(b"n")
    return int(digits) if digits.lstrip(b"-").isdigit() else word.decode(errors="replace")
