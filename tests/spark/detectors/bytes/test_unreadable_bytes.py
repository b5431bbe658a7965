"""Stretches that are no readable batch."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from spark.detectors.bytes.unreadable_bytes import detector
from tests.generator.segment import BatchHeader, Record, batch
from tests.spark.log_folders import findings, write

RECORDS = [Record(b"key", b"value") for _ in range(3)]
PARTS = [batch(RECORDS, n * 3) for n in range(6)]


def test_a_page_of_zeros_names_the_offsets_that_fell_in(inspect: Any) -> None:
    (finding,) = inspect({0: b"".join(PARTS[:2]) + bytes(1024) + b"".join(PARTS[4:])})
    assert (finding.detector, finding.severity) == ("unreadable-bytes", "critical")
    assert (finding.first_offset, finding.last_offset) == (6, 11)
    assert finding.title == (
        "Consumers of steady-0 stop at or skip offset 6: 1,024 bytes (partly zeros) are unreadable, offsets 6-11 missing"
    )
    assert "continue in the next segment and skip these batches" in finding.explanation
    assert "6 records that can still be read" in finding.remedy


@pytest.mark.parametrize(
    ("damage", "start", "says"),
    [
        ("zeros", "Consumers of journal-0 stop at offset 6: ", "The broker answers fetches at offsets 6-13 with the error CORRUPT_MESSAGE."),
        ("length past the end", "Consumers of journal-0 skip offsets 6-14 without an error: ", "Fetches at offsets 6-14 continue at offset 15"),
        ("length", "Java consumers of journal-0 stop at offset 6: ", "Java consumers compare the checksum and stop there"),
    ],
)  # fmt: skip
def test_the_index_says_what_fetches_get(tmp_path: Path, damage: str, start: str, says: str) -> None:
    size = len(PARTS[0])
    log = bytearray(b"".join(PARTS[:5]))
    if damage == "zeros":
        log[2 * size : 4 * size] = bytes(2 * size)
    elif damage == "length":
        log[2 * size + 11] += 20
    else:
        log[2 * size + 9] ^= 1
    entries = (
        struct.pack(">iiii", 5, size, 14, 4 * size) if damage == "zeros" else struct.pack(">ii", 5, size)
    )
    folder = write(tmp_path / "input", {0: bytes(log), f"{0:020d}.index": entries, 15: PARTS[5]})
    (finding,) = findings(detector, folder, tmp_path / "results")
    assert finding.title.startswith(start)
    assert says in finding.explanation


def test_a_damaged_length_is_one_finding_and_no_checksum_alarm(inspect: Any) -> None:
    damaged = bytearray(PARTS[2])
    damaged[10] ^= 2
    (finding,) = inspect({0: b"".join([*PARTS[:2], bytes(damaged), *PARTS[3:]])})
    assert (finding.detector, finding.first_offset, finding.last_offset) == ("unreadable-bytes", 6, 8)
    assert "zero" not in finding.title


def test_two_stretches_are_two_findings(inspect: Any) -> None:
    noise = b"\x07" * 50
    found = inspect({0: PARTS[0] + noise + PARTS[2] + PARTS[3] + noise + PARTS[5]})
    assert [(f.first_offset, f.last_offset) for f in found] == [(3, 5), (12, 14)]


def test_bytes_without_offsets_are_told_apart_by_their_place(inspect: Any) -> None:
    noise = b"\x07" * 50
    found = inspect({0: PARTS[0] + noise + PARTS[1] + noise + PARTS[2]})
    assert [f.first_offset for f in found] == [None, None]
    assert len({f.id for f in found}) == 2


def test_a_sound_batch_that_does_not_decompress_is_named(inspect: Any) -> None:
    broken = BatchHeader(18, 1, 4, 0, 0, 2).before(b"no zstd frame")
    (finding,) = inspect({0: b"".join(PARTS) + broken})
    assert (finding.detector, finding.first_offset, finding.last_offset) == ("unreadable-bytes", 18, 19)
    assert "zstd" in finding.explanation
    assert "The checksum of the batch is correct" in finding.explanation


def test_old_formats_are_no_damage(inspect: Any) -> None:
    old = bytes.fromhex("000000000000000000000011feb01dbf0000ffffffff00000003313233")
    assert inspect({0: old + batch(RECORDS, 1)}) == []


def test_zeros_to_the_end_of_a_file_are_damage_when_a_later_segment_shows_what_is_missing(
    inspect: Any,
) -> None:
    (finding,) = inspect({0: b"".join(PARTS[:2]) + bytes(700), 15: PARTS[5]})
    assert (finding.detector, finding.first_offset, finding.last_offset) == ("unreadable-bytes", 6, 14)
    assert "The log continues at offset 15" in finding.explanation


def test_noise_behind_a_whole_segment_costs_no_offset(inspect: Any) -> None:
    (finding,) = inspect({0: b"".join(PARTS[:5]) + b"\x07" * 50, 15: PARTS[5]})
    assert (finding.detector, finding.first_offset) == ("unreadable-bytes", None)


def test_a_batch_whose_base_offset_went_with_the_damage_before_it_is_part_of_it(inspect: Any) -> None:
    found = inspect(
        {0: b"".join(PARTS[:2]) + PARTS[2][:20] + b"\x07\x07" + PARTS[3][2:] + PARTS[4] + PARTS[5]}
    )
    assert [(f.detector, f.first_offset, f.last_offset) for f in found] == [("unreadable-bytes", 6, 11)]
