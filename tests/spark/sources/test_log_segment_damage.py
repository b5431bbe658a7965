"""Damaged log segments: every cut and every changed byte is a row, nothing raises, the rest is read."""

from __future__ import annotations

import gzip
import random
import sys
from pathlib import Path

import pytest

from spark.sources.log_segment import survey
from tests.generator.segment import BatchHeader, Record, batch, marker, segment_name
from tests.spark.sources.segment_files import Reading, read_segment

PARTS = [
    batch([Record(b"a", b"first"), Record(b"b", None)], 0),
    batch([Record(b"a", b"second" * 9, headers=[(b"h", b"x")]), Record(None, b"")], 2, codec="lz4"),
    marker("commit", 4, 1, 0),
    batch([Record(b"c", b"third"), Record(b"d", b"fourth"), Record(b"e", b"fifth")], 5),
    batch([Record(b"f", b"sixth" * 9)], 8, codec="gzip"),
    batch([Record(b"g", b"last")], 9),
]
SOUND = b"".join(PARTS)
STARTS = [sum(map(len, PARTS[:n])) for n in range(len(PARTS))]
OFFSETS = list(range(10))
NOT_UNDER_THE_CHECKSUM = {*range(8), *range(12, 16)}  # base offset and leader epoch


def flipped(position: int, mask: int, content: bytes = SOUND) -> bytes:
    changed = bytearray(content)
    changed[position] ^= mask
    return bytes(changed)


def batch_at(position: int) -> int:
    return max(n for n, start in enumerate(STARTS) if start <= position)


def is_told(reading: Reading) -> bool:
    return bool(reading.damage) or not all(row["crc_ok"] for row in reading.batches)


def covered_bytes(reading: Reading) -> int:
    sound = sum(row["size_bytes"] for row in reading.batches)
    lost = [row for row in reading.damage if row["reason"] not in {"undecodable_records", "not_decompressed"}]
    return sound + sum(row["size_bytes"] for row in lost)


@pytest.mark.wide
@pytest.mark.parametrize("size", range(1, len(SOUND)))
def test_a_cut_tail_is_damage_not_an_error(tmp_path: Path, size: int) -> None:
    reading = read_segment(tmp_path, SOUND[:size])
    whole = [n for n, start in enumerate(STARTS) if start + len(PARTS[n]) <= size]
    first_lost = reading.offsets[-1] + 1 if whole else 0
    assert len(reading.batches) == len(whole)
    assert covered_bytes(reading) == size
    if size in STARTS:
        assert reading.damage == []
    else:
        assert [(reason, first) for reason, first, _ in reading.reasons] == [("truncated", first_lost)]


@pytest.mark.wide
@pytest.mark.parametrize("mask", [0x01, 0x80, 0xFF])
def test_every_changed_byte_is_told_and_the_other_batches_are_read(tmp_path: Path, mask: int) -> None:
    for position in range(len(SOUND)):
        reading = read_segment(tmp_path, flipped(position, mask))
        hit = batch_at(position)
        within = position - STARTS[hit]
        assert covered_bytes(reading) == len(SOUND), position
        if within not in NOT_UNDER_THE_CHECKSUM:
            assert is_told(reading), position
        read = {row["position"] for row in reading.batches if row["crc_ok"]}
        assert read >= set(STARTS) - {STARTS[hit]}, position


def test_random_bytes_are_one_stretch(tmp_path: Path) -> None:
    noise = random.Random(3).randbytes(20_000)
    reading = read_segment(tmp_path, noise)
    assert reading.records == []
    assert covered_bytes(reading) == len(noise)


