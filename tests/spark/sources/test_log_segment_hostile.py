"""Hostile bytes in small segments of every format and codec: nothing raises, and what is sound is read."""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from spark.entry import compile_ahead
from spark.sources.log_segment.codecs import DecompressionArena
from tests.generator import legacy
from tests.generator.segment import BatchHeader, Codec, Record, batch, segment_name
from tests.spark.sources.segment_files import Reading, read_segment

RECORDS = [Record(b"k%d" % n, b"value %d" % n, headers=[(b"h", b"x")] * (n % 2)) for n in range(3)]
CODECS: dict[int, tuple[Codec, ...]] = {
    0: ("none", "gzip", "snappy", "snappy-raw", "lz4"),
    1: ("none", "gzip", "snappy", "snappy-raw", "lz4"),
    2: ("none", "gzip", "snappy", "snappy-raw", "lz4", "zstd"),
}
KINDS = [(magic, codec) for magic, codecs in CODECS.items() for codec in codecs]
MIXED = "mixed"
CPU_SECONDS_PER_READING = 5


@pytest.fixture(autouse=True, scope="module")
def compiled_before() -> None:
    compile_ahead.read_sample()


def entries(magic: int, codec: Codec) -> list[bytes]:
    """Nine records in three entries, or in nine where the format has no batches."""
    if magic == 2:
        return [batch(RECORDS, base, codec=codec) for base in (0, 3, 6)]
    if codec == "none":
        return [legacy.message(RECORDS[n % 3], n, magic) for n in range(9)]
    return [legacy.wrapper(RECORDS, base, magic, codec=codec) for base in (0, 3, 6)]


def mixed() -> list[bytes]:
    parts = [
        legacy.message(RECORDS[0], 0, 0),
        legacy.wrapper(RECORDS[:2], 1, 0, codec="lz4"),
        batch(RECORDS[:2], 3, codec="zstd"),
        legacy.wrapper(RECORDS[:2], 5, 1),
    ]
    return [*parts, legacy.message(RECORDS[1], 7), batch(RECORDS[:1], 8)]


def starts(parts: list[bytes]) -> list[int]:
    return [sum(map(len, parts[:n])) for n in range(len(parts) + 1)]


def damaged(folder: Path, content: bytes) -> Reading:
    started = time.process_time()
    reading = read_segment(folder, content)
    assert time.process_time() - started < CPU_SECONDS_PER_READING
    return reading


def sound_entries(reading: Reading) -> set[int]:
    return {row["position"] for row in reading.batches if row["crc_ok"]}


ALL = [pytest.param(entries(*kind), id=f"{kind[0]}-{kind[1]}") for kind in KINDS]
ALL.append(pytest.param(mixed(), id=MIXED))


def check_cuts(folder: Path, parts: list[bytes], every: int) -> None:
    content, borders = b"".join(parts), starts(parts)
    for size in range(1, len(content), every):
        reading = damaged(folder, content[:size])
        assert sound_entries(reading) == {start for start, end in pairwise(borders) if end <= size}, size
        reasons = [row["reason"] for row in reading.damage]
        assert reasons == ([] if size in borders else ["truncated"]), size


@pytest.mark.wide
@pytest.mark.parametrize("parts", ALL)
def test_a_cut_leaves_the_whole_entries_before_it(tmp_path: Path, parts: list[bytes]) -> None:
    check_cuts(tmp_path, parts, every=5)


@pytest.mark.long
@pytest.mark.parametrize("parts", ALL)
def test_every_cut_leaves_the_whole_entries_before_it(tmp_path: Path, parts: list[bytes]) -> None:
    check_cuts(tmp_path, parts, every=1)


def test_a_damaged_size_that_ends_at_another_message_swallows_none(tmp_path: Path) -> None:
    parts = [legacy.message(Record(b"k", b"v" * 99), n, 0) for n in range(3)]
    assert len(parts[0]) - 12 == 114
    for damaged_size in (114 + 126, 114 + 2 * 126):  # the borders behind the second and the third
        changed = struct.pack(">qi", 0, damaged_size) + parts[0][12:]
        reading = read_segment(tmp_path, changed + parts[1] + parts[2])
        assert reading.offsets == [1, 2]
        assert reading.reasons == [("not_a_batch", 0, 0)]


def flips(content: bytes, every: int) -> Iterator[tuple[int, bytes]]:
    """One changed bit at a time: (place, bytes)."""
    for bit in range(0, 8 * len(content), every):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        yield bit // 8, bytes(changed)


def check_flips(folder: Path, parts: list[bytes], every: int) -> None:
    content, borders = b"".join(parts), starts(parts)
    for place, changed in flips(content, every):
        reading = damaged(folder, changed)
        hit = max(start for start in borders if start <= place)
        assert sound_entries(reading) >= {*borders[:-1]} - {hit}, place
        is_new = content[hit + 16] == 2
        in_frame = place - hit < 8 or (
            is_new and 12 <= place - hit < 16
        )  # no checksum covers offset and epoch
        is_told = bool(reading.damage) or not all(row["crc_ok"] for row in reading.batches)
        assert is_told or in_frame, place


