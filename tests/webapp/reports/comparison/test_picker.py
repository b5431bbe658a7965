"""What a report is offered to be compared with."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from webapp.reports.comparison.picker import OTHER_TIME, SAME_LINEAGE, SAME_TOPIC, order_words

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


def test_dumps_of_another_time_and_samples_come_after_those_that_may_be_of_the_same_log(
    inspected: Any, get: Any
) -> None:
    def summary(first_ms: int) -> dict[str, Any]:
        return {
            "topics": ["_schemas"],
            "first_timestamp_ms": first_ms,
            "last_timestamp_ms": first_ms + 60_000,
        }

    here = inspected(summary=summary(1_700_000_000_000))
    sample, apart, same, lineage = (
        inspected(summary=summary(first_ms))
        for first_ms in (1_700_000_000_000, 1_600_000_000_000, 1_700_000_030_000, 1_600_000_000_000)
    )
    sample.journal.is_sample = True
    sample.journal.save()
    lineage.journal.lineage = here.journal.lineage
    lineage.journal.save()
    page = get(here, "report-compare").content.decode()
    order = [
        page.index(reverse("report-comparison-start", args=[here.pk, one.pk]))
        for one in (lineage, same, apart, sample)
    ]
    assert order == sorted(order)
    assert "another dump of this journal" in page
    assert "same topic, other time" in page


def test_the_dump_with_the_newest_record_comes_first_whenever_it_was_inspected(
    inspected: Any, get: Any
) -> None:
    def dump(last_ms: int | None) -> Any:
        first_ms = None if last_ms is None else 1_700_000_000_000
        return inspected(
            summary={"topics": ["_schemas"], "first_timestamp_ms": first_ms, "last_timestamp_ms": last_ms}
        )

    here, newest, undated, oldest = map(dump, (1_700_000_060_000, 1_700_000_900_000, None, 1_700_000_005_000))
    page = get(here, "report-compare").content.decode()
    order = [
        page.index(reverse("report-comparison-start", args=[here.pk, one.pk]))
        for one in (newest, oldest, undated)
    ]
    assert order == sorted(order)
    assert "Showing 3 inspections: the newest record first" in page
    assert "other time" not in page


def test_the_order_is_said_with_the_groups_that_are_there() -> None:
    assert order_words([SAME_TOPIC, SAME_TOPIC]) == "the newest record first"
    assert order_words([OTHER_TIME, SAME_LINEAGE, SAME_TOPIC]) == (
        "dumps of this journal first, then dumps of the same topic, then dumps of the same topic from another time; "
        "in each group, the newest record first"
    )