@pytest.mark.parametrize("seed", range(40))
def test_any_mixture_of_batches_and_noise_is_covered(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    pieces = [
        chance.choice([part, bytes(chance.randrange(300)), chance.randbytes(chance.randrange(1, 90)), part[: len(part) // 2]])
        for part in chance.choices(PARTS, k=12)
    ]  # fmt: skip
    content = b"".join(pieces)
    assert covered_bytes(read_segment(tmp_path, content)) == len(content)


def test_a_changed_byte_in_a_record_keeps_the_batch(tmp_path: Path) -> None:
    position = STARTS[3] + PARTS[3].index(b"fourth")
    reading = read_segment(tmp_path, flipped(position, 0x20))
    assert reading.offsets == OFFSETS
    assert [row["base_offset"] for row in reading.batches if not row["crc_ok"]] == [5]
    assert reading.damage == []


def test_records_before_a_break_are_kept(tmp_path: Path) -> None:
    size_of_fourth = STARTS[3] + PARTS[3].index(b"fourth") - 1
    reading = read_segment(tmp_path, flipped(size_of_fourth, 0x7F))
    assert reading.offsets == [0, 1, 2, 3, 4, 5, 8, 9]
    assert reading.reasons == [("undecodable_records", 6, 7)]
    assert [row["records_read"] for row in reading.batches] == [2, 2, 1, 1, 1, 1]


def test_a_body_that_does_not_decompress_is_one_row(tmp_path: Path) -> None:
    reading = read_segment(tmp_path, flipped(STARTS[1] + 61, 0xFF))
    assert reading.reasons == [("not_decompressed", 2, 3)]
    assert "decompressed (lz4)" in reading.damage[0]["detail"]
    assert reading.offsets == [0, 1, 4, 5, 6, 7, 8, 9]


def test_a_page_of_zeros_says_so_and_names_what_fell_in(tmp_path: Path) -> None:
    page = bytes(600)
    content = b"".join(PARTS[:2]) + page + b"".join(PARTS[3:])
    reading = read_segment(tmp_path, content)
    assert reading.reasons == [("zeros", 4, 4)]
    assert reading.damage[0]["batches_after"]
    assert reading.offsets == [0, 1, 2, 3, 5, 6, 7, 8, 9]


def test_a_hole_is_a_stretch_from_the_cut_batch_to_the_next_sound_one(tmp_path: Path) -> None:
    content = SOUND[: STARTS[2] + 40] + SOUND[STARTS[3] + 30 :]
    reading = read_segment(tmp_path, content)
    assert reading.reasons == [("not_a_batch", 4, 7)]
    assert reading.damage[0]["position"] == STARTS[2]
    assert reading.offsets == [0, 1, 2, 3, 8, 9]


def test_bytes_put_in_between_cost_no_offset(tmp_path: Path) -> None:
    reading = read_segment(tmp_path, b"".join(PARTS[:2]) + b"\x07" * 33 + b"".join(PARTS[2:]))
    assert reading.reasons == [("not_a_batch", None, None)]
    assert reading.offsets == OFFSETS


def test_zeros_to_the_end_are_reserved_space(tmp_path: Path) -> None:
    reading = read_segment(tmp_path, SOUND + bytes(10_000))
    assert reading.reasons == [("zeros_at_end", None, None)]
    assert reading.offsets == OFFSETS


def test_a_changed_bit_before_reserved_space_does_not_cost_the_batch(tmp_path: Path) -> None:
    content = flipped(len(SOUND) - 3, 0x01) + bytes(10_000)
    reading = read_segment(tmp_path, content)
    assert reading.offsets == OFFSETS
    assert [row["crc_ok"] for row in reading.batches][-1] is False
    assert reading.reasons == [("zeros_at_end", None, None)]


def test_a_batch_that_ends_in_zeros_was_cut(tmp_path: Path) -> None:
    long = batch([Record(b"z", b"z" * 500)], 10)
    reading = read_segment(tmp_path, SOUND + long[:200] + bytes(5000))
    assert reading.reasons == [("torn", 10, 10)]
    assert "zeros follow" in reading.damage[0]["detail"]


def test_a_batch_inside_a_value_does_not_mislead(tmp_path: Path) -> None:
    inner = batch([Record(b"inner", b"batch")], 700)
    content = (
        PARTS[0] + batch([Record(b"x", inner), Record(b"y", inner * 3)], 2) + batch([Record(b"z", b"")], 4)
    )
    reading = read_segment(tmp_path, content)
    assert reading.offsets == [0, 1, 2, 3, 4]
    assert reading.damage == []


def test_a_batch_inside_a_damaged_value_is_not_taken_for_the_log_s_own(tmp_path: Path) -> None:
    inner = batch([Record(b"inner", b"batch")], 0)
    outer = bytearray(batch([Record(b"x", inner)], 2))
    outer[11] += 9  # its length
    reading = read_segment(tmp_path, PARTS[0] + bytes(outer) + batch([Record(b"z", b"")], 3))
    assert reading.offsets == [0, 1, 3]
    assert reading.reasons == [("not_a_batch", 2, 2)]


def test_damage_at_the_beginning_starts_at_the_offset_in_the_name(tmp_path: Path) -> None:
    later = batch([Record(b"k", b"v")], 77) + batch([Record(b"k", b"v")], 78)
    reading = read_segment(tmp_path, b"\x09" * 50 + later, segment_name(70))
    assert reading.reasons == [("not_a_batch", 70, 76)]
    assert read_segment(tmp_path, b"\x09" * 50 + later, "dump.bin").reasons == [("not_a_batch", None, None)]


def test_damage_across_a_border_of_splits_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"".join(PARTS[:3]) + bytes(2000) + b"".join(PARTS[4:])
    whole = read_segment(tmp_path, content)
    for split_bytes in range(50, 700, 50):
        monkeypatch.setattr(sys.modules[survey.__module__], "SPLIT_BYTES", split_bytes)
        parts = read_segment(tmp_path, content)
        assert parts.splits > 1
        assert (parts.records, parts.batches, parts.damage) == (whole.records, whole.batches, whole.damage)


def test_more_than_a_batch_may_hold_is_refused_with_the_limit(tmp_path: Path) -> None:
    bomb = batch([Record(b"k", bytes(3_000_000))], 0, codec="zstd")
    reading = read_segment(tmp_path, bomb + batch([Record(b"k", b"v")], 1), max_batch_bytes=1_000_000)
    assert reading.offsets == [1]
    assert reading.reasons == [("not_decompressed", 0, 0)]
    assert "1,000,000 bytes" in reading.damage[0]["detail"]


def test_a_gzip_body_that_ends_early_is_damage(tmp_path: Path) -> None:
    header = BatchHeader(0, 0, 1, 0, 0, 1)
    reading = read_segment(tmp_path, header.before(gzip.compress(b"x" * 100)[:-12]))
    assert reading.reasons == [("not_decompressed", 0, 0)]
    assert reading.batches[0]["crc_ok"]


def test_offsets_beyond_the_batch_are_not_believed(tmp_path: Path) -> None:
    reading = read_segment(tmp_path, batch([Record(b"k", b"v", offset_delta=5)], 0, last_offset_delta=2))
    assert reading.records == []
    assert reading.reasons == [("undecodable_records", 0, 2)]


def test_a_file_damaged_everywhere_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[survey.__module__], "MAX_STRETCHES", 5)
    sound = [batch([Record(b"k", b"v")], offset) for offset in range(20)]
    reading = read_segment(tmp_path, b"".join(part + b"\x07\x07" for part in sound))
    assert len(reading.damage) == 6
    assert "was not searched" in reading.damage[-1]["detail"]
    assert covered_bytes(reading) == 20 * (len(sound[0]) + 2)