@pytest.mark.wide
@pytest.mark.parametrize("parts", ALL)
def test_a_changed_bit_costs_its_own_entry_alone(tmp_path: Path, parts: list[bytes]) -> None:
    check_flips(tmp_path, parts, every=23)


@pytest.mark.long
@pytest.mark.parametrize("parts", ALL)
def test_every_changed_bit_costs_its_own_entry_alone(tmp_path: Path, parts: list[bytes]) -> None:
    check_flips(tmp_path, parts, every=1)


def mutations(seed: int, count: int) -> Iterator[bytes]:
    """Random changes: bytes overwritten, cut out, put in, repeated, zeroed."""
    draw = random.Random(seed)
    sound = [b"".join(param.values[0]) for param in ALL]
    for _ in range(count):
        content = bytearray(draw.choice(sound) + draw.choice(sound))
        for _ in range(draw.randint(1, 6)):
            at, size = draw.randrange(len(content)), draw.randint(1, 40)
            match draw.randrange(5):
                case 0:
                    content[at : at + size] = draw.randbytes(size)
                case 1:
                    del content[at : at + size]
                    content += b"\0"
                case 2:
                    content[at:at] = draw.randbytes(size)
                case 3:
                    content[at:at] = content[at : at + 10 * size]
                case 4:
                    content[at : at + size] = bytes(size)
        yield bytes(content)


@pytest.mark.wide
def test_random_changes_never_raise(tmp_path: Path) -> None:
    for content in mutations(seed=4, count=300):
        damaged(tmp_path, content)


@pytest.mark.long
def test_many_random_changes_never_raise(tmp_path: Path) -> None:
    for content in mutations(seed=5, count=10_000):
        damaged(tmp_path, content)


BOMB_BYTES = 64 * 1024 * 1024
LIMIT_BYTES = 4 * 1024 * 1024


@pytest.mark.wide
@pytest.mark.parametrize("codec", ["gzip", "snappy", "snappy-raw", "lz4", "zstd"])
@pytest.mark.parametrize("magic", [0, 1, 2])
def test_a_bomb_is_refused_within_the_limit(
    tmp_path: Path, magic: int, codec: Codec, monkeypatch: pytest.MonkeyPatch
) -> None:
    huge = Record(b"k", bytes(BOMB_BYTES))
    largest = 0
    grow = DecompressionArena._grow

    def watched(arena: DecompressionArena) -> None:
        nonlocal largest
        grow(arena)
        largest = max(largest, arena.memory.nbytes)

    monkeypatch.setattr(DecompressionArena, "_grow", watched)
    if magic == 2:
        parts = [batch([huge], 0, codec=codec), batch(RECORDS, 1)]
    else:
        parts = [legacy.wrapper([huge], 0, magic, codec=codec), legacy.segment(RECORDS, 1, magic)]
    reading = read_segment(tmp_path, b"".join(parts), max_batch_bytes=LIMIT_BYTES)
    assert reading.offsets == [1, 2, 3]
    assert reading.reasons == [("not_decompressed", 0, 0)]
    assert largest <= LIMIT_BYTES


def test_a_raw_snappy_block_that_claims_gigabytes_is_refused(tmp_path: Path) -> None:
    claim = b"\xff\xff\xff\xff\x0f" + b"\x00" * 40
    reading = read_segment(tmp_path, BatchHeader(0, 0, 2, 0, 0, 1).before(claim) + batch(RECORDS, 1))
    assert reading.offsets == [1, 2, 3]
    assert reading.damage[0]["reason"] == "not_decompressed"


@pytest.mark.parametrize("size", [-1, -(2**31), 2**31 - 1, 13, 14, 21, 22])
def test_sizes_inside_a_wrapper_are_not_believed(tmp_path: Path, size: int) -> None:
    inner = bytearray(legacy.message(RECORDS[0], 0))
    inner[8:12] = struct.pack(">i", size)
    outer = legacy.message(Record(None, legacy.packed(bytes(inner), "gzip", 1)), 0, attributes=1)
    reading = damaged(tmp_path, outer + legacy.message(RECORDS[0], 1))
    assert reading.offsets == [1]
    assert reading.damage[0]["reason"] == "undecodable_records"


@pytest.mark.wide
@pytest.mark.parametrize("codec", ["lz4", "none"])
def test_a_record_of_110_megabytes_is_read(tmp_path: Path, codec: Codec) -> None:
    value = b"0123456789abcdef" * (110 * 1024 * 1024 // 16)
    content = batch([Record(b"k", value)], 0, codec=codec) + batch(RECORDS, 1)
    reading = read_segment(tmp_path, content, segment_name(0))
    sizes = [table.column("value_size_bytes").to_pylist() for table in reading.tables["records"]]
    assert [size for chunk in sizes for size in chunk] == [len(value), 7, 7, 7]
    assert reading.tables["records"][0].column("value")[0].as_buffer().to_pybytes() == value
    assert reading.damage == []
