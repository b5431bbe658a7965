"""Times in a filter: a day, a minute or a millisecond, each with all that lies in it; a clock time alone is on every day.

    moment => year ["-" month ["-" day ["T" clock]]] ["Z" | "+01:00"] | milliseconds since 1970, 10 digits or more
    clock  => hour ":" minute [":" second ["." fraction]]

A time without an offset from UTC is in the zone that the page shows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?", re.ASCII)
MOMENT = re.compile(
    r"(\d{4})(?:-(\d\d?)(?:-(\d\d?)(?:[T ](\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?)?)?)?(?: ?(Z|UTC|[+-]\d\d:\d\d))?",
    re.ASCII,
)
MILLISECONDS = re.compile(r"-?\d{10,18}", re.ASCII)
MS = timedelta(milliseconds=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EXAMPLE = "2026-11-14T14:02 or 14:02"


@dataclass(frozen=True)
class TimeSpan:
    """Milliseconds, both included: since 1970, or (`is_clock`) since midnight."""

    first_ms: int
    last_ms: int
    is_clock: bool = False


def read_moment(text: str, zone: tzinfo | None = None) -> TimeSpan | None:
    """All that a time covers: `14:02` is a minute. None: it is no time."""
    if MILLISECONDS.fullmatch(text):
        return TimeSpan(int(text), int(text))
    try:
        return _clock(text) or _moment(text, zone)
    except (ValueError, OverflowError):
        return None


def _clock(text: str) -> TimeSpan | None:
    if not (match := CLOCK.fullmatch(text)):
        return None
    hour, minute, second, fraction = match.groups()
    if int(hour) > 23 or int(minute) > 59 or int(second or 0) > 59:
        return None
    first = (int(hour) * 60 + int(minute)) * 60_000 + int(second or 0) * 1000
    if fraction:
        first += int(fraction.ljust(3, "0"))
        return TimeSpan(first, first + 10 ** (3 - len(fraction)) - 1, True)
    return TimeSpan(first, first + (999 if second else 59_999), True)


def _moment(text: str, zone: tzinfo | None) -> TimeSpan | None:
    if not (match := MOMENT.fullmatch(text)):
        return None
    *numbers, fraction, offset = match.groups()
    year, month, day, hour, minute, second = (int(number or 0) for number in numbers)
    time_zone = _offset(offset) or zone or UTC
    begin = datetime(year, month or 1, day or 1, hour, minute, second, tzinfo=time_zone)
    first = _ms(begin)
    if fraction:
        first += int(fraction.ljust(6, "0")[:3])
        return TimeSpan(first, first + max(10 ** (3 - len(fraction)), 1) - 1)
    if numbers[3] is not None:
        return TimeSpan(first, first + (999 if numbers[5] else 59_999))
    return TimeSpan(first, _ms(_following(begin, numbers)) - 1)


def _following(begin: datetime, numbers: list[str | None]) -> datetime:
    """Where the day, month or year ends: the local midnight, whatever the clocks did in between."""
    if numbers[2]:
        return begin + timedelta(days=1)
    months = begin.year * 12 + begin.month - 1 + (1 if numbers[1] else 12)
    return begin.replace(year=months // 12, month=months % 12 + 1)


def _offset(text: str | None) -> tzinfo | None:
    if not text or text in ("Z", "UTC"):
        return UTC if text else None
    return datetime.fromisoformat(f"2000-01-01T00:00:00{text}").tzinfo


def _ms(moment: datetime) -> int:
    return (moment.astimezone(UTC) - EPOCH) // MS


def moment_text(timestamp_ms: int) -> str:
    """A time to the millisecond as the language writes it; a number where no calendar has it."""
    try:
        moment = EPOCH + timestamp_ms * MS
    except OverflowError:
        return str(timestamp_ms)
    return (
        f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
        if moment.year >= 1000
        else str(timestamp_ms)
    )
