"""Commands and schema changes that cannot be read, and commands too new for the server that wrote last."""

from __future__ import annotations

from typing import Any

from spark.detectors.other.undeserialisable_command import detector
from spark.dialects import debezium_history, ksqldb_commands
from spark.terms.findings import Finding
from spark.terms.marked import plain
from spark.terms.wording import OFFSETS_NAMED
from tests.spark.connect_journals import Pair, findings, record

HISTORY = {"source": {}, "position": {}, "databaseName": "shop", "ddl": "x"}


def command(name: str = "A", version: int | None = None) -> Pair:
    stated: dict[str, Any] = {"statement": f"CREATE OR REPLACE STREAM {name}"}
    return f'"stream/{name}/create"', stated if version is None else {**stated, "version": version}


BROKEN: Pair = ('"stream/A/create"', b"test")


def commands(*pairs: Pair) -> list[Finding]:
    rows = [record(offset, pair, "commands") for offset, pair in enumerate(pairs)]
    return findings(detector, rows, ksqldb_commands.dialect)


def changes(*values: Any) -> list[Finding]:
    rows = [record(offset, (None, value), "history") for offset, value in enumerate(values)]
    return findings(detector, rows, debezium_history.dialect)


def test_a_command_that_cannot_be_read_stops_the_server() -> None:
    (finding,) = commands(command(), BROKEN, command("B"), BROKEN, command("C"))
    assert (finding.severity, finding.confidence) == ("high", "proven")
    assert (finding.first_offset, finding.last_offset, finding.evidence) == (1, 3, [1, 3])
    assert finding.title == "ksqlDB stops at offset 1 of commands-0: the command cannot be read"
    assert "the first of 2 unreadable records" in finding.explanation
    assert "does not execute 3 later records" in finding.explanation


def test_commands_that_can_be_read_are_healthy() -> None:
    assert (
        commands(command(version=12), command("B", 12), ('"stream/A/drop"', {"statement": "DROP STREAM A;"}))
        == []
    )


def test_a_null_value_is_innocent() -> None:
    assert commands(command(), ('"stream/A/create"', None)) == []
    assert changes(HISTORY, None) == []


def test_a_command_newer_than_the_server_that_wrote_last_is_found() -> None:
    (finding,) = commands(command(version=12), command("B", 15), command("C", 12))
    assert (finding.confidence, finding.first_offset, finding.evidence) == ("likely", 1, [1])
    assert "version 15, the server knows 12" in finding.title


def test_versions_that_rise_are_an_upgrade() -> None:
    assert commands(command(version=12), command("B", 13), command("C", 13)) == []
    assert commands(command(version=13), command("B", 12), command("C", 13)) == []
    assert commands(command(version=12), command("B")) == []


def test_schema_changes_that_cannot_be_read_are_one_finding() -> None:
    (finding,) = changes(HISTORY, b"x", HISTORY, {"source": {}})
    assert (finding.severity, finding.evidence) == ("high", [1, 3])
    assert "Debezium skips 2 schema changes of history-0 at offsets 1 and 3" in finding.title


def test_a_version_that_no_server_writes_says_nothing() -> None:
    (kind, odd), (_, huge) = command("B", True), command("C", 2**64 - 1)
    assert commands(command(version=12), (kind, odd), (kind, huge)) == []


def test_many_are_counted_and_the_first_named() -> None:
    (finding,) = changes(HISTORY, *[b"x"] * (OFFSETS_NAMED + 1))
    assert len(finding.evidence) == OFFSETS_NAMED
    assert "11 schema changes of history-0, the first at" in finding.title


def test_a_whole_history_is_healthy() -> None:
    assert changes(HISTORY, HISTORY) == []


def test_the_headline_counts_journals() -> None:
    assert (
        plain(detector.headline(commands(BROKEN)))
        == "1 journal contains records that ksqlDB or Debezium cannot read"
    )
