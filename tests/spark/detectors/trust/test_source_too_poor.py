"""What a layout cannot tell: a remark with the detectors that did not run for it."""

from __future__ import annotations

from spark.detectors.trust.source_too_poor import detector
from spark.tables.store import ResultTables

ROW = {
    "topic": "orders",
    "cannot_tell": ["record headers", "producer ids"],
    "not_run": [{"detector": "crc-mismatch", "why": "kcat does not carry record batches"}],
}


def test_it_names_what_is_missing_and_what_did_not_run() -> None:
    finding = detector.describe(ROW)
    assert finding.severity == "info"
    assert "1 detector did not run" in finding.title
    assert finding.explanation.splitlines() == [
        "Not in this layout: record headers; producer ids.",
        "crc-mismatch did not run: kcat does not carry record batches.",
    ]


def test_a_layout_may_lack_what_no_detector_needs() -> None:
    assert "all detectors ran" in detector.describe({**ROW, "not_run": []}).title


def test_tables_do_not_tell() -> None:
    assert list(detector.find(ResultTables.of({}))) == []
