"""What kafka-dump-log reports itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.detectors.bytes.dump_log_report import detector
from spark.sources.dump_log_batches import source
from spark.terms.findings import Finding
from tests.builders import given_tables, other_table
from tests.spark.sources.prints import Reading, read

INDEX = "/var/kafka/orders-3/00000000000000000500.index"
TIME = "/var/kafka/orders-3/00000000000000000500.timeindex"
LOG = "/var/kafka/orders-3/00000000000000000500.log"


def reading(text: str, folder: Path) -> Reading:
    return read(source, text.encode(), folder)


def found(text: str, folder: Path) -> list[Finding]:
    rows = reading(text, folder).others.get("properties", [])
    tables: Any = given_tables({"properties": other_table("properties", *rows)})
    return [detector.describe(row) for row in detector.find(tables)]


@pytest.mark.parametrize(
    ("text", "severity", "title", "pair"),
    [
        (f"Mismatches in :{INDEX}\n  Index offset: 555, log offset: 560\n", "low", "1 entry of the offset index", "entry 555"),
        (f"Found timestamp mismatch in :{TIME}\n  Index timestamp: 7, log timestamp: 0\n", "low", "another timestamp", "entry 7"),
        (
            f"Found out of order timestamp in :{TIME}\n  Index timestamp: 7, Previously indexed timestamp: 9\n",
            "low", "out of order", "7 after 9",
        ),
        (
            "The following indexed offsets are not found in the log.\nIndexed offset: 35, found log offset: -1\n",
            "low", "without a batch that ends at their offset", "offset 35",
        ),
        (f"Non-consecutive offsets in {LOG}\n  3 is followed by 7\n  8 is followed by 10\n", "info", "2 gaps", "3 is followed by 7"),
        (f"Non-secutive offsets in :{LOG}\n  3 is followed by 7\n", "info", "1 gap", "3 is followed by 7"),
        (f"Mismatches in :{INDEX}\nIndex offset: 555, log offset: 560\n", "low", "1 entry", "entry 555"),
    ],
    ids=["index", "time", "order", "not found", "gaps", "gaps up to 0.10", "indent lost"],
)  # fmt: skip
def test_each_report_is_told_with_what_it_is_worth(
    tmp_path: Path, text: str, severity: str, title: str, pair: str
) -> None:
    [finding] = found(f"Dumping {INDEX}\n{text}", tmp_path)
    assert (finding.severity, finding.topic, finding.partition) == (severity, "orders", 3)
    assert title in finding.title
    assert pair in finding.explanation


def test_reports_are_no_damage_and_many_are_cut_short(tmp_path: Path) -> None:
    pairs = "".join(f"  Index offset: {n}, log offset: {n + 1}\n" for n in range(30))
    text = f"Dumping {INDEX}\nMismatches in :{INDEX}\n{pairs}"
    assert reading(text, tmp_path).damage == []
    [finding] = found(text, tmp_path)
    assert "30 entries" in finding.title
    assert "and 25 more" in finding.explanation


@pytest.mark.parametrize("line", ["", f"{INDEX} passed sanity check.\n", f"{INDEX} is empty.\n"])
def test_a_file_that_is_as_it_should_be_is_innocent(tmp_path: Path, line: str) -> None:
    assert found(f"Dumping {INDEX}\n{line}", tmp_path) == []


def test_other_properties_are_not_meant() -> None:
    row = {"topic": "o", "partition": 0, "replica": "", "file": 0, "name": "node.id", "value": "1"}
    assert list(detector.find(given_tables({"properties": other_table("properties", row)}))) == []
