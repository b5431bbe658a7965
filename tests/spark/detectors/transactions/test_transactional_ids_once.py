"""Transactional ids that a program makes at each start, and pools of ids."""

from __future__ import annotations

from spark.detectors.transactions.transactional_ids_once import detector
from spark.dialects.transaction_state import TOPIC, dialect
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.builders import given_tables, records_table
from tests.spark.examples.journals import transaction


def found(*names: str) -> list[Finding]:
    """Of ids that begin, in this order."""
    rows = []
    for at, name in enumerate(names):
        key, value, _ = transaction({"offset": str(at), "transactional id": name, "state": "Empty"})
        rows.append({"key": key, "value": value})
    records = records_table(*rows, topic=TOPIC)
    asked = given_tables({"records": records, "entries": dialect.interpret(records)})
    return [detector.describe(row) for row in detector.find(asked)]


def test_ids_of_one_prefix_that_are_used_once_are_found() -> None:
    (finding,) = found(*(f"sink-0-{number}" for number in range(120)))
    assert (finding.severity, finding.confidence) == ("medium", "likely")
    assert "120 transactional IDs under sink are used once" in finding.title


def test_less_than_a_hundred_and_a_pool_are_innocent() -> None:
    assert found(*(f"sink-0-{number}" for number in range(99))) == []
    assert found(*(f"stream-{number}" for _ in range(4) for number in range(120))) == []


def test_the_headline_names_the_partition() -> None:
    every = found(*(f"sink-0-{number}" for number in range(120)))
    assert plain(detector.headline(every)) == (
        "programs make a new transactional ID at each start in __transaction_state-0"
    )
