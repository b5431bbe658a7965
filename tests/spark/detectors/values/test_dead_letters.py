"""Records that failed elsewhere, with the reason in headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.detectors.values.dead_letters import FRAMEWORKS, LetterHeaders, detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.log_folders import findings, write

CONNECT = FRAMEWORKS[0]


def letter(
    at: int, headers: LetterHeaders = CONNECT, source: str = "orders", error: str = "a.b.DataError"
) -> Record:
    """A dead letter of the record at offset 100 and so on."""
    texts = {
        headers.topic: source, headers.partition: "3", headers.offset: str(100 + at), headers.error: error,
        headers.message: "größer", headers.application: "sink",
    }  # fmt: skip
    return Record(
        b"k",
        b"v",
        SOME_TIME_MS + at,
        [(name.encode(), text.encode()) for name, text in texts.items() if name],
    )


def found(folder: Path, *records: Record, topic: str = "dlq") -> list[Finding]:
    log = {f"{topic}-0/00000000000000000000.log": segment(list(records))}
    return findings(detector, write(folder / "input", log), folder / "results")


def plain_record(at: int) -> Record:
    return Record(b"k", b"v", SOME_TIME_MS + at, [(b"trace", b"1"), (b"origin", b"shop"), (b"try", b"1")])


@pytest.mark.parametrize("headers", FRAMEWORKS, ids=[one.framework for one in FRAMEWORKS])
def test_each_framework_is_read(headers: LetterHeaders, tmp_path: Path) -> None:
    (finding,) = found(tmp_path, letter(0, headers), letter(1, headers))
    assert (finding.severity, finding.evidence, finding.first_offset, finding.last_offset) == (
        "medium",
        [0],
        0,
        1,
    )
    assert "orders-3 offset 100" in plain(finding.explanation)
    assert "größer" in plain(finding.explanation)
    assert plain(finding.title).startswith("2 records of orders were not processed")
    assert plain(finding.title).endswith("they are dead letters in dlq-0 (DataError)")


def test_errors_are_counted_and_the_most_frequent_names_the_finding(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, letter(0, error="Rare"), letter(1), letter(2))
    assert "(DataError)" in plain(finding.title)
    assert finding.evidence == [0, 1]
    assert "more than one" not in finding.remedy


def test_the_topic_that_the_headers_name_got_its_record_back(tmp_path: Path) -> None:
    assert found(tmp_path, letter(0), letter(1), topic="orders") == []


def test_a_topic_in_use_with_some_copied_letters_is_innocent(tmp_path: Path) -> None:
    assert found(tmp_path, *map(plain_record, range(2)), *map(letter, range(2, 4))) == []
    assert found(tmp_path / "more", *map(plain_record, range(2)), *map(letter, range(2, 5)))


def test_other_headers_are_innocent(tmp_path: Path) -> None:
    assert found(tmp_path, *map(plain_record, range(4))) == []
