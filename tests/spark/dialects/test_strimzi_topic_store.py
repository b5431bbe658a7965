"""Strimzi's topic store, by its names and by its commands."""

from __future__ import annotations

import json

import pytest

from spark.dialects.strimzi_topic_store import dialect
from tests.builders import records_table

CREATE = {
    "uuid": "0b4e",
    "version": 1,
    "type": 0,
    "topic": {"topic-name": "orders", "partitions": 3, "replicas": 1},
}
DELETE = {"uuid": "0b4f", "version": 1, "type": 2, "key": "orders"}


def score(topic: str, *values: object) -> int:
    return dialect.sniff(topic, records_table(*({"value": json.dumps(one).encode()} for one in values))).score


@pytest.mark.parametrize(
    "topic", ["__strimzi_store_topic", "__strimzi-topic-operator-kstreams-topic-store-changelog"]
)
def test_it_is_recognised_by_its_names(topic: str) -> None:
    assert score(topic, {}) == 90


def test_it_is_recognised_by_its_commands() -> None:
    assert score("copy", CREATE, DELETE) == 70


@pytest.mark.parametrize(
    "value", [{}, {**CREATE, "type": 7}, {"type": 0, "topic": {}}, {**DELETE, "type": "2"}, [1], 5]
)
def test_other_values_are_not_claimed(value: object) -> None:
    assert score("copy", CREATE, value) == 0
    assert score("copy") == 0
