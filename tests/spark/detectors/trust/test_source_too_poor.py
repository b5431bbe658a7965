"""What a layout cannot tell: a remark with the data that would let more checks run."""

from __future__ import annotations

from spark.detectors.trust.source_too_poor import detector
from tests.builders import given_tables

ROW = {
    "topic": "orders",
    "partition": 3,
    "are_redpandas": False,
    "cannot_tell": ["record headers", "producer ids"],
    "better_data": ["With the log segments 18 more checks can run: checksums and damage."],
}


def test_it_names_what_is_missing_and_what_better_data_would_allow() -> None:
    finding = detector.describe(ROW)
    assert finding.severity == "info"
    assert finding.title.endswith("more checks can run with better data")
    assert finding.explanation.splitlines() == [
        "Not in this file format: record headers; producer ids.",
        "With the log segments 18 more checks can run: checksums and damage.",
    ]


def test_of_redpanda_only_a_dump_is_advised() -> None:
    assert "tar -czf orders-3.tar.gz" in detector.describe(ROW).remedy
    remedy = detector.describe({**ROW, "are_redpandas": True}).remedy
    assert "kcat -C -b BROKER:9092 -t orders" in remedy
    assert "isolation.level=read_uncommitted" in remedy
    assert "cleaner-offset-checkpoint" not in remedy
    assert "LOG_DIR" not in remedy


def test_a_layout_may_lack_what_no_detector_needs() -> None:
    assert detector.describe({**ROW, "better_data": []}).title.endswith("every check that applies ran")


def test_tables_do_not_tell() -> None:
    assert list(detector.find(given_tables({}))) == []
