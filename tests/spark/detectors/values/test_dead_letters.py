"""Records that failed elsewhere, with the reason in headers."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from spark.detectors.values.dead_letters import detector
from spark.dialects.dead_letters import WRITERS, DeadLetterWriter
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.log_folders import findings, write

CONNECT = WRITERS[1]


def letter(
    at: int, writer: DeadLetterWriter = CONNECT, source: str = "orders", error: str = "a.b.DataError"
) -> Record:
    """A dead letter of the record at offset 100 and so on."""
    partition, offset = (
        (struct.pack(">i", 3), struct.pack(">q", 100 + at))
        if writer.has_binary_numbers
        else (b"3", str(100 + at).encode())
    )
    values = {
        writer.topic: source.encode(), writer.partition: partition, writer.offset: offset, writer.reader: b"sink",
        writer.message: "größer".encode(), **dict.fromkeys(writer.errors[:1], error.encode()),
    }  # fmt: skip
    headers = [(name.encode(), value) for name, value in values.items() if name]
    return Record(b"k", b"v", SOME_TIME_MS + at, headers)


def found(folder: Path, *records: Record, topic: str = "dlq") -> list[Finding]:
    log = {f"{topic}-0/00000000000000000000.log": segment(list(records))}
    return findings(detector, write(folder / "input", log), folder / "results")


def plain_record(at: int) -> Record:
    return Record(b"k", b"v", SOME_TIME_MS + at, [(b"trace", b"1"), (b"origin", b"shop"), (b"try", b"1")])


@pytest.mark.parametrize("writer", WRITERS, ids=[writer.title for writer in WRITERS])
def test_each_writer_is_read(writer: DeadLetterWriter, tmp_path: Path) -> None:
    (finding,) = found(tmp_path, letter(0, writer), letter(1, writer))
    assert (finding.severity, finding.evidence, finding.first_offset, finding.last_offset) == (
        "low",
        [0],
        0,
        1,
    )
    assert "orders-3 offset 100" in plain(finding.explanation)
    assert "größer" in plain(finding.explanation)
    assert plain(finding.title).startswith("2 records of orders were not processed")
    assert plain(finding.title).endswith("in dlq-0 (DataError)" if writer.errors else "in dlq-0")


def test_of_a_record_that_failed_twice_the_first_origin_and_the_last_error_count(tmp_path: Path) -> None:
    spring = WRITERS[3]
    first, second = letter(0, spring), letter(1, spring, error="a.b.Later")
    twice = Record(b"k", b"v", SOME_TIME_MS, [*first.headers, *second.headers])
    (finding,) = found(tmp_path, twice)
    assert "orders-3 offset 100" in plain(finding.explanation)
    assert plain(finding.title).endswith("(Later)")


def test_errors_are_counted_and_the_most_frequent_names_the_finding(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, letter(0, error="Rare"), letter(1), letter(2))
    assert "(DataError)" in plain(finding.title)
    assert finding.evidence == [0, 1]
    assert "more than one" not in finding.remedy


def test_the_topic_that_the_headers_name_got_its_record_back(tmp_path: Path) -> None:
    assert found(tmp_path, letter(0), letter(1), topic="orders") == []


def test_a_topic_in_use_with_some_copied_letters_is_innocent(tmp_path: Path) -> None:
    assert found(tmp_path, *map(plain_record, range(2)), *map(letter, range(2, 4))) == []


def test_other_headers_are_innocent(tmp_path: Path) -> None:
    assert found(tmp_path, *map(plain_record, range(4))) == []
