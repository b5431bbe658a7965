"""Retention of the journals of other services than schema registries."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.detectors.compaction.retention_policy import detector
from spark.terms.findings import Finding
from tests.builders import given_tables, lifelines_table, other_table, records_table
from tests.spark.read_journals import findings

GREATEST = str(2**63 - 1)
COMMAND = {"key": b'"stream/`A`/create"', "value": b'{"statement": "CREATE STREAM A (V INT) WITH (...);"}'}
OFFSET = {"key": b'["jdbc", {"table": "t"}]', "value": b'{"incrementing": 7}'}
CONFIG = {"key": b"connector-sink", "value": b'{"properties": {"name": "sink"}}'}
STATUS = {
    "key": b"status-connector-sink",
    "value": b'{"state": "RUNNING", "worker_id": "w", "generation": 1}',
}
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


def settings(**values: str) -> dict[str, Any]:
    rows = ({"name": name.replace("_", "."), "value": value} for name, value in values.items())
    return {"properties": other_table("properties", *rows, topic="journal")}


def of(dialect: str, record: dict[str, Any], **values: str) -> list[Finding]:
    return findings(detector, dialect, record, extra=settings(**values))


@pytest.mark.parametrize(
    ("dialect", "record", "severity", "loses"),
    [
        ("connect", CONFIG, "critical", "Kafka Connect loses connectors"),
        ("connect", OFFSET, "critical", "loses the offsets of source connectors"),
        ("connect", STATUS, "high", "loses the status"),
        ("debezium-history", HISTORY, "critical", "The Debezium connector loses the structure of tables"),
        ("ksqldb-commands", COMMAND, "critical", "ksqlDB loses streams"),
    ],
)
def test_a_limit_deletes_a_journal(dialect: str, record: dict[str, Any], severity: str, loses: str) -> None:
    (finding,) = of(dialect, record, cleanup_policy="delete", retention_ms="604800000")
    assert (finding.severity, finding.confidence) == (severity, "proven")
    assert loses in finding.title


def test_a_limit_of_size_deletes_as_well() -> None:
    (finding,) = of(
        "debezium-history", HISTORY, cleanup_policy="delete", retention_ms="-1", retention_bytes="1000"
    )
    assert "retention.bytes 1000" in finding.explanation


def test_without_a_policy_kafkas_default_is_likely() -> None:
    (finding,) = of("ksqldb-commands", COMMAND, retention_ms="604800000")
    assert finding.confidence == "likely"
    assert "Kafka's default is delete" in finding.explanation


@pytest.mark.parametrize("unlimited", ["-1", GREATEST])
def test_a_history_without_a_limit_is_kept(unlimited: str) -> None:
    assert of("debezium-history", HISTORY, cleanup_policy="delete", retention_ms=unlimited) == []
    assert (
        of("ksqldb-commands", COMMAND, cleanup_policy="delete", retention_ms=unlimited, retention_bytes="-1")
        == []
    )


def test_compaction_keeps_connects_topics() -> None:
    assert of("connect", CONFIG, cleanup_policy="compact", retention_ms="604800000") == []


def test_the_remedy_never_compacts_records_without_keys() -> None:
    (finding,) = of("debezium-history", HISTORY, cleanup_policy="delete", retention_ms="604800000")
    assert "cleanup.policy=delete,retention.ms=-1" in finding.remedy
    assert "cleanup.policy=compact" not in finding.remedy


def changelog(topic: str, key_form: str, policy: str) -> list[Finding]:
    values = ({"name": "cleanup.policy", "value": policy}, {"name": "retention.ms", "value": "600000"})
    tables = given_tables(
        {
            "records": records_table({"key": b"a", "key_form": key_form}, topic=topic),
            "lifelines": lifelines_table({"offset": 0}, topic=topic),
            "runs": other_table("runs", {"first_offset": 0, "last_offset": 0}, topic=topic),
            "properties": other_table("properties", *values, topic=topic),
        }
    )
    return [detector.describe(row) for row in detector.find(tables)]


def test_a_changelog_of_a_store_by_key_is_found() -> None:
    (finding,) = changelog("app-totals-changelog", "text", "compact,delete")
    assert (finding.severity, finding.confidence) == ("high", "likely")
    (finding,) = changelog("app-totals-changelog", "binary", "delete")
    assert "Kafka Streams" in finding.title


def test_changelogs_of_windows_and_joins_are_innocent() -> None:
    assert changelog("app-counts-changelog", "binary", "compact,delete") == []
    assert changelog("app-KSTREAM-JOINTHIS-0000000004-store-changelog", "binary", "delete") == []
