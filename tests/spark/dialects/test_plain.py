"""The fallback: takes any topic, and steps back for any dialect that knows better."""

from __future__ import annotations

from spark.dialects import dialects
from spark.dialects.plain import dialect
from tests.builders import records_table
from tests.generator.apicurio import healthy
from tests.spark.apicurio_journals import generated


def test_any_topic_will_do() -> None:
    assert dialect.sniff("orders", records_table({"key": None, "value": b"\xff"})).score == 1


def test_a_dialect_that_recognises_the_journal_wins() -> None:
    journal = generated(healthy(seed=3, artifact_count=4))
    assert dialects()["apicurio-v2"].sniff("x", journal).score > dialect.sniff("x", journal).score


def test_nothing_is_interpreted() -> None:
    assert dialect.interpret is None
    assert dialect.replay is None
