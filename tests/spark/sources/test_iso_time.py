"""ISO 8601 as tools print it: with and without a zone."""

from __future__ import annotations

import pytest

from spark.sources._iso_time import iso_ms
from spark.sources._json.times import _one


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31T12:00:00.123Z",
        "2026-01-31T12:00:00.123+00:00",
        "2026-01-31T07:00:00.123-05:00",
        "2026-01-31T12:00:00.123",
        "2026-01-31 12:00:00.123",
    ],
)
def test_a_time_is_read_with_its_zone_and_without_one_as_utc(text: str) -> None:
    assert iso_ms(text) == 1_769_860_800_123
    assert _one(text) == 1_769_860_800_123  # also in a JSON export, one by one


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01T00:00:00Z"])
def test_what_is_no_time_gives_none(text: str) -> None:
    assert iso_ms(text) is None
