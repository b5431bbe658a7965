"""Lines of a pasted text that are not output of the tool: one note per text."""

from __future__ import annotations

from typing import Any

from spark.detectors.trust.lines_set_aside import detector
from spark.terms.findings import Finding
from tests.builders import files_table, given_tables, other_table


def found(*rows: dict[str, Any]) -> list[Finding]:
    files = files_table({"file": 0, "name": "ticket.txt (lines 2-4)", "topic": "orders"})
    tables = given_tables({"files": files, "set_aside": other_table("set_aside", *rows)})
    return [detector.describe(row) for row in detector.find(tables)]


def line(number: int, kind: str) -> dict[str, Any]:
    return {"file": 0, "name": "ticket.txt", "line": number, "kind": kind, "records": 0}


def test_all_lines_of_a_text_are_one_note_that_names_their_kinds() -> None:
    [finding] = found(line(1, "fence"), line(2, "prompt"), line(3, "command"), line(9, "fence"))
    assert finding.severity == "info"
    assert finding.title == "4 lines that are not output of the tool (prompt, command, fence)"
    assert finding.topic == "orders"


def test_one_line_is_said_as_one() -> None:
    [finding] = found(line(1, "left out"))
    assert finding.title == "1 line that is not output of the tool (`...`)"


def test_a_line_of_a_record_that_could_not_be_read_is_not_called_other_text() -> None:
    [finding] = found(line(1, "unread"), line(2, "text"))
    assert finding.title == (
        "1 line of a record that could not be read; 1 line that is not output of the tool (other text)"
    )


def test_lines_that_print_a_record_again_are_another_note() -> None:
    assert found(line(7, "repeat")) == []
