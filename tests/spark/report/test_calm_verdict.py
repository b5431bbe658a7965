"""What a verdict may claim where nothing is wrong: by its parts, and of whole folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.report.calm_verdict import JournalCoverage, calm
from spark.report.report_text import plain_text
from spark.terms.marked import plain
from tests.generator.segment import Record, batch
from tests.spark.log_folders import write
from tests.spark.whole_pipeline import report_of

KNOWN = {"is_start_known": True, "is_end_known": True, "lacking": 0, "holds": "records"}


def of(*bounds: dict[str, Any], **more: Any) -> str:
    return plain(calm(JournalCoverage(12, {}, bounds=[KNOWN | one for one in bounds], **more), []))


@pytest.mark.parametrize(
    ("bounds", "sentence"),
    [
        ([{}], "Healthy. 12 records, no missing offsets."),
        ([{}, {"holds": "never-written"}], "Healthy. 12 records, no missing offsets; 1 partition is empty."),
        (
            [{"is_end_known": False}],
            "No fault found. 12 records, no missing offsets between them; the end of the log is unknown.",
        ),
        (
            [{"is_start_known": False, "is_end_known": False}],
            "No fault found. 12 records, no missing offsets between them; the start and the end of the log are unknown.",
        ),
        (
            [{}, {"is_end_known": False}, {"is_end_known": False}],
            "No fault found. 12 records, no missing offsets between them; the end of 2 logs is unknown.",
        ),
        (
            [{"lacking": 3}],
            "No fault found. 12 records, no missing offsets between them; the last 3 offsets are not in the input.",
        ),
        (
            [{}, {"holds": "unknown"}],
            "No fault found. 12 records, no missing offsets between them; whether 1 empty partition had records is unknown.",
        ),
    ],
)
def test_healthy_is_claimed_between_a_known_start_and_a_known_end(
    bounds: list[dict[str, Any]], sentence: str
) -> None:
    assert of(*bounds) == sentence


@pytest.mark.parametrize(("count", "words"), [(1, "1 check failed"), (2, "2 checks failed")])
def test_a_check_that_failed_leaves_no_claim_of_health(count: int, words: str) -> None:
    assert of({}) == "Healthy. 12 records, no missing offsets."
    assert of({}, failed=count) == f"No fault found. 12 records, no missing offsets between them; {words}."


def test_a_file_set_aside_in_a_partitions_folder_is_named() -> None:
    assert of({}, set_aside=["data/orders-0/part.bin"]) == (
        "No fault found. 12 records, no missing offsets between them; not read: orders-0/part.bin."
    )


RECORDS = [Record(b"key-%d" % number, b"value") for number in range(3)]
LOG = "orders-0/00000000000000000000.log"
STOPPED: dict[str | int, bytes] = {"./.kafka_cleanshutdown": b""}


def high_watermark(offset: int) -> dict[str | int, bytes]:
    return {"./replication-offset-checkpoint": b"0\n1\norders 0 %d\n" % offset}


@pytest.mark.parametrize(
    ("files", "level", "sentence"),
    [
        ({LOG: batch(RECORDS), **high_watermark(3)}, "healthy", "Healthy. 3 records, no missing offsets."),
        (
            {LOG: batch(RECORDS)},
            "healthy",
            "No fault found. 3 records, no missing offsets between them; the end of the log is unknown.",
        ),
        (
            {LOG: b"", **high_watermark(0), **STOPPED},
            "healthy",
            "Healthy. 1 partition is empty: no record was ever written to it.",
        ),
        (
            {LOG: b"", **high_watermark(0)},
            "healthy",
            "No fault found. 1 partition is empty: its log ends where it starts.",
        ),
        (
            {"orders-0/00000000000000000030.log": b"", **high_watermark(30), **STOPPED},
            "healthy",
            "No fault found. 1 partition is empty: its log ends where it starts.",
        ),
        ({LOG: b""}, "medium", "The input contains no records."),
        (
            {LOG: batch(RECORDS), "orders-0/part.bin": b"\x01\x02\x03\x04 no journal", **high_watermark(3)},
            "healthy",
            "No fault found. 3 records, no missing offsets between them; not read: orders-0/part.bin.",
        ),
    ],
    ids=["complete", "no end", "never written", "running", "retention", "nothing known", "set aside"],
)
def test_the_verdict_on_a_folder_claims_what_its_files_show(
    files: dict[str | int, bytes], level: str, sentence: str, tmp_path: Path
) -> None:
    report = report_of(write(tmp_path / "input", files), tmp_path / "results")
    assert (report["verdict"]["level"], report["verdict"]["sentence"]) == (level, sentence)


def test_a_dump_has_an_end_where_a_tool_printed_it(tmp_path: Path) -> None:
    line = b'{"topic":"orders","partition":0,"offset":%d,"tstype":"create","ts":1,"headers":[],"key":"%d","payload":"b"}\n'
    dump = b"".join(line % (number, number) for number in range(3))
    ends = b"$ kafka-get-offsets.sh --bootstrap-server b:9092 --topic orders --time -1\norders:0:3\n"
    alone = report_of(write(tmp_path / "1", {"./dump.json": dump}), tmp_path / "results-1")
    assert "the end of the log is unknown" in alone["verdict"]["sentence"]
    both = report_of(write(tmp_path / "2", {"./dump.json": dump, "./ends.txt": ends}), tmp_path / "results-2")
    assert both["verdict"]["sentence"].startswith("Healthy. 3 records, no missing offsets")


def test_a_dump_has_an_end_where_kcat_reached_it(tmp_path: Path) -> None:
    line = '{"topic":"orders","partition":0,"offset":%d,"tstype":"create","ts":1,"headers":[],"key":"%d","payload":"b"}\n'
    paste = "$ kcat -b b:9092 -t orders -C -J\n" + "".join(line % (number, number) for number in range(3))
    paste += "% Reached end of topic orders [0] at offset 3: exiting\n"
    report = report_of(write(tmp_path / "1", {"./paste.txt": paste.encode()}), tmp_path / "results")
    assert report["verdict"]["sentence"].startswith("Healthy. 3 records, no missing offsets")


def test_lines_of_records_that_could_not_be_read_are_said(tmp_path: Path) -> None:
    rows = [b'{"topic":"orders","partition":0,"offset":%d,"tstype":"create","ts":1700000000000,"key":"a","payload":"1"}' % offset for offset in (0, 1)]  # fmt: skip
    content = (
        b"```\n"
        + b"\n".join(rows)
        + b"\n```\nThe broker has\n\nCreateTime: 1 | offset: 7 CreateTime: 1700000000000 keySize: 1\n"
    )
    report = report_of(write(tmp_path / "input", {"./ticket.txt": content}), tmp_path / "results")
    assert plain(report["verdict"]["sentence"]).startswith("No fault found. 2 records")
    assert "1 line of a record could not be read" in plain(report["verdict"]["sentence"])


def test_a_partition_with_records_of_which_nothing_is_here_is_said(tmp_path: Path) -> None:
    files = {
        LOG: batch(RECORDS),
        "./replication-offset-checkpoint": b"0\n4\norders 0 3\norders 1 13\norders 2 0\npayments 0 7\n",
    }
    report = report_of(write(tmp_path / "input", files), tmp_path / "results")
    assert report["coverage"]["partitions_left_out"] == {"orders": 1}
    assert plain(report["verdict"]["sentence"]) == (
        "No fault found. 3 records, no missing offsets between them; 1 partition with records is not in the input."
    )


def test_rows_that_are_numbered_are_not_shown_as_offsets(tmp_path: Path) -> None:
    commits = "".join(
        f"[cart,orders,{number}]::OffsetAndMetadata(offset=7, leaderEpoch=Optional[0], metadata=, "
        f"commitTimestamp=1700000000000, expireTimestamp=None)\n"
        for number in range(2)
    )
    line = '{"topic":"orders","partition":0,"offset":%d,"tstype":"create","ts":1,"headers":[],"key":"%d","payload":"b"}\n'
    records = "".join(line % (number, number) for number in range(3))
    files: dict[str | int, bytes] = {"./commits.txt": commits.encode(), "./orders.json": records.encode()}
    coverage = report_of(write(tmp_path / "input", files), tmp_path / "results")["coverage"]
    assert coverage["records_per_partition"] == {"__consumer_offsets-0": 2, "orders-0": 3}
    assert coverage["offsets_per_partition"] == {"orders-0": [0, 2]}
    text = plain_text(report_of(write(tmp_path / "again", files), tmp_path / "results-2"))
    assert "__consumer_offsets-0: 2 records without offsets" in text


def test_two_outputs_in_one_file_are_one_file(tmp_path: Path) -> None:
    line = '{"topic":"%s","partition":0,"offset":0,"tstype":"create","ts":1,"headers":[],"key":"a","payload":"b"}\n'
    paste = "$ kcat -C -J -t a\n" + line % "a" + "$ kcat -C -J -t b\n" + line % "b"
    report = report_of(write(tmp_path / "input", {"./ticket.txt": paste.encode()}), tmp_path / "results")
    assert len(report["files"]) == 2
    assert "Read 2 records from 1 file." in plain_text(report)


def test_an_empty_partition_is_not_healthy_where_another_of_its_topic_is_not_here(tmp_path: Path) -> None:
    files = {LOG: b"", "./replication-offset-checkpoint": b"0\n2\norders 0 0\norders 1 13\n", **STOPPED}
    report = report_of(write(tmp_path / "input", files), tmp_path / "results")
    assert plain(report["verdict"]["sentence"]) == (
        "No fault found. 1 partition is empty; 1 partition with records is not in the input."
    )
