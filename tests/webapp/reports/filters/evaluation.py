"""Filters made at random, and what they mean for one record in plain Python: what SQL must agree with."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from webapp.reports.filters.moments import read_moment
from webapp.reports.filters.tree import (
    NUMBER,
    BothTest,
    BoundMatch,
    EitherTest,
    FieldTest,
    FilterTree,
    Match,
    NegatedTest,
    RangeMatch,
    RegexMatch,
    TextMatch,
    WordTest,
    needs_quotes,
)

OPERATORS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
Record = Mapping[str, Any]


def holds(tree: FilterTree | None, record: Record, zone: ZoneInfo | None = None) -> bool:
    """Whether a record passes."""
    if tree is None:
        return True
    if isinstance(tree, BothTest):
        return all(holds(part, record, zone) for part in tree.parts)
    if isinstance(tree, EitherTest):
        return any(holds(part, record, zone) for part in tree.parts)
    if isinstance(tree, NegatedTest):
        return not holds(tree.branch, record, zone)
    if isinstance(tree, WordTest):
        text = tree.text if tree.text.has_star else TextMatch((None, *tree.text.pieces, None))
        texts = [record["key"], record["value"], record["entity"]]
        return any(value is not None and like(text, value, re.IGNORECASE) for value in texts)
    return any(_field(tree, match, record, zone) for match in tree.matches)


def _field(test: FieldTest, match: Match, record: Record, zone: ZoneInfo | None) -> bool:
    if test.name == "header":
        values = [value for name, value in record["headers"] if name == test.path[0] and value is not None]
        if isinstance(match, TextMatch) and match.is_null:
            return not values
        return any(_member(value, match) for value in values)
    if test.path:
        return _member(member(record, test), match)
    if test.name == "time":
        return _time(record["time"], match, zone)
    if test.name in ("offset", "size"):
        number = record[test.name]
        if isinstance(match, TextMatch):
            return bool(number == match.number)
        return _ordered(match, lambda operator, bound: OPERATORS[operator](number, bound.number))
    if test.name == "kind":
        assert isinstance(match, TextMatch)
        is_null = match.literal == "tombstone"
        return bool(record["is_tombstone"] if is_null else record["kind"] == match.literal)
    value = record[test.name]
    if isinstance(match, TextMatch) and match.is_null and test.name in ("key", "value"):
        return value is None
    if value is not None and test.name == "entity":
        return called(match, record)
    return value is not None and _text(value, match)


def called(match: Match, record: Record) -> bool:
    if isinstance(match, TextMatch) and not match.has_star:
        names = [record["entity"], f"{record['type'].lower()} {record['entity']}"]
        return any(name == match.literal or name.startswith(f"{match.literal}/") for name in names)
    return _text(record["entity"], match)


def _text(value: str, match: Match) -> bool:
    if isinstance(match, RegexMatch):
        return bool(re.search(match.expression, value, re.IGNORECASE if match.ignores_case else 0))
    assert isinstance(match, TextMatch)
    return like(match, value)


def like(match: TextMatch, value: str, flags: int = 0) -> bool:
    pattern = "".join(".*" if piece is None else re.escape(piece) for piece in match.pieces)
    return bool(re.fullmatch(pattern, value, flags | re.DOTALL))


def member(record: Record, test: FieldTest) -> str | None:
    """A member as text: of the document in the bytes, else of what the dialect read."""
    for document in (record[f"{test.name}_document"], record["attributes"]):
        inner: Any = document
        for step in test.path:
            if isinstance(inner, dict):
                inner = inner.get(step)
            elif isinstance(inner, list) and step.isdigit() and int(step) < len(inner):
                inner = inner[int(step)]
            else:
                inner = None
        if inner is not None:
            return inner if isinstance(inner, str) else json.dumps(inner, separators=(",", ":"))
    return None


def _member(value: str | None, match: Match) -> bool:
    if isinstance(match, TextMatch) and match.is_null:
        return value is None
    if value is None:
        return False
    number = float(value) if NUMBER.fullmatch(value) else None

    def compared(operator: str, bound: TextMatch) -> bool:
        if bound.number is None:
            return bool(OPERATORS[operator](value, bound.literal))
        return number is not None and bool(OPERATORS[operator](number, bound.number))

    if isinstance(match, BoundMatch | RangeMatch):
        return _ordered(match, compared)
    if isinstance(match, TextMatch) and match.number is not None:
        is_whole = isinstance(match.number, int) and re.fullmatch(r"-?\d+", value)
        return value == match.literal if is_whole else number == match.number
    return _text(value, match)


def _ordered(match: Match, compared: Any) -> bool:
    if isinstance(match, BoundMatch):
        return bool(compared(match.operator, match.bound))
    assert isinstance(match, RangeMatch)
    bounds = ((">=", match.low), ("<=", match.high))
    return all(compared(operator, bound) for operator, bound in bounds if bound)


def _time(timestamp_ms: int, match: Match, zone: ZoneInfo | None) -> bool:
    def compared(operator: str, bound: TextMatch) -> bool:
        span = read_moment(bound.literal, zone)
        assert span is not None
        moment = timestamp_ms
        if span.is_clock:
            local = datetime.fromtimestamp(timestamp_ms / 1000, zone or UTC)
            moment = ((local.hour * 60 + local.minute) * 60 + local.second) * 1000 + timestamp_ms % 1000
        return bool(OPERATORS[operator](moment, span.last_ms if operator in (">", "<=") else span.first_ms))

    if isinstance(match, TextMatch):
        return match.is_anything or (compared(">=", match) and compared("<=", match))
    return _ordered(match, compared)


WORDS = (
    "acc-1",
    "acc-17",
    "EUR",
    "a b",
    'say "hi"',
    "5%",
    "a_b",
    "back\\slash",
    "or",
    "null",
    "44",
    "(x)",
    "ä,b",
    "..",
    "",
)
TIMES = (
    "2026-11-14",
    "2026-11-14T14:02",
    "14:02",
    "14:02:03.5",
    "2026-11-14T14:02:01.250Z",
    "2026-11-14T15:02+01:00",
    "2026",
)
NUMBERS = ("0", "7", "-3", "12.5", "400", "1e2", "9007199254740993")
PATHS = (
    ("amount",),
    ("name",),
    ("id",),
    ("items", "0", "unit price"),
    ("nowhere",),
    ("x/y",),
    ("flag",),
    ("a~b",),
)
EXPRESSIONS = ("^acc", "1[0-7]$", "a b", "EUR|USD", "^/x/y", "(?i)eur", "[^/]")


class RandomFilters:
    """Trees as the parser gives them."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def tree(self, depth: int = 0) -> FilterTree:
        kind = self.random.random()
        if depth > 3 or kind < 0.5:
            return self.test()
        if kind < 0.6:
            return NegatedTest(self.tree(depth + 1))
        parts = tuple(self.tree(depth + 1) for _ in range(self.random.randint(2, 3)))
        return BothTest(parts) if kind < 0.8 else EitherTest(parts)

    def test(self) -> FilterTree:
        choice = self.random.choice
        name = choice(
            (
                "offset",
                "time",
                "kind",
                "key",
                "value",
                "type",
                "entity",
                "size",
                "member",
                "member",
                "header",
                "word",
            )
        )
        if name == "word":
            text = self.text()
            return WordTest(text if text.literal else TextMatch(("acc",)))
        many = range(self.random.randint(1, 3))
        if name in ("offset", "size"):
            return FieldTest(
                name,
                (),
                tuple(self.ordered(lambda: TextMatch((str(self.random.randint(-2, 120)),))) for _ in many),
            )
        if name == "time":
            return FieldTest(name, (), tuple(self.ordered(lambda: TextMatch((choice(TIMES),))) for _ in many))
        if name == "kind":
            return FieldTest(
                name,
                (),
                tuple(TextMatch((choice(("create", "update", "tombstone", "control")),)) for _ in many),
            )
        path: tuple[str, ...] = ()
        if name == "member":
            name, path = choice(("key", "value", "value")), choice(PATHS)
        elif name == "header":
            path = (choice(("trace", "spring.type", "a:b", "none")),)
        if self.random.random() < 0.15 and name != "type":
            return FieldTest(name, path, (RegexMatch(choice(EXPRESSIONS), choice((True, False))),))
        return FieldTest(name, path, tuple(self.member() if path else self.text() for _ in many))

    def member(self) -> Match:
        choice = self.random.choice
        if self.random.random() < 0.5:
            return self.ordered(
                lambda: (
                    TextMatch((choice(NUMBERS),))
                    if choice((True, False))
                    else plain(choice(("acc-1", "EUR", "2026-11-14")))
                )
            )
        return self.text()

    def ordered(self, text: Any) -> Match:
        kind = self.random.random()
        if kind < 0.4:
            return text()
        if kind < 0.7:
            return BoundMatch(self.random.choice(tuple(OPERATORS)), text())
        low, high = self.random.choice((True, False)), self.random.choice((True, False))
        return RangeMatch(text() if low or not high else None, text() if high else None)

    def text(self) -> TextMatch:
        choice = self.random.choice
        if self.random.random() < 0.1:
            return TextMatch(("null",))
        word = choice(WORDS)
        pieces: tuple[str | None, ...] = choice(((word,), (None, word, None), (word, None), (None, word)))
        return TextMatch(pieces, needs_quotes(word) or ".." in word)


def plain(word: str) -> TextMatch:
    return TextMatch((word,), needs_quotes(word))
