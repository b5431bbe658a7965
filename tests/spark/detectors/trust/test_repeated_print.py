"""Records that a pasted text prints twice: one note per text."""

from __future__ import annotations

from typing import Any

from spark.detectors.trust.repeated_print import detector
from spark.terms.findings import Finding
from tests.builders import files_table, given_tables, other_table


def found(*rows: dict[str, Any]) -> list[Finding]:
    files = files_table({"file": 0, "name": "ticket.txt (lines 2-4)", "topic": "orders"})
    tables = given_tables({"files": files, "set_aside": other_table("set_aside", *rows)})
    return [detector.describe(row) for row in detector.find(tables)]


def line(number: int, kind: str, records: int) -> dict[str, Any]:
    return {"file": 0, "name": "ticket.txt", "line": number, "kind": kind, "records": records}


def test_it_counts_records_and_not_lines() -> None:
    [finding] = found(line(7, "repeat", 2), line(8, "repeat", 0), line(9, "repeat", 0))
    assert finding.severity == "info"
    assert finding.title == "2 records are printed twice and counted once"
    assert "lines 7-9" in finding.explanation


def test_other_lines_are_innocent() -> None:
    assert found(line(7, "command", 0)) == []
