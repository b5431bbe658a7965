"""Addresses of records that a repair took from older dumps."""

from __future__ import annotations

import pytest

from webapp.reports.repair.page import is_repaired_beside, record_url, untouched
from webapp.reports.report import read_report

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


def test_journals_without_a_repair_are_listed_with_their_reason() -> None:
    intact = [{"topic": "a", "partition": 0, "dialect": "apicurio-v2", "sentence": "Nothing."}]
    others = [
        {"topic": "b", "partition": number, "dialect": "plain", "sentence": "Plain."} for number in (0, 1)
    ]
    assert untouched({"partitions": [], "nothing_to_repair": intact, "unsupported": others}) == [
        ("Nothing to repair", [("a-0", "Nothing.")]),
        ("Not supported", [("b (2 partitions)", "Plain.")]),
    ]


def test_a_result_from_before_that_answer_lists_none() -> None:
    assert untouched({"partitions": []}) == []


@pytest.mark.parametrize(
    ("members", "is_taken_away"),
    [
        ({"corrected": ["artifact short-lived/s1 deleted again", "version short-lived/s2/1 deleted again"]}, True),
        ({"corrected": ["artifact short-lived/s1 deleted again"]}, False),
        ({"corrected": ["artifact short-lived/s1 deleted again", "artifact short-lived/s2 deleted again"], "is_complete": False}, False),
        ({"corrected": []}, False),
    ],
    ids=["each victim", "one of two", "not complete", "nothing"],
)  # fmt: skip
def test_a_repair_for_other_findings_takes_one_away_if_it_deletes_each_victim_again(
    members: dict[str, object], is_taken_away: bool
) -> None:
    row = {"detector": "deletion-compacted-away", "id": "f", "topic": "journal", "severity": "high"}
    victims = [{"finding": "f", "entity_id": f"short-lived/s{number}/1"} for number in (1, 2)]
    journals = [{"topic": "journal", "dialect": "apicurio-v2"}]
    report = read_report({"findings": [row], "incidents": [{"victims": victims}], "journals": journals})
    outcome = {"recommended": "append", "missing": [], "is_complete": True, **members}
    assert is_repaired_beside(report, report.findings[0], outcome) is is_taken_away
