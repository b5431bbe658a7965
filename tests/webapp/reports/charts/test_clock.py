"""Times name their zone; a zone that nobody knows is UTC."""

from __future__ import annotations

import pytest

from webapp.reports.charts.clock import Clock, clock_of

NOON_MS = 1_785_326_400_250  # 2026-07-29 12:00:00.250 UTC


def test_a_zone_has_the_distance_that_it_has_on_that_day() -> None:
    berlin = clock_of("Europe/Berlin", NOON_MS)
    assert berlin.named(NOON_MS) == "2026-07-29 14:00:00.250 UTC+02:00"
    assert clock_of("Europe/Berlin", NOON_MS - 180 * 86_400_000).name == "UTC+01:00"
    assert clock_of("America/St_Johns", NOON_MS).name == "UTC-02:30"


@pytest.mark.parametrize("zone", ["", "Nowhere/Land", "../../etc/passwd", "/etc/passwd", "a" * 60, "\x00"])
def test_a_zone_that_is_none_is_utc(zone: str) -> None:
    assert clock_of(zone, NOON_MS) == Clock()


def test_a_moment_beyond_the_calendar_is_a_number() -> None:
    assert clock_of("Europe/Berlin", 2**62) == Clock()
    assert Clock().text(2**62) == f"{2**62:,} ms"
    assert Clock().named(-1) == "no time"
