"""Two times as one text."""

from __future__ import annotations

import re

import pytest

from webapp.reports.templatetags.report_words import time_span

MS = 1_700_000_000_000  # 2023-11-14 22:13:20


@pytest.mark.parametrize(
    ("last_ms", "words"),
    [
        (MS, "2023-11-14 22:13:20"),
        (MS + 999, "2023-11-14 22:13:20"),
        (MS + 1000, "2023-11-14 22:13:20 – 22:13:21"),
        (MS + 86_400_000, "2023-11-14 22:13:20 – 2023-11-15 22:13:20"),
    ],
)
def test_one_time_where_both_are_the_same_second(last_ms: int, words: str) -> None:
    assert re.sub(r"<[^>]+>", "", str(time_span(MS, last_ms))) == words
