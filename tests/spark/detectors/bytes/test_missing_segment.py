"""Holes between segments: lost files, and what cleaning and retention leave."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from spark.detectors.bytes.missing_segment import detector
from spark.terms.findings import Finding
from tests.generator.segment import Record, batch
from tests.spark.log_folders import findings, write

RECORDS = [Record(b"key", b"value") for _ in range(3)]


def batches(*starts: int) -> bytes:
    return b"".join(batch(RECORDS, start) for start in starts)


def unique(start: int) -> bytes:
    return batch([Record(b"key-%d" % (start + n), b"value") for n in range(3)], start)


def found(tmp_path: Path, files: dict[str | int, bytes]) -> list[Finding]:
    return findings(detector, write(tmp_path / "input", files), tmp_path / "results")


def cleaner(offset: int) -> dict[str | int, bytes]:
    return {"./cleaner-offset-checkpoint": b"0\n1\njournal 0 %d\n" % offset}


def test_a_hole_in_a_topic_that_is_not_compacted_is_a_missing_segment(tmp_path: Path) -> None:
    [finding] = found(tmp_path, {0: batches(0, 3), 9: batches(9)})
    assert (finding.severity, finding.confidence) == ("high", "proven")
    assert (finding.first_offset, finding.last_offset, finding.evidence) == (6, 8, [5, 9])
    assert "offsets 6-8" in finding.title


def test_one_offset_is_a_hole_and_none_is_none(tmp_path: Path) -> None:
    [finding] = found(tmp_path / "1", {0: batches(0), 4: batches(4)})
    assert (finding.first_offset, finding.last_offset) == (3, 3)
    assert found(tmp_path / "2", {0: batches(0), 3: batches(3)}) == []


def test_the_newest_segment_may_be_empty(tmp_path: Path) -> None:
    [finding] = found(tmp_path, {0: batches(0), 6: b""})
    assert (finding.first_offset, finding.last_offset) == (3, 5)


def test_segments_with_unique_keys_and_no_hole_of_their_own_are_likely(tmp_path: Path) -> None:
    [finding] = found(tmp_path, {0: unique(0), 9: unique(9)})
    assert (finding.first_offset, finding.last_offset) == (3, 8)


def test_cleaned_segments_with_unique_keys_are_innocent(tmp_path: Path) -> None:
    assert found(tmp_path, {0: unique(1) + unique(6), 12: unique(14)}) == []


def test_below_the_first_dirty_offset_nothing_is_missing(tmp_path: Path) -> None:
    assert found(tmp_path, {0: unique(0), 9: unique(9), **cleaner(9)}) == []


@pytest.mark.parametrize(("dirty", "first"), [(6, 6), (8, 8), (3, 3), (0, 3)])
def test_from_the_first_dirty_offset_on_nothing_may_be_missing(
    tmp_path: Path, dirty: int, first: int
) -> None:
    [finding] = found(tmp_path, {0: unique(0), 9: unique(9), **cleaner(dirty)})
    assert (finding.first_offset, finding.last_offset) == (first, 8)
    assert "still dirty" in finding.explanation


def test_below_the_log_start_nothing_is_missing(tmp_path: Path) -> None:
    log_start: dict[str | int, bytes] = {"./log-start-offset-checkpoint": b"0\n1\njournal 0 9\n"}
    assert found(tmp_path, {0: batches(0), 9: batches(9, 12), **log_start}) == []


def test_a_log_that_begins_late_lost_its_head_to_retention(tmp_path: Path) -> None:
    assert found(tmp_path, {30: batches(30), 33: batches(33)}) == []


@pytest.mark.parametrize("end", [batches(3)[:-20], batches(3)[:70] + bytes(200), b"\x07" * 300])
def test_behind_a_damaged_end_the_end_is_what_is_wrong(tmp_path: Path, end: bytes) -> None:
    assert found(tmp_path, {0: batches(0) + end, 9: batches(9)}) == []


def test_a_segment_under_a_wrong_name_is_not_missing(tmp_path: Path) -> None:
    files: dict[str | int, bytes] = {0: batches(0), 5: batches(3, 6), 9: batches(9), 12: batches(12)}
    assert found(tmp_path / "1", files) == []
    files = {0: batches(0), 9: batches(9), 12: batches(12), 40: batches(3, 6)}
    assert found(tmp_path / "2", files) == []


def test_leftovers_in_the_hole_are_named(tmp_path: Path) -> None:
    [finding] = found(
        tmp_path,
        {0: batches(0), "00000000000000000003.log.deleted": batches(3), 6: batches(6)},
    )
    assert "00000000000000000003.log.deleted" in finding.explanation


def test_a_segment_that_another_copy_has_is_still_missing_in_this_one(tmp_path: Path) -> None:
    whole = {f"broker-1/t-0/{start:020d}.log": batches(start) for start in (0, 3, 6)}
    holed = {f"broker-2/t-0/{start:020d}.log": batches(start) for start in (0, 6)}
    [finding] = found(tmp_path, {**whole, **holed})
    assert (finding.replica, finding.first_offset, finding.last_offset) == ("broker-2", 3, 5)


def test_loose_segments_may_be_of_different_partitions(tmp_path: Path) -> None:
    loose: dict[str | int, bytes] = {"x/00000000000000000000.log": batches(0), "x/00000000000000000009.log": batches(9)}  # fmt: skip
    assert found(tmp_path / "1", loose) == []
    [finding] = found(tmp_path / "2", {**loose, "x/leader-epoch-checkpoint": b"0\n0\n"})
    assert finding.confidence == "likely"


SNAPSHOT: dict[str | int, bytes] = {"00000000000000000030.snapshot": b"\0" * 10}
EPOCHS: dict[str | int, bytes] = {"leader-epoch-checkpoint": b"0\n1\n0 0\n"}


def watermark(offset: int) -> dict[str | int, bytes]:
    return {"./replication-offset-checkpoint": b"0\n1\njournal 0 %d\n" % offset}


def test_a_folder_without_its_only_segment_is_found_with_what_is_known_of_the_log(tmp_path: Path) -> None:
    entry = struct.pack(">ii", 20, 900)
    files = {**EPOCHS, **SNAPSHOT, **watermark(34_794), "00000000000000000000.index": entry}
    [finding] = found(tmp_path, files)
    assert (finding.severity, finding.confidence) == ("high", "proven")
    assert (finding.first_offset, finding.last_offset) == (0, 34_793)
    for fact in ("high watermark is 34794", "end offset 30", "1 entry"):
        assert fact in finding.explanation


@pytest.mark.parametrize(
    ("offset", "is_stopped", "severity"), [(None, True, "medium"), (0, True, "info"), (0, False, "info")]
)
def test_folders_of_which_no_record_is_known_are_one_finding(
    tmp_path: Path, offset: int | None, is_stopped: bool, severity: str
) -> None:
    files = {f"journal-{number}/leader-epoch-checkpoint": b"0\n0\n" for number in range(3)}
    if offset is not None:
        files["./replication-offset-checkpoint"] = b"0\n3\n" + b"".join(
            b"journal %d %d\n" % (number, offset) for number in range(3)
        )
    if is_stopped:
        files["./.kafka_cleanshutdown"] = b""
    [finding] = found(tmp_path, {**files, "other-0/00000000000000000000.log": batches(0)})
    assert (finding.severity, finding.partition) == (severity, None)
    assert "3 partition folders" in finding.title
    assert ("no record is missing" in finding.explanation) == (is_stopped and offset == 0)


def test_a_leftover_folder_and_a_dump_named_for_a_segment_lack_no_log(tmp_path: Path) -> None:
    files = {"journal-0.0f2b1c-delete/leader-epoch-checkpoint": b"0\n0\n", 0: batches(0)}
    assert found(tmp_path, files) == []


def test_an_index_before_the_first_segment_shows_that_the_first_one_is_missing(tmp_path: Path) -> None:
    index: dict[str | int, bytes] = {"00000000000000000000.index": b""}
    [finding] = found(tmp_path / "1", {6: batches(6), **index})
    assert (finding.severity, finding.confidence) == ("high", "likely")
    assert (finding.first_offset, finding.last_offset) == (0, 5)
    start: dict[str | int, bytes] = {"./log-start-offset-checkpoint": b"0\n1\njournal 0 6\n"}
    assert found(tmp_path / "2", {6: batches(6), **index, **start}) == []
