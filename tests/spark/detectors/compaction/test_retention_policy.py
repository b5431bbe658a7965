"""Topics whose settings let retention delete schemas."""

from __future__ import annotations

import pytest

from spark.detectors.compaction.retention_policy import detector
from spark.terms.findings import Finding
from tests.builders import other_table
from tests.spark.schema_journals import found, records_of, schema, tables


def with_policy(policy: str, first: int = 0, topic: str = "_schemas") -> list[Finding]:
    settings = ({"name": "cleanup.policy", "value": policy}, {"name": "retention.ms", "value": "604800000"})
    properties = other_table("properties", *settings, topic=topic)
    return found(detector, schema("a", 1, offset=first), properties=properties)


@pytest.mark.parametrize("policy", ["delete", "compact,delete"])
def test_a_policy_that_deletes_is_critical(policy: str) -> None:
    (finding,) = with_policy(policy)
    assert (finding.severity, finding.first_offset) == ("critical", None)
    assert f"cleanup.policy={policy}" in finding.title
    assert "604800000" in finding.explanation


def test_it_says_what_may_be_gone() -> None:
    (finding,) = with_policy("delete", first=9)
    assert (finding.first_offset, finding.last_offset) == (0, 8)
    assert "Offsets 0-8" in finding.explanation
    assert finding.entities == {"head"}


def test_without_limits_nothing_is_deleted() -> None:
    settings = [
        {"name": "cleanup.policy", "value": "delete"},
        {"name": "retention.ms", "value": "-1"},
        {"name": "retention.bytes", "value": "-1"},
    ]
    properties = other_table("properties", *settings, topic="_schemas")
    assert found(detector, schema("a", 1), properties=properties) == []


def test_of_a_captured_log_the_broker_tells_where_it_begins() -> None:
    settings = {"name": "cleanup.policy", "value": "delete"}
    tables = {
        "properties": other_table("properties", settings, topic="_schemas"),
        "captures": other_table("captures", {"log_start_offset": 5}, topic="_schemas"),
    }
    (finding,) = found(detector, schema("a", 1, offset=9), **tables)
    assert (finding.first_offset, finding.last_offset) == (0, 4)
    assert "the broker's log started at offset 5" in finding.explanation


def test_compaction_alone_is_as_it_should_be() -> None:
    assert with_policy("compact") == []


def test_another_topics_policy_does_not_matter() -> None:
    assert with_policy("delete", topic="orders") == []


def test_without_the_settings_it_cannot_run() -> None:
    why = detector.absent(tables(records_of(schema("a", 1))))
    assert why is not None
    assert "does not contain the topic's settings" in why


def test_with_the_settings_it_can() -> None:
    properties = other_table("properties", {"name": "cleanup.policy", "value": "compact"}, topic="_schemas")
    assert detector.absent(tables(records_of(schema("a", 1)), properties=properties)) is None
