"""Repartition topics of Kafka Streams, by their names."""

from __future__ import annotations

import pytest

from spark.dialects.streams_repartition import dialect
from tests.builders import records_table


@pytest.mark.parametrize(
    ("topic", "score"),
    [
        ("till-app-KSTREAM-AGGREGATE-STATE-STORE-0000000003-repartition", 30),
        ("till-app-by-region-repartition", 30),
        ("repartition", 0),
        ("till-repartition", 0),
        ("till-app-repartition-old", 0),
    ],
)
def test_a_repartition_topic_is_recognised_by_its_name(topic: str, score: int) -> None:
    assert dialect.sniff(topic, records_table({})).score == score


def test_it_is_neither_compacted_nor_replayed() -> None:
    assert (dialect.is_compacted, dialect.replay, dialect.interpret) == (False, None, None)
