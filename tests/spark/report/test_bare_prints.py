"""What prints without contents show, and the verdict on them."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from spark.report.bare_prints import bare_prints
from spark.report.calm_verdict import JournalCoverage
from spark.report.verdict import verdict
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.builders import batches_table, files_table, given_tables, other_table

BARE = {"name": "print.txt", "kind": "export", "layout": "dump-log-batches", "file": 0}


def shown(layout: str = "dump-log-batches", **tables: pa.Table) -> str:
    return bare_prints(given_tables({"files": files_table({**BARE, "layout": layout}), **tables}))


def report(**members: Any) -> dict[str, Any]:
    value = {"kind": "passed", "file": "/d/o-0/0.index", "count": 0, "pairs": [], **members}
    return {
        "topic": "o",
        "partition": 0,
        "replica": "",
        "file": 0,
        "name": "kafka-dump-log",
        "value": json.dumps(value),
    }


def test_batches_are_counted_with_offsets_checksums_and_control_records() -> None:
    rows = [{"base_offset": 0, "last_offset": 9}, {"base_offset": 10, "last_offset": 10, "is_control": True}]
    assert shown(batches=batches_table(*rows, file=0, crc_ok=True)) == (
        "2 batches, offsets 0-10, 1 control record included, checksums valid according to the tool; the output contains no records"
    )


def test_a_wrong_checksum_is_not_called_valid() -> None:
    rows = [{"base_offset": 3, "last_offset": 3, "crc_ok": False}]
    assert shown(batches=batches_table(*rows, file=0)) == "1 batch, offset 3; the output contains no records"


def test_checksums_of_which_one_was_left_out_are_not_called_valid() -> None:
    rows = [
        {"base_offset": number, "last_offset": number, "crc_ok": ok} for number, ok in ((3, True), (4, None))
    ]
    assert (
        shown(batches=batches_table(*rows, file=0))
        == "2 batches, offsets 3-4; the output contains no records"
    )


def test_companions_are_named() -> None:
    place = {"topic": "o", "partition": 0, "replica": "", "file": 0}
    entry = {
        **place,
        "base_offset": 0,
        "kind": "time",
        "offset": 35,
        "position_bytes": None,
        "timestamp_ms": 7,
    }
    producer = {**place, "snapshot_offset": 0, "producer_id": 1, "current_txn_first_offset": 5}
    said = shown(
        index_entries=other_table("index_entries", entry, {**entry, "offset": 371}),
        producer_states=other_table(
            "producer_states", producer, {**producer, "current_txn_first_offset": None}
        ),
    )
    assert (
        said
        == "2 entries of time indexes, offsets 35-371; 2 producers of producer snapshots, 1 with an open transaction"
    )


def test_files_that_the_tool_only_checked_are_told() -> None:
    rows = [report(), report(kind="silent"), report(kind="silent"), report(kind="gaps"), report(kind="empty")]
    other = {**report(), "name": "topic_id", "value": "no JSON"}
    said = shown(properties=other_table("properties", *rows, other))
    assert said.split("; ") == [
        "2 files checked without a report by the tool",
        "1 file passed the tool's sanity check",
        "1 file empty",
        "1 report of the tool",
    ]


def test_batches_of_other_layouts_are_not_meant() -> None:
    assert shown("log-segment", batches=batches_table({"base_offset": 0, "last_offset": 9}, file=0)) == ""


def test_such_a_print_is_healthy_and_keeps_its_alarms() -> None:
    coverage = {"records": 0, "printed": "1 batch, offset 3; the output contains no records"}
    assert verdict(JournalCoverage(0, coverage), []) == {
        "level": "healthy",
        "sentence": "No fault found. 1 batch, offset 3; the output contains no records.",
    }
    assert plain(verdict(JournalCoverage(0, coverage, failed=1), [])["sentence"]).endswith(
        "no records. 1 check failed."
    )
    bad = Finding("crc-mismatch", "critical", "t", "e", "o", 0, 3, 3, "r")
    found = verdict(JournalCoverage(0, coverage), [bad])
    assert (found["level"], "1 batch, offset 3" in found["sentence"]) == ("critical", True)
