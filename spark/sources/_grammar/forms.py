r"""How tools and languages spell the fields of a record.

    numbers, names    as expressions
    python            b'\x00k', 'text', None, {'a': 1}       Python's `repr`
    decimals          [107 101], []                          a slice of bytes under Go's `%v`
    signed            [107, -1]                              an array of bytes under Java's `Arrays.toString`
    hex               [6B 65]                                binary columns of Spark's `show`
    node              <Buffer 6b 65>, 'text', { a: 1 }       Node's `util.inspect`
    json              one JSON document

A reader returns where the field ends and what it stands for; None where it is not spelt so, or ends too early.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spark.sources._grammar.inspected import inspected

Reader = Callable[[bytes, int, int], "tuple[int, Any] | None"]
BYTES_IN_STRINGS = (
    r"(?>'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\"|[^'\"])*?"  # up to a label that no string contains
)
SPELT = {
    "text": r".*?",
    "line": r"[^\n]*?",
    "name": r"[\w.-]{1,249}",
    "word": r"\w+",
    "number": r"-?\d{1,19}|null|None",
    "count": r"-?\d{1,10}",
    "long": r"-?\d{1,19}",
    "clock": r"CreateTime|LogAppendTime|NoTimestampType",
    "python": BYTES_IN_STRINGS,
    "plain": r"(?>'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\"|[^'\"()])*?",  # without calls
    "digits": r"\d{1,19}",
    "first": r"(?<![\w.-])[\w.-]{1,249}",  # a name that the row begins with
    "old_time": r"\d{1,2}/\d{1,2}/\d{2,4},? \d{1,2}:\d\d:\d\d(?: [AP]M)?(?: [A-Z]{3,4})?",
    "rust": r"None|Some\([^()]*\)",
    "quote": r"['\"]",
    "schema": r"null|Schema\{[^{}]*\}",
    "kafka_headers": r"(?:[^\n]*?\b)?kafka_[^\n]*?",
    "go": r"<nil>|\S+?",
    "node_name": r"K(?:STREAM|TABLE)-[A-Z-]+-\d{10}",
    "decimals": r"\[[\d ]*\]",
    "list": r"[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*?",
    "gotime": r"\d{4,5}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})? [+-]\d{4} \S+(?: m=\S+)?",
    "option": r"(?:Optional(?:Int|Long)?|Some)[\[(]-?\d+[\])]|Optional(?:Int|Long)?\.empty|None|-?\d+",
    "rowtime": r"rowtime|ROWTIME",
    "blanks": r" *",
    "bare": r"[^,\[\]\n]+",
    "id": r"[^\s:{}\"\[][^\n{}\"]{0,300}?",
    "token": r"[^\s)]+",
    "inner": r"[^)]*",
    "some": r"Some\([^)]*\)|None",
    "map": r"\w*Map",
    "nothing": r"NULL|null|<DELETE>",
    "cell": r"[^\s|]\S*?",
    "optional": r"-?\d{1,19}|[a-z]\S*|N/A|None|-",
    "ids": r"[\d,]*",
    "legal": r"(?<![\w.-])(?!\d{4}-\d\d-\d\dT)(?=[\d._-]*[A-Za-z])[\w.-]{1,249}",  # a topic's name, not a time of day
    "older_offsets": r"(?:,\d{1,19})*",
    "leader": r"-?\d{1,9}|none",
    "rest": r"[^\r\n]*",
    "uuid": r"[\w-]{22}",
    "setting": r"[a-z][a-z0-9.]*",
    "settings": r"(?:[^\r\n]*,[ \t]*\r?\n[ \t]*[a-z][a-z0-9.]*=)*[^\r\n]*",  # broken between two of them
    "configs": r"(?:(?:Dynamic|All|Default) c|C)onfigs",
    "broker": r"\(-?\d*\)",
    "entity": r"topics?|brokers?|users?|client-metrics|clients?|ips?|groups?",
    "of": r"[ :-]{0,3}'?",
    "space": r",?[ \t]+",
    "blanks_or_tab": r"[ \t]+",
    "blank": r"[ \t]*",
    "margin": r"(?<![^\n])[ \t]*",
    "line_end": r"[ \t,]*(?:\||\xe2\x94\x82)?[ \t]*(?=\r?(?:\n|\Z))",
    "start": r"\n|(?<![^\n])",  # a paste may drop the blank lines before records
    "gap": r"[\s,;|]+",
}
BY_NAME = {
    "topic": "name",
    "partition": "count",
    "offset": "long",
    "time": "long",
    "key_size": "count",
    "value_size": "count",
    "clock": "clock",
    "headers": "text",
}
SCALAR = re.compile(rb"None|-?\d[\w.]*|True|False")
PYTHON_STRING = re.compile(rb"b?(?:'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\")", re.S)
MAX_DOCUMENT_BYTES = 1 << 20  # that spans several lines
decoder = json.JSONDecoder(strict=False)


@dataclass(frozen=True)
class Object:
    """A key or value that was printed as an object: its text, and its members where they are readable."""

    text: bytes
    members: Any = None


def json_document(text: bytes, at: int, end: int) -> tuple[int, Any] | None:
    """The document that begins here or behind blanks, and its members."""
    while at < end and text[at : at + 1].isspace():
        at += 1
    feed = text.find(b"\n", at, end)
    for limit in dict.fromkeys((feed if feed >= 0 else end, min(end, at + MAX_DOCUMENT_BYTES))):
        decoded = text[at:limit].decode("utf-8", "surrogateescape")
        try:
            members, size = decoder.raw_decode(decoded)
        except (ValueError, RecursionError):
            continue
        end_of_text = at + len(decoded[:size].encode("utf-8", "surrogateescape"))
        if not decoded[:size].isprintable():  # bytes that are no text become U+FFFD
            members = decoder.decode(text[at:end_of_text].decode("utf-8", "replace"))
        return end_of_text, members
    return None


def node_value(text: bytes, at: int, end: int) -> tuple[int, Any] | None:
    return inspected(text, at, end)


def python_value(text: bytes) -> Any:
    """Bytes, None, or an object of what `repr` printed."""
    try:
        value = ast.literal_eval(text.decode("utf-8"))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return Object(text)
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    return value if value is None or isinstance(value, bytes) else Object(text, value)


def decimals(text: bytes | None) -> bytes | None:
    """`[107 101]`, `104, -1` as bytes; None if a number is no byte."""
    try:
        numbers = [int(number) for number in re.split(rb"[\s,]+", (text or b"").strip(b"[] ")) if number]
        return (
            bytes(number & 0xFF for number in numbers)
            if all(-129 < number < 256 for number in numbers)
            else None
        )
    except ValueError:
        return None


def python_document(text: bytes, at: int, end: int) -> tuple[int, Any] | None:
    """A dict, list or tuple of literals."""
    depth, position = 0, at
    while position < end:
        letter = text[position : position + 1]
        if letter in b"'\"":
            string = PYTHON_STRING.match(text, position, end)
            if string is None:
                return None
            position = string.end()
            continue
        depth += (letter in b"([{") - (letter in b")]}")
        position += 1
        if depth <= 0:
            break
    value = python_value(text[at:position]) if depth == 0 else None
    return (position, value.members) if isinstance(value, Object) and value.members is not None else None


READERS: dict[str, Reader] = {"json": json_document, "node": node_value, "dict": python_document}
