"""Topics that the settings have compacted though their records have no keys."""

from __future__ import annotations

import json
from typing import Any

from spark.detectors.compaction.compacted_without_keys import detector
from spark.terms.findings import Finding
from tests.builders import files_table, given_tables, other_table, records_table
from tests.spark.read_journals import findings

HISTORY = {
    "key": None,
    "value": json.dumps(
        {
            "source": {"server": "s"},
            "position": {"pos": 1},
            "databaseName": "d",
            "ddl": "CREATE TABLE t (id INT)",
        }
    ).encode(),
}
COMMAND = {"key": b'"stream/`A`/create"', "value": b'{"statement": "CREATE STREAM A (V INT) WITH (...);"}'}
PLAIN = {"key": None, "value": b'{"customer": 7}'}
KEYED = {"key": b"7", "value": b'{"customer": 7}'}


def of(
    dialect: str | None, policy: str, *records: dict[str, Any], layout: str = "kcat-json"
) -> list[Finding]:
    extra = {
        "properties": other_table("properties", {"name": "cleanup.policy", "value": policy}, topic="journal"),
        "files": files_table({"name": "dump.ndjson", "kind": "export", "layout": layout, "topic": "journal"}),
    }
    return findings(detector, dialect, *records, extra=extra)


def test_a_compacted_history_is_critical() -> None:
    (finding,) = of("debezium-history", "compact", HISTORY, HISTORY)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("critical", 0, 1)
    assert "reject new records" in finding.explanation
    assert "cleanup.policy=delete,retention.ms=-1" in finding.remedy


def test_a_compacted_command_topic_is_high_though_it_has_keys() -> None:
    (finding,) = of("ksqldb-commands", "compact", COMMAND)
    assert finding.severity == "high"


def test_a_topic_with_records_without_keys_is_high() -> None:
    (finding,) = of(None, "compact,delete", KEYED, PLAIN)
    assert (finding.severity, finding.first_offset) == ("high", 1)
    assert "1 record has no key" in finding.title


def test_records_with_keys_and_other_policies_are_innocent() -> None:
    assert of(None, "compact", KEYED) == []


def test_a_layout_that_cannot_tell_null_from_empty_says_nothing() -> None:
    assert of(None, "compact", PLAIN, layout="console-consumer") == []


def test_another_policy_is_innocent_and_an_unknown_one_is_not_asked() -> None:
    assert of("debezium-history", "delete", HISTORY) == []
    assert detector.absent(given_tables({"records": records_table(HISTORY)})) is not None
