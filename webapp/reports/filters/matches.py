"""Matches of one test as SQL over an expression: numbers, times, texts. Every value becomes a parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from spark.tables.members import compared
from webapp.reports.filters.moments import TimeSpan, read_moment
from webapp.reports.filters.tree import BoundMatch, Match, RangeMatch, RegexMatch, TextMatch

DAY_MS = 86_400_000
LOCAL_MS = "TRY(epoch_ms(timezone(${zone}, make_timestamptz(timestamp_ms * 1000))))"
LIKE_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\%_"})


@dataclass
class BoundValues:
    """The parameters of a query under construction."""

    values: dict[str, Any] = field(default_factory=dict)

    def bind(self, value: object) -> str:
        """Keep a value, give its name in SQL."""
        name = f"filter_{len(self.values)}"
        self.values[name] = value
        return f"${name}"


Compared = Callable[[Match], str]


def any_of(conditions: list[str]) -> str:
    return conditions[0] if len(conditions) == 1 else f"({' OR '.join(conditions)})"


def number_matches(column: str, matches: tuple[Match, ...], values: BoundValues) -> str:
    """Whole numbers of a column."""

    def bound(text: TextMatch) -> str:
        return values.bind(text.number)

    def condition(match: Match) -> str:
        if isinstance(match, TextMatch):
            return f"{column} = {bound(match)}"
        return _ordered(match, lambda operator, text: f"{column} {operator} {bound(text)}")

    return any_of([condition(match) for match in matches])


def time_matches(matches: tuple[Match, ...], values: BoundValues, zone: ZoneInfo | None) -> str:
    """The column timestamp_ms; a clock time is compared with the time of day in the zone."""

    def compared(operator: str, text: TextMatch) -> str:
        span = read_moment(text.literal, zone)
        assert span is not None, "the parser has read it"
        edge = span.last_ms if operator in (">", "<=") else span.first_ms
        return f"{_clock(span, values, zone)} {operator} {values.bind(edge)}"

    def condition(match: Match) -> str:
        if not isinstance(match, TextMatch):
            return _ordered(match, compared)
        if match.is_anything:
            return "timestamp_ms >= 0"
        return f"({compared('>=', match)} AND {compared('<=', match)})"

    return any_of([condition(match) for match in matches])


def _clock(span: TimeSpan, values: BoundValues, zone: ZoneInfo | None) -> str:
    if not span.is_clock:
        return "timestamp_ms"
    local = LOCAL_MS.format(zone=values.bind(zone.key)[1:]) if zone else "timestamp_ms"
    return f"CASE WHEN timestamp_ms >= 0 THEN {local} % {DAY_MS} END"


def _ordered(match: Match, compared: Callable[[str, TextMatch], str]) -> str:
    if isinstance(match, BoundMatch):
        return compared(match.operator, match.bound)
    assert isinstance(match, RangeMatch)
    bounds = ((">=", match.low), ("<=", match.high))
    return "(" + " AND ".join(compared(operator, text) for operator, text in bounds if text) + ")"


def text_matches(text: str, matches: tuple[Match, ...], values: BoundValues) -> str:
    """A text, null where there is none."""
    return any_of([text_match(text, match, values) for match in matches])


def text_match(text: str, match: Match, values: BoundValues, *, ignores_case: bool = False) -> str:
    if isinstance(match, RegexMatch):
        flags = ", 'i'" if match.ignores_case else ""
        return f"regexp_matches({text}, {values.bind(match.expression)}{flags})"
    assert isinstance(match, TextMatch)
    if match.is_anything:
        return f"{text} IS NOT NULL"
    if not match.has_star:
        return f"{text} = {values.bind(match.literal)}"
    pattern = "".join("%" if piece is None else piece.translate(LIKE_SIGNS) for piece in match.pieces)
    like = "ILIKE" if ignores_case else "LIKE"
    return rf"{text} {like} {values.bind(pattern)} ESCAPE '\'"


def member_matches(text: str, matches: tuple[Match, ...], values: BoundValues) -> str:
    """A member as text: a number of the filter is compared with numbers, anything else with the text."""

    def against(operator: str, bound: TextMatch) -> str:
        return compared(text, operator, bound.literal, bound.number, values.bind)

    def condition(match: Match) -> str:
        if isinstance(match, BoundMatch | RangeMatch):
            return _ordered(match, against)
        if isinstance(match, TextMatch) and match.is_null:
            return f"{text} IS NULL"
        if isinstance(match, TextMatch) and match.number is not None:
            return against("=", match)
        return text_match(text, match, values)

    return any_of([condition(match) for match in matches])
