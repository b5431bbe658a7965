"""Schema histories that several connectors write."""

from __future__ import annotations

import json
from typing import Any

from spark.detectors.other.several_sources import detector
from spark.terms.findings import Finding
from tests.spark.read_journals import findings


def found(*records: dict[str, Any]) -> list[Finding]:
    return findings(detector, "debezium-history", *records)


def change(
    file: int, server: str = "eu", database: str = "shop", pos: int = 4, **source: str
) -> dict[str, Any]:
    value = {
        "source": {"server": server, **source},
        "position": {"file": f"mysql-bin.{file:06}", "pos": pos},
        "databaseName": database,
        "ddl": "CREATE TABLE a (id INT)",
    }
    return {"key": None, "value": json.dumps(value).encode()}


def test_servers_that_alternate_are_two_connectors() -> None:
    (finding,) = found(change(3), change(9, "us"), change(4), change(10, "us"))
    assert (finding.severity, finding.confidence) == ("medium", "proven")
    assert (finding.first_offset, finding.last_offset) == (0, 3)
    assert "2 connectors: eu and us" in finding.title


def test_one_server_after_the_other_is_low() -> None:
    (finding,) = found(change(3), change(4), change(9, "us"))
    assert (finding.severity, finding.confidence) == ("low", "likely")


def test_two_connectors_with_one_name_are_high() -> None:
    (finding,) = found(change(3), change(900), change(4), change(901), change(5), change(902))
    assert (finding.severity, finding.confidence) == ("high", "likely")


def test_databases_of_one_server_are_innocent() -> None:
    assert (
        found(change(3), change(900, database="crm"), change(4), change(901, database="crm"), change(5)) == []
    )
    assert found(change(3, x="1"), change(4, x="2")) == [], "sources of SQL Server name the database, too"


def test_a_connector_that_reads_again_is_innocent() -> None:
    assert found(change(3), change(4), change(3), change(5), change(4), change(6)) == []
