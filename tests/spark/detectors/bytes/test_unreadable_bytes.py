"""Stretches that are no readable batch."""

from __future__ import annotations

from typing import Any

from spark.generator.segment import BatchHeader, Record, batch

RECORDS = [Record(b"key", b"value") for _ in range(3)]
PARTS = [batch(RECORDS, n * 3) for n in range(6)]


def test_a_page_of_zeros_names_the_offsets_that_fell_in(inspect: Any) -> None:
    (finding,) = inspect({0: b"".join(PARTS[:2]) + bytes(1024) + b"".join(PARTS[4:])})
    assert (finding.detector, finding.severity) == ("unreadable-bytes", "critical")
    assert (finding.first_offset, finding.last_offset) == (6, 11)
    assert "1,024 zero-filled bytes" in finding.title
    assert "offsets 6 to 11" in finding.title
    assert "sound" in finding.explanation
    assert "6 records that can still be read" in finding.remedy


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
    assert "its checksum agrees" in finding.explanation


def test_old_formats_are_no_damage(inspect: Any) -> None:
    old = bytes.fromhex("000000000000000000000011feb01dbf0000ffffffff00000003313233")
    assert inspect({0: old + batch(RECORDS, 1)}) == []
