"""From finding to finding of a filter: where one stands in the queue, and what comes before and after.

`within` is the filter's query, `at` the position that the finding had in it. A finding that was decided may have left the
filter; what moved up to its position is the next one then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from webapp.review.filters import Filter
from webapp.review.models import Finding

MAX_FINDINGS = 5000  # that one walks through page by page


@dataclass(frozen=True)
class Neighbours:
    """Addresses of the previous and next finding; empty at the ends."""

    within: str
    at: int
    total: int
    queue: str
    previous: str
    following: str


def neighbours_of(user: Any, finding: Finding, within: str, at: str) -> Neighbours:
    queue = Filter.of_text(within)
    ids = list(queue.findings(user).values_list("pk", flat=True)[:MAX_FINDINGS])
    is_there = finding.pk in ids
    position = (
        ids.index(finding.pk) if is_there else min(int(at), len(ids)) if at.isdecimal() and len(at) < 9 else 0
    )
    after = position + 1 if is_there else position
    query = queue.query
    return Neighbours(
        query,
        position,
        len(ids),
        reverse("review") + (f"?{query}" if query else ""),
        _address(ids, position - 1, query),
        _address(ids, after, query),
    )


def address(finding_id: int, within: str, at: int | str) -> str:
    """A finding's page that knows the queue it was opened from."""
    return f"{reverse('review-finding', args=[finding_id])}?{urlencode({'within': within, 'at': at})}"


def _address(ids: list[int], position: int, within: str) -> str:
    return address(ids[position], within, position) if 0 <= position < len(ids) else ""
