"""Confluent's command and license topics, by their names alone."""

from __future__ import annotations

import pytest

from spark.dialects.confluent_command import dialect
from tests.builders import records_table


@pytest.mark.parametrize(
    ("topic", "score"),
    [
        ("_confluent-command", 90),
        ("_confluent-license", 90),
        ("_confluent-metrics", 0),
        ("_confluent-ksql-default__command_topic", 0),
        ("confluent-command", 0),
    ],
)
def test_it_is_recognised_by_its_name(topic: str, score: int) -> None:
    assert dialect.sniff(topic, records_table({"value": b"\x0a\x03abc"})).score == score


def test_it_is_not_replayed() -> None:
    assert (dialect.interpret, dialect.replay) == (None, None)
