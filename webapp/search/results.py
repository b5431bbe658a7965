"""What a search shows: lines in groups."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Result:
    """One line: what it is, where it is. `press`: the switch that it is (theme, utc, local), without an address."""

    title: str
    url: str = ""
    context: str = ""
    moment: datetime | None = None
    severity: str = ""
    is_mono: bool = False
    press: str = ""
    is_post: bool = False
    is_dump: bool = False  # `moment` is the time of the dump


@dataclass
class ResultGroup:
    title: str
    results: list[Result]
    more_url: str = ""
