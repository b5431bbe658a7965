"""Values next to a name in text: `name=value`, `name: value`, `--name value`, quoted, in braces, over several lines.

There is no single grammar: logs, properties, YAML, query strings, connection strings, printed objects, truncated documents.
So it starts at a masked name and finds the end of its value; in doubt a later one. It is a single pass to the right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

import re2

from spark.redaction.masking.fields import FieldPaths, writable
from spark.redaction.masking.pairs import NAME_BEFORE, VALUE_KEY
from spark.redaction.masking.values import Lines, Value, end_of
from spark.redaction.masking.views import TextSpan, TextView

Sure = tuple[str, int, int, bool]  # sign, its place, where the value begins, whether the name is closed
LETTER = re.compile(r"[\w.-]")
NAME = re.compile(r"[\w.-]*")
CLOSED = re.compile(r"(\\*[\"'`]|&quot;)?[\])]{0,3}")
SIGN = re.compile(r"[ \t]{0,40}(:=|=>|->|==|=|:|[~#|\u2190-\u21ff\u27f5-\u27ff]|[\x00-\x08\x0e-\x1f\x7f])")
QUOTED_NEXT = re.compile(r"\s{1,20}(?=[bur]?\\{0,3}[\"'`])")
TUPLE = re.compile(r"\(\s{0,4}[bur]?\\{0,3}[\"']\Z")
TUPLE_NEXT = re.compile(r"\s{0,4},\s{0,4}")
INSERT = re2.compile(r"\binsert\s+into\b[^;]*?\bvalues?\b")
IN_TAG = re.compile(r"<[a-z][^<>]*\Z")
TAG_ENDS = re.compile(r"[^<>]{0,4000}>")
BEFORE = 60  # characters before a name that tell what it is
MAX_LINE = 4_000
MAX_VALUES = 20_000  # beside names in one text; one with more is hidden whole
CELLS = (",", ";", "\t", "|")


class HiddenWhole(Exception):
    """A masked name stands in a text whose values cannot be separated."""


def named_spans(view: TextView, fields: FieldPaths) -> list[TextSpan]:
    """Values of masked names in folded text. Raises HiddenWhole."""
    spans: list[TextSpan] = []
    behind = 0
    around = Around(view, fields)
    for name in _names(view.text, fields):
        if name[0] < behind:
            continue
        around.require_cells(name)
        span = _value_of(around, name)
        if span is not None and span[1] > span[0]:
            spans.append(span)
            if len(spans) > MAX_VALUES:
                raise HiddenWhole
            behind = span[1]
    return spans


def _names(text: str, fields: FieldPaths) -> Iterator[TextSpan]:
    behind = 0
    for first, last in fields.hits(text):
        if first < behind:
            continue
        while first > behind and LETTER.match(text, first - 1):
            first -= 1
        behind = NAME.match(text, last).end()  # type: ignore[union-attr]
        if fields.is_name(text[first:behind]):
            yield first, behind


def _value_of(around: Around, name: TextSpan) -> TextSpan | None:
    """The span of a name's value; None if the name is a word in a sentence."""
    text, (first, last) = around.view.text, name
    before = text[max(0, first - BEFORE) : first]
    closed = CLOSED.match(text, last)
    at = closed.end() if closed else last
    sign = SIGN.match(text, at)
    sure: Sure | None
    if sign:
        is_closed = bool(closed and closed[1])
        sure = sign[1], sign.start(1), sign.end(), is_closed
    elif NAME_BEFORE.search(before) and around.has_values and not _is_in_tag(text, at, before):
        raise HiddenWhole
    else:
        sure = _unsigned(text, first, at, before)
    return end_of(Value(around.view, around.lines, name, before, *sure)) if sure else None


def _is_in_tag(text: str, at: int, before: str) -> bool:
    """Whether the name is an attribute's value in a complete tag, which `xml_text` handles."""
    return bool(IN_TAG.search(before)) and bool(TAG_ENDS.match(text, at))


def _unsigned(text: str, first: int, at: int, before: str) -> Sure | None:
    """A name and a value separated by blanks."""
    quoted = QUOTED_NEXT.match(text, at)
    if quoted is None and TUPLE.search(before):
        quoted = TUPLE_NEXT.match(text, at)
    if quoted:
        return " ", at, quoted.end(), True
    is_first = not before.rpartition("\n")[2].strip(" -")
    is_option = text.startswith("-", first) and text[at : at + 1] == " "
    if is_option or (is_first and text[at : at + 1] == "\t"):
        return text[at], at, at + 1, False
    return None


class Around:
    """The surroundings of a text's names. A name that heads a table's column hides the whole table."""

    def __init__(self, view: TextView, fields: FieldPaths) -> None:
        self.view, self.lines = view, Lines(view.text)
        self._text, self._fields, self._seen = view.text, fields, -1
        if "insert" in view.text:
            self._require_columns()

    @cached_property
    def has_values(self) -> bool:
        """Whether the text has members that are called values."""
        return VALUE_KEY.search(self._text) is not None

    def require_cells(self, name: TextSpan) -> None:
        """Raises HiddenWhole if the name heads a column with values below."""
        start = self._text.rfind("\n", max(0, name[0] - MAX_LINE), name[0]) + 1
        if start <= self._seen and self._seen >= 0:
            return
        self._seen = start
        end = self._text.find("\n", name[1], name[1] + MAX_LINE)
        if end < 0:
            return
        heading, below = self._text[start:end], self._row(end + 1)
        for sign in CELLS:
            if (
                sign in heading
                and heading.count(sign) == below.count(sign)
                and self._is_heading(heading, sign)
            ):
                raise HiddenWhole

    def _row(self, start: int) -> str:
        """The first row below a heading that is not a ruler."""
        for _ in range(3):
            end = self._text.find("\n", start, start + MAX_LINE)
            row = self._text[start : end if end >= 0 else start + MAX_LINE]
            if row.strip("-+=| \t\r"):
                return row
            start = start + len(row) + 1
        return ""

    def _is_heading(self, heading: str, sign: str) -> bool:
        cells = [cell.strip(" \t\r\"'`") for cell in heading.split(sign)]
        return any(cell and self._fields.is_name(cell) for cell in cells)

    def _require_columns(self) -> None:
        for match in INSERT.finditer(writable(self._text)):
            if any(True for _ in _names(match[0], self._fields)):
                raise HiddenWhole
