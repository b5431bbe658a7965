"""Texts of findings as steps, differences of values, the ticket."""

from __future__ import annotations

from tests.webapp.reports.result_folder import finding, report_document
from webapp.reports.prose import blocks, short_steps
from webapp.reports.report import read_report
from webapp.reports.results import PartitionReplica
from webapp.reports.ticket import ticket_text
from webapp.reports.values.differences import MAX_BYTES, compare


def test_numbered_lines_are_steps_and_the_rest_paragraphs() -> None:
    found = blocks("1. Stored at offset 6.\n2. Replaced.\nToday it reads well.\nLater it will not.")
    assert [(block.is_list, block.lines) for block in found] == [
        (True, ["Stored at offset 6.", "Replaced."]),
        (False, ["Today it reads well."]),
        (False, ["Later it will not."]),
    ]


def test_lines_with_a_dash_are_a_list_in_no_order() -> None:
    found = blocks("Two keys:\n- Key `a` is gone.\n- Key `b` too.\n1. Look.")
    assert [(block.is_list, block.is_numbered, block.lines) for block in found] == [
        (False, False, ["Two keys:"]),
        (True, False, ["Key `a` is gone.", "Key `b` too."]),
        (True, True, ["Look."]),
    ]


def test_a_short_step_is_the_first_clause_without_its_command() -> None:
    steps = short_steps(
        "1. Take a full dump now: it is evidence. `kcat -C`\n2. Stop the registry `now`\n3. Use 2.5.9 or later, best 2.6.x. Then rest."
    )
    assert steps == ["Take a full dump now", "Stop the registry", "Use 2.5.9 or later, best 2.6.x"]


def test_a_difference_shows_the_lines_that_changed() -> None:
    difference = compare(b'{"a": 1, "b": 2}', b'{"a": 1, "b": 3}')
    assert [(line.kind, line.text) for line in difference.lines if line.kind in ("added", "removed")] == [
        ("removed", '-  "b": 2'),
        ("added", '+  "b": 3'),
    ]


def test_a_difference_with_nothing_to_compare_says_why() -> None:
    assert "delete" in compare(b"x", None).note
    assert "after a delete" in compare(None, b"x").note
    assert "same bytes" in compare(b"x", b"x").note
    assert "Too large" in compare(b"x" * MAX_BYTES, b"y").note
    assert "read the same" in compare(b'{"a":1}', b'{ "a": 1 }').note


def test_consequences_hang_below_their_cause() -> None:
    report = read_report(
        report_document(
            findings=[finding("b", consequence_of="a"), finding("a"), finding("c", consequence_of="gone")]
        )
    )
    assert [root.id for root in report.roots] == ["a", "c"]
    assert [found.id for found in report.roots[0].all_consequences()] == ["b"]


def test_a_finding_about_one_copy_is_not_about_the_other() -> None:
    found = read_report(report_document(findings=[finding("a", replica="broker-1")])).findings[0]
    assert found.is_about(PartitionReplica("journal", 0, "broker-1"))
    assert not found.is_about(PartitionReplica("journal", 0, "broker-2"))


def test_the_ticket_names_verdict_causes_coverage_remedy_and_link() -> None:
    report = read_report(
        report_document(
            verdict={"level": "critical", "sentence": "1 content is lost."},
            findings=[
                finding("a", evidence=[6, 1000]),
                finding("b", consequence_of="a"),
                finding("i", severity="info", title="a remark"),
            ],
        )
    )
    text = ticket_text(report, "https://journals.example/report")
    assert text.startswith("**Critical.** 1 content is lost.")
    assert "offsets 6, 1000; 1 consequence" in text
    assert "`journal-0` 0–2" in text
    assert "Stop the registry." in text
    assert "a remark" not in text
    assert text.rstrip().endswith("Report: https://journals.example/report")


def test_a_short_step_keeps_its_warning_and_says_what_to_do() -> None:
    text = (
        "1. Warning: do not restart any broker. A restart destroys the evidence. Take a full dump: `kcat -C`\n"
        "2. Inspect a new dump. If this finding is no longer present, resume compaction: `kafka-configs.sh`"
    )
    assert short_steps(text) == ["Warning: do not restart any broker. Take a full dump", "Inspect a new dump"]
