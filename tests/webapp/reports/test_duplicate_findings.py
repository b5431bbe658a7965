"""What copies of a partition show alike is told once."""

from __future__ import annotations

from typing import Any

from tests.webapp.reports.result_folder import finding, report_document
from webapp.reports.duplicate_findings import unique_findings
from webapp.reports.report import read_report
from webapp.reports.results import PartitionReplica
from webapp.reports.ticket import ticket_text


def told(*findings: dict[str, Any], chosen: PartitionReplica | None = None) -> list[tuple[str, list[str]]]:
    """Each speaker with its twins, by id."""
    causes = read_report(report_document(findings=list(findings))).causes
    return [(one.finding.id, [twin.id for twin in one.twins]) for one in unique_findings(causes, chosen)]


def test_a_dump_beside_its_segments_gives_one_card_with_a_twin() -> None:
    assert told(finding("segments"), finding("dump", replica="kcat -J")) == [("segments", ["dump"])]


def test_the_copy_that_is_looked_at_speaks_for_the_others() -> None:
    copies = finding("segments"), finding("dump", replica="kcat -J")
    assert told(*copies, chosen=PartitionReplica("journal", 0, "kcat -J")) == [("dump", ["segments"])]


def test_other_words_another_partition_and_another_severity_are_told_apart() -> None:
    others = (
        finding("title", title="Content 3 is lost", replica="b"),
        finding("partition", partition=1, replica="b"),
        finding("severity", severity="high", replica="b"),
    )
    assert told(finding("a"), *others) == [(name, []) for name in ("a", "title", "partition", "severity")]


def test_the_same_words_twice_of_one_copy_are_two_findings() -> None:
    same = finding("a"), finding("b"), finding("c", replica="dump"), finding("d", replica="dump")
    assert told(*same) == [("a", ["c"]), ("b", ["d"])]


def test_a_ticket_names_a_cause_once() -> None:
    report = read_report(report_document(findings=[finding("a"), finding("b", replica="dump")]))
    assert ticket_text(report, "http://here/").count("Content 2 is lost") == 1
