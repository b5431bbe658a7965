"""The cause of an incident, as a ticket says it."""

from __future__ import annotations

from spark.terms import marked
from spark.terms.wording import sentence
from tests.webapp.reports.result_folder import finding, report_document
from webapp.reports.incidents.short_steps import plain
from webapp.reports.report import read_report
from webapp.reports.ticket.cause import cause_of


def cause(explanation: str) -> str:
    """Of a finding about offset 10."""
    document = report_document(findings=[finding("a", explanation=explanation)])
    return plain(cause_of(read_report(document).findings[0]))


def test_of_a_chain_it_is_the_event_and_what_compaction_does() -> None:
    assert (
        cause(
            f"1. Offset {marked.offset(6)} contains it. It was the first. Compaction keeps only the last record.\n"
            f"2. A registry started at offset {marked.offset(9)}.\n"
            f"3. Offset {marked.offset(10)} is an UPDATE without content. The upgrader writes it. It does so at every start.\n"
            f"4. Artifact a needs it (offset {marked.offset(8)}).\nIt is lost."
        )
        == "Offset 10 is an UPDATE without content. The upgrader writes it. Compaction keeps only the last record."
    )


def test_of_a_chain_that_names_none_of_its_offsets_it_is_the_beginning() -> None:
    assert cause("1. A broker stopped.\n2. Another one led.\nIt is lost.") == "A broker stopped."


def test_without_a_chain_it_is_what_the_explanation_begins_with() -> None:
    assert cause("Its bytes give another checksum. A bit changed. Consumers stop.") == (
        "Its bytes give another checksum. A bit changed."
    )
    assert cause("One. " + sentence("word " * 80)) == "One."
    assert cause("") == ""
