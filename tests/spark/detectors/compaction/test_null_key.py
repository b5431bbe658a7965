"""Records without a key in a compacted log."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors.compaction.null_key import detector
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.builders import given_tables, lifelines_table, other_table, records_table

PROVEN = {"compacted": "proven", "why": "the cleaner's checkpoint names it", "first_uncleanable_offset": 3}


def tables(*rows: dict[str, Any], cleaning: dict[str, Any] = PROVEN, **shared: Any) -> ResultTables:
    where = {"topic": "journal", "partition": 0, "replica": "", **shared}
    return given_tables(
        {
            "lifelines": lifelines_table(*rows, **where),
            "cleanings": other_table("cleanings", cleaning, **where),
        }
    )


def found(*rows: dict[str, Any], **other: Any) -> list[Finding]:
    return [detector.describe(row) for row in detector.find(tables(*rows, **other))]


def test_it_is_found_and_says_how_many_the_next_cleaning_drops() -> None:
    (finding,) = found({"key": b"a"}, {"key": None}, {"key": b"b"}, {"key": None})
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("high", 1, 3)
    assert finding.evidence == [1, 3]
    assert "removes 1 of them" in finding.explanation


def test_an_empty_key_is_a_key() -> None:
    assert found({"key": b""}) == []


def test_a_control_record_is_innocent() -> None:
    assert found({"key": None, "kind": "control"}) == []


@pytest.mark.parametrize("compacted", ["likely", "no"])
def test_a_log_that_is_not_proven_to_be_compacted_cannot_be_judged(compacted: str) -> None:
    unsure = {**PROVEN, "compacted": compacted}
    assert found({"key": None}, cleaning=unsure) == []
    assert "the input does not prove" in str(detector.absent(tables({"key": None}, cleaning=unsure)))


def test_a_capture_that_tells_another_policy_says_so() -> None:
    captures = given_tables({"captures": other_table("captures", {"cleanup_policy": "delete"})})
    assert "its cleanup.policy was delete at the time of the capture" in plain(str(detector.absent(captures)))


def test_a_proven_log_can_be_judged() -> None:
    assert detector.absent(tables({"key": None})) is None


@pytest.mark.parametrize(
    "topic",
    ["__cluster_metadata", "_confluent-ksql-default__command_topic", "dbhistory.orders", "schema-changes.x"],
)
def test_journals_without_keys_by_design_are_innocent(topic: str) -> None:
    assert found({"key": None}, topic=topic) == []


def test_a_journal_that_is_keyless_by_design_is_told_by_its_content() -> None:
    value = b'{"source":{},"position":{},"databaseName":"shop","ddl":"x"}'
    rows = tables({"key": None}, {"key": None})
    known = {name: rows.arrow(f"SELECT * FROM {name}") for name in ("lifelines", "cleanings")}
    of_debezium = records_table({"key": None, "value": value}, {"key": None, "value": value})
    assert list(detector.find(given_tables({**known, "records": of_debezium}))) == []
    of_somebody = records_table({"key": None, "value": b"x"}, {"key": None, "value": b"y"})
    assert len(list(detector.find(given_tables({**known, "records": of_somebody})))) == 1
