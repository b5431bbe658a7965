"""A dump is named by a time that no other dump beside it has."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from webapp.reports.repair.origins import shown_time

NEWEST = datetime(2026, 11, 21, 8, 25, 6, tzinfo=UTC)
SAME_MINUTE = NEWEST.replace(second=55)


@pytest.mark.parametrize(
    ("ours", "others", "text"),
    [
        (None, [], "2026-11-21 08:25"),
        (NEWEST.replace(hour=9), [], "08:25"),
        (SAME_MINUTE, [], "08:25:06"),
        (None, [SAME_MINUTE], "2026-11-21 08:25:06"),
        (NEWEST.replace(hour=9), [SAME_MINUTE, None], "08:25:06"),
    ],
)
def test_seconds_stand_where_two_dumps_are_of_one_minute(
    ours: datetime | None, others: list[datetime | None], text: str
) -> None:
    assert re.sub(r"<[^>]*>", "", shown_time(NEWEST, ours, others)) == text
