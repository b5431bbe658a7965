"""Numbers in addresses, the pages of a list, and what a fold below its first rows contains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from webapp.reports.results import Rows

if TYPE_CHECKING:
    from webapp.reports.page import Page

LAST_PAGE = 10_000_000
ROWS_BEFORE_FOLD = 5


def whole_number(text: str | None) -> int | None:
    """An integer with or without grouping (`4,096`); None if it is not one or exceeds 64 bits."""
    cleaned = (text or "").replace(",", "").replace("_", "").replace(" ", "").strip()
    try:
        number = int(cleaned)
    except ValueError:
        return None
    return number if -(2**63) <= number < 2**63 else None


def page_number(page: Page) -> int:
    """At least 1."""
    return max(1, min(whole_number(page.request.GET.get("page")) or 1, LAST_PAGE))


def page_of(number: int, size: int, rows: Rows, total: int, url: Callable[[int], str]) -> dict[str, Any]:
    """Context of `reports/parts/pages.html` and the line above a list: pages of `size` rows."""
    before = (number - 1) * size
    return {
        "total": total,
        "first": before + 1,
        "last": before + len(rows),
        "previous_url": url(number - 1) if number > 1 else None,
        "next_url": url(number + 1) if before + len(rows) < total else None,
    }


def before_fold(rows: Sequence[Any]) -> Sequence[Any]:
    """The first rows; a single further one needs no fold."""
    return rows if len(rows) == ROWS_BEFORE_FOLD + 1 else rows[:ROWS_BEFORE_FOLD]


def in_fold(rows: Sequence[Any]) -> Sequence[Any]:
    """The rows after the first ones."""
    return rows[len(before_fold(rows)) :]
