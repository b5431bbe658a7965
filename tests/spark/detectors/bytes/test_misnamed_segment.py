"""Names of segments that do not go with their offsets, and those that do."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.detectors.bytes.misnamed_segment import detector
from spark.terms.findings import Finding
from tests.generator.segment import Record, batch
from tests.spark.log_folders import findings, write


def batches(*starts: int, size: int = 3) -> bytes:
    return b"".join(batch([Record(b"key", b"value")] * size, start) for start in starts)


def found(tmp_path: Path, files: dict[str | int, bytes]) -> list[Finding]:
    return findings(detector, write(tmp_path / "input", files), tmp_path / "results")


def test_a_segment_that_begins_below_its_name_is_named_too_high(tmp_path: Path) -> None:
    [finding] = found(tmp_path, {0: batches(0, 3), 8: batches(6, 9), 12: batches(12)})
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("medium", 6, 7)
    assert finding.title.startswith("Segment 00000000000000000008.log of journal-0 has the wrong name")
    assert finding.evidence == [6, 8]
    assert "Consumers still get these offsets" in finding.explanation
    assert "the log starts at offset 8 and consumers cannot get offsets 6-7" in finding.explanation
    assert "can skip records" not in detector.headline([finding])


def test_one_offset_too_high_is_enough(tmp_path: Path) -> None:
    [finding] = found(tmp_path, {7: batches(6, 9)})
    assert (finding.first_offset, finding.last_offset) == (6, 6)
    assert "get OFFSET_OUT_OF_RANGE" in finding.explanation
    assert "can skip records" in detector.headline([finding])


def test_the_right_name_is_no_finding(tmp_path: Path) -> None:
    assert found(tmp_path, {0: batches(0, 3), 6: batches(6, 9), 12: b""}) == []


def test_a_first_offset_above_the_name_is_what_the_cleaner_leaves(tmp_path: Path) -> None:
    assert found(tmp_path, {0: batches(0), 6: batches(9, 12)}) == []


def test_a_name_within_the_segment_before_is_too_low(tmp_path: Path) -> None:
    [finding] = found(tmp_path, {0: batches(0, 3), 4: batches(6, 9)})
    assert (finding.first_offset, finding.last_offset) == (4, 5)
    assert "its first offset is 6" in finding.title


def test_a_segment_behind_the_next_name_belongs_elsewhere(tmp_path: Path) -> None:
    [finding] = found(tmp_path, {0: batches(0), 1: batches(6, 9), 3: batches(3), 12: batches(12)})
    assert (finding.first_offset, finding.last_offset) == (6, 11)
    assert "but the next segment is named 3" in finding.title


@pytest.mark.parametrize("start", [2, 900], ids=["lower", "higher"])
def test_a_first_batch_out_of_place_is_offset_order_s(tmp_path: Path, start: int) -> None:
    assert found(tmp_path, {6: batches(start, 9, 12), 15: batches(15)}) == []


def test_the_only_batch_of_a_segment_that_fits_between_the_names_has_a_wrong_offset(tmp_path: Path) -> None:
    assert found(tmp_path, {0: batches(0, 3), 6: batches(2), 9: batches(9)}) == []


def test_another_partition_s_segments_do_not_count(tmp_path: Path) -> None:
    files: dict[str | int, bytes] = {"a-0/00000000000000000000.log": batches(6, 9), "a-1/00000000000000000003.log": batches(3)}  # fmt: skip
    assert found(tmp_path, files) == []


def test_loose_segments_are_compared_only_beside_their_checkpoint(tmp_path: Path) -> None:
    loose: dict[str | int, bytes] = {"x/00000000000000000000.log": batches(6, 9), "x/00000000000000000003.log": batches(3)}  # fmt: skip
    assert found(tmp_path / "1", loose) == []
    [finding] = found(tmp_path / "2", {**loose, "x/leader-epoch-checkpoint": b"0\n0\n"})
    assert finding.first_offset == 6
