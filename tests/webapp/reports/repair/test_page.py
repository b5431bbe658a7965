"""Addresses of records that a repair took from older dumps."""

from __future__ import annotations

import pytest

from webapp.reports.repair.page import record_url

INSPECTION = "0f1e2d3c-0000-4000-8000-000000000001"


@pytest.mark.parametrize(
    ("places", "partition"),
    [
        pytest.param(
            [["other", 0, ""], ["journal", 0, ""]], "topic=journal&partition=0&", id="the topic of the repair"
        ),
        pytest.param(
            [["other", 1, ""], ["?", 0, "b"]], "topic=%3F&partition=0&replica=b&", id="a dump without a topic"
        ),
        pytest.param([["journal", 1, ""]], "", id="no partition of that number"),
    ],
)
def test_a_record_of_an_older_dump_is_looked_up_in_the_partition_that_was_repaired(
    places: list[list[object]], partition: str
) -> None:
    address = record_url(
        {"inspection": INSPECTION, "places": places}, {"topic": "journal", "partition": 0}, 4
    )
    assert address == f"/inspections/{INSPECTION}/report/records/?{partition}offset=4&record=4"
