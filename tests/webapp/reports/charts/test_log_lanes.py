"""Lanes of a log's map: what a finding explains is called by it, and a finding without damage or a gap has a piece of its own."""

from __future__ import annotations

from typing import Any

from tests.webapp.reports.result_folder import finding, report_document
from webapp.reports.charts.log import figure, log_lanes
from webapp.reports.report import ReportFinding, read_report


def found(detector: str, first: int | None, last: int | None, title: str = "It is <wrong>") -> ReportFinding:
    row = finding("a", detector=detector, first_offset=first, last_offset=last, title=title)
    return read_report(report_document(findings=[row])).findings[0]


def lanes_of(
    *faults: ReportFinding, gaps: tuple[dict[str, Any], ...] = (), damaged: tuple[dict[str, Any], ...] = ()
) -> dict[str, list[tuple[int, int, str]]]:
    made = log_lanes(0, 99, "light", [], [], [], list(damaged), list(gaps), faults, None)
    lanes = made.lanes if made else []
    return {name: [(piece.first, piece.last, piece.words) for piece in pieces] for name, pieces in lanes}


def gap(cause: str, of: ReportFinding | None) -> dict[str, Any]:
    return {
        "first_offset": 10,
        "last_offset": 19,
        "offsets": 10,
        "cause": cause,
        "proof": "none",
        "finding": of,
    }


def test_a_gap_that_a_finding_proves_is_not_unexplained() -> None:
    missing = found("missing-segment", 10, 19)
    assert lanes_of(missing, gaps=(gap("unexplained", missing),)) == {
        "Missing": [(10, 19, "Missing segment")]
    }
    assert lanes_of(gaps=(gap("unexplained", None),)) == {"Missing": [(10, 19, "unexplained")]}
    assert lanes_of(missing, gaps=(gap("compaction", missing),)) == {"Missing": [(10, 19, "compacted away")]}


def test_batches_out_of_order_have_a_piece_within_the_log() -> None:
    swapped, index = found("offset-order", 88, 97), found("index-mismatch", 60, 400)
    assert lanes_of(index)["Findings"] == [(60, 99, "Index does not match its segment")]
    assert [(first, last) for first, last, _ in lanes_of(swapped)["Findings"]] == [(88, 97)]
    assert lanes_of(found("truncated-tail", 100, 106)) == {}
    assert lanes_of(found("null-key", None, None)) == {}


def test_no_finding_covers_another() -> None:
    bounds = [(0, 50), (10, 20), (51, 60), (21, 70), *[(0, 99)] * 4]
    made = log_lanes(
        0, 99, "light", [], [], [], [], [], [found("offset-order", *pair) for pair in bounds], None
    )
    assert made is not None
    lanes = [[(piece.first, piece.last) for piece in pieces] for name, pieces in made.lanes]
    assert lanes == [[(0, 50), (51, 60)], [(10, 20), (21, 70)], [(0, 99)], [(0, 99)], [(0, 99), (0, 99)]]
    assert list(figure(made, "light").layout.yaxis.ticktext) == ["Findings", "", "", "", ""]


def test_damage_is_drawn_once() -> None:
    row = {"first_offset": 88, "last_offset": 96, "reason": "crc_mismatch", "size_bytes": 9, "position": 5}
    assert list(lanes_of(found("crc-mismatch", 88, 96), damaged=(row,))) == ["Damage"]
