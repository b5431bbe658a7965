"""Cruise Control's topics, by their names."""

from __future__ import annotations

import pytest

from spark.dialects.cruise_control import dialect
from tests.builders import records_table


@pytest.mark.parametrize(
    ("topic", "score"),
    [
        ("__CruiseControlMetrics", 90),
        ("__KafkaCruiseControlPartitionMetricSamples", 90),
        ("__KafkaCruiseControlModelTrainingSamples", 90),
        ("__CruiseControlMetrics-old", 0),
        ("metrics", 0),
    ],
)
def test_it_is_recognised_by_its_name(topic: str, score: int) -> None:
    assert dialect.sniff(topic, records_table({"key": None})).score == score


def test_it_is_neither_compacted_nor_replayed() -> None:
    assert (dialect.is_compacted, dialect.replay) == (False, None)
