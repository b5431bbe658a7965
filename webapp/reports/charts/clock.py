"""Times as a figure writes them: to the millisecond, in the zone of the page, which is named."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from webapp.time_element import from_ms

HOUR_MINUTES = 60
MINUTE_MS = 60_000


@dataclass(frozen=True)
class Clock:
    """A fixed distance from UTC: the one that the zone has at the end of the window."""

    shift_ms: int = 0

    @property
    def name(self) -> str:
        """`UTC`, `UTC+01:00`."""
        minutes = self.shift_ms // MINUTE_MS
        if not minutes:
            return "UTC"
        sign = "-" if minutes < 0 else "+"
        return f"UTC{sign}{abs(minutes) // HOUR_MINUTES:02d}:{abs(minutes) % HOUR_MINUTES:02d}"

    def text(self, timestamp_ms: int) -> str:
        """`2026-11-23 12:00:01.250`."""
        if timestamp_ms < 0:
            return "no time"
        return _text(timestamp_ms + self.shift_ms) or f"{timestamp_ms:,} ms"

    def named(self, timestamp_ms: int) -> str:
        return self.text(timestamp_ms) + (f" {self.name}" if timestamp_ms >= 0 else "")


@lru_cache(maxsize=2_000)  # a figure names the ends of each bin for every lane and kind
def _text(shifted_ms: int) -> str:
    """Empty for years that Python's datetime does not have."""
    moment = from_ms(shifted_ms)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03d}" if moment else ""


def clock_of(zone: str, timestamp_ms: int) -> Clock:
    """Of a zone's IANA name, at a moment; UTC where the name or the moment is none."""
    try:
        moment = datetime.fromtimestamp(timestamp_ms / 1000, ZoneInfo(zone))
    except (ValueError, OSError, OverflowError, KeyError):  # a zone that is unknown is a KeyError
        return Clock()
    return Clock(round((moment.utcoffset() or timedelta()).total_seconds() * 1000))
