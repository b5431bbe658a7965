"""Changelogs of Kafka Streams that only their names show, and names that are others'."""

from __future__ import annotations

import pytest

from spark.dialects import dialects
from spark.dialects.streams_changelog import dialect
from tests.builders import records_table


def best(topic: str, *rows: dict[str, bytes | None]) -> str:
    scores = {name: one.sniff(topic, records_table(*rows)).score for name, one in dialects().items()}
    return max(scores, key=lambda name: scores[name])


@pytest.mark.parametrize(
    "topic",
    [
        "till-app-counts-changelog",
        "till-app-KSTREAM-AGGREGATE-STATE-STORE-0000000003-changelog",
        "_confluent-ksql-default_query_CTAS_T_1-Aggregate-Aggregate-Materialize-changelog",
    ],
)
def test_a_changelog_is_recognised_by_its_name(topic: str) -> None:
    assert best(topic, {}, {}) == "streams-changelog"
    assert dialect.replay is None


@pytest.mark.parametrize(
    "topic", ["changelog", "product-changelog", "till-app-changelog-v2", "till-app-counts"]
)
def test_another_name_is_a_plain_topic(topic: str) -> None:
    assert best(topic, {}, {}) == "plain"


def test_records_without_keys_are_not_a_changelog() -> None:
    assert best("till-app-counts-changelog", {"key": None}, {}) == "plain"
