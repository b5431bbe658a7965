"""Prints without offsets, times or partitions: no sentence and no check pretends that they have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.report.report_text import plain_text
from tests.spark.whole_pipeline import report_of

COMMIT = "[%s,bills,0]::OffsetAndMetadata(offset=%d, leaderEpoch=Optional.empty, metadata=, commitTimestamp=1800000000000, expireTimestamp=None)"
DELETED = "[%s,bills,0]::NULL"
FORMATTED = [COMMIT % ("a", 4), DELETED % "b", DELETED % "c", COMMIT % ("d", 9), DELETED % "a"]
OFFSETS = {"topic": "bills", "partition": 2, "tstype": "create", "key": "k", "payload": "{}"}
TIMES_CHECKED = {"timestamp-in-future", "timestamp-regression", "timestamp-unit"}
DUMPED = (
    "%sbaseOffset: 6 lastOffset: 6 count: 1 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 partitionLeaderEpoch: 0 "
    "isTransactional: false isControl: false position: 0 CreateTime: 1800000000000 size: 70 magic: 2 compresscodec: lz4 crc: 1 isvalid: true\n"
    "| offset: 6 %s keySize: 1 valueSize: 1 sequence: -1 headerKeys: [] key: k payload: v\n"
)


def report_on(folder: Path, text: str, name: str = "print.txt") -> dict[str, Any]:
    (folder / "input").mkdir(parents=True)
    (folder / "input" / name).write_text(text)
    return report_of(folder / "input", folder / "results")


def kcat(*records: dict[str, Any]) -> str:
    return "".join(json.dumps({**OFFSETS, "offset": number, **each}) + "\n" for number, each in enumerate(records))  # fmt: skip


def title(report: dict[str, Any], detector: str) -> str:
    [found] = [finding["title"] for finding in report["findings"] if finding["detector"] == detector]
    return str(found)


def test_records_of_a_print_without_offsets_are_named_by_their_number(tmp_path: Path) -> None:
    report = report_on(tmp_path, "\n".join([*FORMATTED, ""]))
    assert title(report, "tombstone-without-value").endswith("at records 2 and 3 of the print")
    [journal] = report["journals"]
    assert "a tombstone at record 5 of the print deletes a key" in journal["compaction"]["sentence"]
    assert "at offset" not in plain_text(report)


def test_records_of_a_dump_with_offsets_are_named_by_them(tmp_path: Path) -> None:
    report = report_on(tmp_path, kcat({"ts": 1}, {"ts": 2, "key": "b", "payload": None}, {"ts": 3, "payload": None}))  # fmt: skip
    assert title(report, "tombstone-without-value").endswith("at offset 1")
    [journal] = report["journals"]
    assert "a tombstone at offset 2 deletes a key" in journal["compaction"]["sentence"]


@pytest.mark.parametrize("has_time", [True, False])
def test_checks_of_times_found_nothing_only_where_a_record_has_one(has_time: bool, tmp_path: Path) -> None:
    time = {"ts": 1700000000000} if has_time else {}
    report = report_on(tmp_path, kcat({}, time, {}), "bills.json")
    ran = TIMES_CHECKED.intersection(report["clean"])
    assert ran == (TIMES_CHECKED if has_time else set())
    why = "no record in the input has a timestamp"
    assert (why in report["unrun_checks"]["does_not_apply"]) is not has_time


def test_a_batchs_time_is_checked_where_its_records_lines_have_none(tmp_path: Path) -> None:
    report = report_on(tmp_path, DUMPED % ("", "..."))
    assert report["coverage"]["last_timestamp_ms"] is None
    assert "timestamp-in-future" in {*report["clean"], *(found["detector"] for found in report["findings"])}


@pytest.mark.parametrize(
    ("dumping", "name", "lacks", "shown"),
    [
        ("", "print.txt", True, "partition not printed: offset 6"),
        ("Dumping /data/bills-2/00000000000000000006.log\n", "print.txt", False, "bills-2: offset 6"),
        ("", "bills-2/00000000000000000006.log.txt", False, "bills-2: offset 6"),
        ("Dumping 00000000000000000006.log\n", "print.txt", True, "partition not printed: offset 6"),
    ],
)
def test_a_dump_says_that_nothing_names_its_partition(
    dumping: str, name: str, lacks: bool, shown: str, tmp_path: Path
) -> None:
    (tmp_path / "input" / name).parent.mkdir(parents=True)
    (tmp_path / "input" / name).write_text(DUMPED % (dumping, "CreateTime: 1800000000000"))
    report = report_of(tmp_path / "input", tmp_path / "results")
    told = report["coverage"]["cannot_tell"]
    assert ("the partition number" in told, "the topic's name" in told) == (lacks, lacks)
    assert shown in plain_text(report)
