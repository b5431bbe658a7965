"""Debezium's signal topics, by their values."""

from __future__ import annotations

import json

import pytest

from spark.dialects import dialects
from spark.dialects.debezium_signals import dialect
from tests.builders import records_table

SNAPSHOT = {"type": "execute-snapshot", "data": {"data-collections": ["shop.orders"], "type": "INCREMENTAL"}}


def table(*values: object) -> object:
    return records_table(*({"key": b"shop", "value": json.dumps(one).encode()} for one in values))


def test_it_is_recognised_by_its_values() -> None:
    rows = table(SNAPSHOT, {"id": "1", "type": "stop-snapshot", "data": {}})
    scores = {name: one.sniff("debezium-signal", rows).score for name, one in dialects().items()}  # type: ignore[arg-type]
    assert max(scores, key=lambda name: scores[name]) == "debezium-signals"


@pytest.mark.parametrize(
    "value",
    [{}, {"type": "execute-snapshot"}, {"type": "order", "data": {}}, {**SNAPSHOT, "amount": 4}, "log"],
    ids=["empty", "no data", "another type", "another member", "text"],
)
def test_other_values_are_not_claimed(value: object) -> None:
    assert dialect.sniff("signals", table(SNAPSHOT, value)).score == 0  # type: ignore[arg-type]


def test_no_values_are_no_signals() -> None:
    assert dialect.sniff("signals", records_table({"value": None})).score == 0
    assert dialect.sniff("", records_table()).score == 0
