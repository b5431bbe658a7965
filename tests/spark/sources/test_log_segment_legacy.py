"""Messages of the formats 0 and 1: plain, wrapped by every codec, compacted, mixed with batches of format 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources.log_segment.codecs import header_checksum
from tests.generator.legacy import log_append, message, segment, wrapper
from tests.generator.segment import SOME_TIME_MS, Record, batch, segment_name
from tests.spark.sources.segment_files import Reading, read_segment

RECORDS = [
    Record(b"key", b"value", SOME_TIME_MS + 7),
    Record(b"", b"", SOME_TIME_MS + 5),
    Record(None, b"no key", SOME_TIME_MS - 5),
    Record(b"gone", None, SOME_TIME_MS + 10),
    Record(None, None),
    Record(b"k" * 300, b"v" * 20_000),
]
CODECS = ("none", "gzip", "snappy", "snappy-raw", "lz4")
COMPACTED = [Record(b"k%d" % n, b"v", SOME_TIME_MS + n, offset_delta=n) for n in (0, 1, 2, 10)]


def told(reading: Reading) -> list[tuple[object, ...]]:
    return [(r["offset"], r["timestamp_ms"], r["key"], r["value"]) for r in reading.records]


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("magic", [0, 1])
def test_messages_come_out_as_they_went_in(tmp_path: Path, magic: int, codec: str) -> None:
    reading = read_segment(tmp_path, segment(RECORDS, 40, magic, codec=codec), segment_name(40))
    times = [r.timestamp_ms if magic else None for r in RECORDS]
    expected = zip(range(40, 46), times, RECORDS, strict=True)
    assert told(reading) == [(offset, time, r.key, r.value) for offset, time, r in expected]
    assert [r["value_is_null"] for r in reading.records] == [r.value is None for r in RECORDS]
    assert {r["timestamp_type"] for r in reading.records} == {"create" if magic else None}
    assert all(r["headers"] == [] and r["producer_id"] == -1 for r in reading.records)
    assert reading.damage == []


@pytest.mark.parametrize("codec", CODECS[1:])
@pytest.mark.parametrize("magic", [0, 1])
def test_a_wrapper_is_one_batch(tmp_path: Path, magic: int, codec: str) -> None:
    (row,) = read_segment(tmp_path, wrapper(RECORDS, 40, magic, codec=codec), segment_name(40)).batches
    assert (row["base_offset"], row["last_offset"], row["record_count"], row["records_read"]) == (
        40,
        45,
        6,
        6,
    )
    assert (row["magic"], row["codec"], row["crc_ok"]) == (magic, codec.removesuffix("-raw"), True)
    assert (row["leader_epoch"], row["producer_id"], row["is_transactional"]) == (-1, -1, False)
    times = (SOME_TIME_MS + 7, SOME_TIME_MS + 10) if magic else (None, None)
    assert (row["base_timestamp_ms"], row["max_timestamp_ms"]) == times


@pytest.mark.parametrize("magic", [0, 1])
def test_a_plain_message_is_a_batch_of_one(tmp_path: Path, magic: int) -> None:
    rows = read_segment(tmp_path, segment(RECORDS[:3], 8, magic), segment_name(8)).batches
    assert [(row["base_offset"], row["last_offset"], row["record_count"]) for row in rows] == [
        (8, 8, 1), (9, 9, 1), (10, 10, 1),
    ]  # fmt: skip
    assert all(row["crc_ok"] and row["codec"] == "none" for row in rows)


@pytest.mark.parametrize("magic", [0, 1])
def test_what_compaction_took_out_of_a_wrapper_stays_out(tmp_path: Path, magic: int) -> None:
    reading = read_segment(tmp_path, wrapper(COMPACTED, 10, magic), segment_name(10))
    assert reading.offsets == [10, 11, 12, 20]
    assert [(row["base_offset"], row["last_offset"], row["record_count"]) for row in reading.batches] == [
        (10, 20, 4)
    ]


def test_the_head_of_a_compacted_wrapper_may_be_gone(tmp_path: Path) -> None:
    reading = read_segment(tmp_path, wrapper(COMPACTED[2:], 10), segment_name(10))
    assert reading.offsets == [12, 20]
    assert reading.batches[0]["base_offset"] == 12


def test_a_wrapper_with_offset_0_counts_from_0(tmp_path: Path) -> None:
    reading = read_segment(tmp_path, wrapper(RECORDS[:3], offset=0))
    assert reading.offsets == [0, 1, 2]
    assert reading.batches[0]["last_offset"] == 2
    assert reading.damage == []


def test_a_wrapper_of_format_1_may_hold_messages_of_format_0(tmp_path: Path) -> None:
    reading = read_segment(tmp_path, wrapper(RECORDS[:3], 5, inner_magic=0), segment_name(5))
    assert [r["offset"] for r in reading.records] == [5, 6, 7]
    assert [(r["timestamp_ms"], r["timestamp_type"]) for r in reading.records] == [(None, None)] * 3
    assert reading.batches[0]["base_timestamp_ms"] is None
    assert reading.damage == []


def test_the_broker_s_time_holds_for_every_message_inside(tmp_path: Path) -> None:
    content = wrapper(RECORDS[:3], log_append_time_ms=SOME_TIME_MS + 99)
    reading = read_segment(tmp_path, content + log_append(RECORDS[0], 3, SOME_TIME_MS + 100))
    assert [r["timestamp_ms"] - SOME_TIME_MS for r in reading.records] == [99, 99, 99, 100]
    assert {r["timestamp_type"] for r in reading.records} == {"log_append"}


def test_formats_may_change_from_one_entry_to_the_next(tmp_path: Path) -> None:
    parts = [
        message(RECORDS[0], 0, 0),
        batch(RECORDS[:2], 1),
        wrapper(RECORDS[:2], 3),
        message(RECORDS[0], 5),
        wrapper(RECORDS[:2], 6, 0, codec="lz4"),
        batch(RECORDS[:2], 8, codec="zstd"),
        message(RECORDS[0], 10),
    ]
    reading = read_segment(tmp_path, b"".join(parts))
    assert reading.offsets == list(range(11))
    assert [row["magic"] for row in reading.batches] == [0, 2, 1, 1, 0, 2, 1]
    assert reading.damage == []


def test_zstd_came_with_format_2(tmp_path: Path) -> None:
    reading = read_segment(tmp_path, wrapper(RECORDS[:2], codec="zstd") + message(RECORDS[0], 2))
    assert reading.offsets == [2]
    assert reading.reasons == [("not_decompressed", 1, 1)]
    assert "format 1 has no zstd" in reading.damage[0]["detail"]


def test_a_wrapper_inside_a_wrapper_is_refused(tmp_path: Path) -> None:
    from tests.generator.legacy import packed

    double = message(Record(None, packed(wrapper(RECORDS[:2]), "gzip", 1)), 1, attributes=1)
    reading = read_segment(tmp_path, double + message(RECORDS[0], 2))
    assert reading.offsets == [2]
    assert "compressed itself" in reading.damage[0]["detail"]


def test_relative_offsets_beyond_the_wrapper_are_refused(tmp_path: Path) -> None:
    reading = read_segment(tmp_path, wrapper(RECORDS[:5], offset=2) + message(RECORDS[0], 5))
    assert reading.offsets == [5]
    assert reading.damage[0]["reason"] == "undecodable_records"
    assert "more than the offset 2" in reading.damage[0]["detail"]


@pytest.mark.parametrize("magic", [0, 1])
def test_an_empty_wrapper_is_damage(tmp_path: Path, magic: int) -> None:
    reading = read_segment(tmp_path, wrapper([], 0, magic) + message(RECORDS[0], 1, magic))
    assert reading.offsets == [1]
    assert "no message" in reading.damage[0]["detail"]


@pytest.mark.parametrize("magic", [0, 1])
def test_a_wrong_checksum_inside_marks_the_wrapper(tmp_path: Path, magic: int) -> None:
    content = wrapper(RECORDS[:3], 0, magic, bad_inner=1) + wrapper(RECORDS[:3], 3, magic)
    reading = read_segment(tmp_path, content)
    assert reading.offsets == [0, 1, 2, 3, 4, 5]
    assert [row["crc_ok"] for row in reading.batches] == [False, True]
    assert reading.batches[0]["crc_stored"] == reading.batches[0]["crc_computed"]
    assert reading.damage == []


@pytest.mark.parametrize(
    ("descriptor", "checksum"),
    [("6040", 0x82), ("6440", 0xA7), ("6070", 0x73), ("6840", None)],
)
def test_the_header_checksum_of_an_lz4_frame(descriptor: str, checksum: int | None) -> None:
    content = bytes.fromhex(descriptor)
    if checksum is not None:
        assert header_checksum(content) == checksum
    assert 0 <= header_checksum(content + bytes(8)) <= 0xFF


def test_only_format_0_had_the_wrong_header_checksum(tmp_path: Path) -> None:
    from tests.generator.legacy import packed

    wrong = message(Record(None, packed(message(RECORDS[0]), "lz4", 0)), 0, attributes=3)
    assert read_segment(tmp_path, wrong).reasons == [("not_decompressed", 0, 0)]
    assert read_segment(tmp_path, wrapper(RECORDS[:1], 0, 0, codec="lz4")).offsets == [0]


def test_chunks_and_splits_read_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from spark.sources.log_segment import read, survey

    rows = [Record(b"k%d" % n, b"v" * 50, SOME_TIME_MS + n) for n in range(500)]
    content = (
        segment(rows, 0, 1, codec="gzip", records_per_wrapper=7) + segment(rows, 500, 0) + batch(rows, 1000)
    )
    whole = read_segment(tmp_path, content)
    assert whole.offsets == list(range(1500))
    for name, value in (("CHUNK_RECORDS", 30), ("CHUNK_BYTES", 4000)):
        monkeypatch.setattr(sys.modules[read.__module__], name, value)
    monkeypatch.setattr(sys.modules[survey.__module__], "SPLIT_BYTES", 3000)
    parts = read_segment(tmp_path, content)
    assert parts.splits > 5
    assert (parts.records, parts.batches) == (whole.records, whole.batches)
