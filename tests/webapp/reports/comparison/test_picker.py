"""What a report is offered to be compared with."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

pytestmark = pytest.mark.django_db


def test_dumps_of_the_same_topic_are_offered_first(inspected: Any, get: Any) -> None:
    journals = {
        "topics": ["_schemas"],
        "first_timestamp_ms": 1_700_000_000_000,
        "last_timestamp_ms": 1_700_000_060_000,
    }
    here, same = inspected(summary=journals), inspected(summary=journals)
    other = inspected(summary={"topics": ["orders"]})
    again = inspected(summary=journals)
    type(again).objects.filter(pk=again.pk).update(journal=here.journal)
    page = get(here, "report-compare").content.decode()
    order = [
        page.index(reverse("report-comparison-start", args=[here.pk, one.pk])) for one in (same, again, other)
    ]
    assert order == sorted(order)
    assert "same topic" in page
    assert "2023-11-14 22:13:20" in page
