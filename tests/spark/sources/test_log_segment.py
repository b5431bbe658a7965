"""Log segments that are sound: every codec, field and kind of record, against independent decoders."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiokafka.record import MemoryRecords as AiokafkaRecords
from kafka.record import MemoryRecords as KafkaPythonRecords

from spark.sources.log_segment import read, source, survey
from spark.sources.log_segment.checksums import SMALL_BATCH_BYTES
from tests.generator.segment import SOME_TIME_MS, Record, batch, marker, segment, segment_name
from tests.spark.sources.segment_files import input_file, read_segment

CODECS = ("none", "gzip", "snappy", "snappy-raw", "lz4", "zstd")

# Batches of other clients' test suites (kafka-python, sarama) and of real brokers.
THREE_BATCHES = (
    "00000000000000000000003b00000001020318a2700000000000000000015dff7b063c0000015dff7b063cffffffffffffffffffffffffffff"
    "00000001120000000106313233000000000000000001000000400000000202c85cbd230000000000010000015dff7cdd6c0000015dff7cde14"
    "ffffffffffffffffffffffffffff000000020c0000000100000e00d0020201000000000000000000030000004500000000025cd8ef52000000"
    "0000000000016585b6f3c10000016585b6f3c1ffffffffffffffffffffffffffff000000012600000001066864720208686b6579086876616c"
)
SARAMA = {
    "gzip": "00000000000000000000005f0000000002e74acea5000100000000000001588dcd593800000000000000000000000000000000000000"
    "000000000000011f8b080000096e8800ff001500eaff28000a00080102030406050607020608090a040b0c0300adc9586715000000",
    "snappy": "00000000000000000000005c00000000028564b224000200000000000001588dcd59380000000000000000000000000000000000"
    "00000000000000000182534e4150505900000000010000000100000017155028000a00080102030406050607020608090a040b0c",
    "lz4": "00000000000000000000005900000000029d1291f8000300000000000001588dcd593800000000000000000000000000000000000000"
    "0000000000000104224d186440a71500008028000a00080102030406050607020608090a040b0c000000000c3bef92",
}
DELETE_HORIZON_BATCH = (
    "00000000000000480000005a00000020022f2787600040000000010000019652e3549d000001962499faacffffffffffffffffffff00000000"
    "000000015000e1e7cae405023c0002001a61646d696e536572766963654265636f6d696e67416e737765720100"
)
OLD_MESSAGES = (
    "000000000000000000000019478628c201000000015e1867abaeffffffff00000003313233"
    "000000000000000100000016ef98c92001000000015e1867afc0ffffffff00000000"
)
MIXED = [
    Record(b"key", b"value", SOME_TIME_MS, [(b"a", b"1"), (b"a", None), (b"", b"")]),
    Record(b"", b"", SOME_TIME_MS + 5),
    Record(None, b"no key", SOME_TIME_MS - 5),
    Record(b"gone", None, SOME_TIME_MS + 10),
    Record(None, None),
    Record(b"k" * 300, b"v" * 20_000),
]


@pytest.mark.parametrize("codec", CODECS)
def test_records_come_out_as_they_went_in(tmp_path: Path, codec: str) -> None:
    reading = read_segment(tmp_path, batch(MIXED, 40, codec=codec), segment_name(40))
    assert [
        (r["offset"], r["key"], r["value"], r["timestamp_ms"], [tuple(h.values()) for h in r["headers"]])
        for r in reading.records
    ] == [(40 + n, r.key, r.value, r.timestamp_ms, list(r.headers)) for n, r in enumerate(MIXED)]
    assert [r["key_is_null"] for r in reading.records] == [r.key is None for r in MIXED]
    assert [r["value_is_null"] for r in reading.records] == [r.value is None for r in MIXED]
    assert [r["value_size_bytes"] for r in reading.records] == [len(r.value or b"") for r in MIXED]
    (row,) = reading.batches
    assert (row["codec"], row["crc_ok"], row["records_read"]) == (codec.removesuffix("-raw"), True, 6)
    assert reading.damage == []


@pytest.mark.parametrize("codec", CODECS)
def test_two_independent_decoders_agree(tmp_path: Path, codec: str) -> None:
    parts = [
        batch(MIXED, 0, codec=codec, producer_id=7, producer_epoch=2, base_sequence=5, leader_epoch=3),
        batch([Record(b"k%d" % n, b"v" * n, SOME_TIME_MS + n) for n in range(200)], 6, codec=codec),
        batch(MIXED[:2], 206, log_append_time_ms=SOME_TIME_MS + 99, codec=codec),
    ]
    ours = [
        (
            r["offset"],
            r["timestamp_ms"],
            r["key"],
            r["value"],
            [(h["key"].decode(), h["value"]) for h in r["headers"]],
        )
        for r in read_segment(tmp_path, b"".join(parts)).records
    ]
    for decoder in (AiokafkaRecords, KafkaPythonRecords):
        theirs = []
        if codec == "snappy-raw" or (codec == "snappy" and decoder is KafkaPythonRecords):
            continue  # neither reads snappy without xerial's framing; kafka-python needs a library for snappy
        records = decoder(b"".join(parts))
        while records.has_next():
            for record in records.next_batch():
                headers = [(key, value) for key, value in record.headers]
                theirs.append((record.offset, record.timestamp, record.key, record.value, headers))
        assert ours == theirs


@pytest.mark.parametrize("codec", SARAMA)
def test_a_go_client_s_batches(tmp_path: Path, codec: str) -> None:
    (record,) = read_segment(tmp_path, bytes.fromhex(SARAMA[codec])).records
    assert (record["key"], record["value"]) == (bytes([1, 2, 3, 4]), bytes([5, 6, 7]))
    assert record["headers"] == [{"key": bytes([8, 9, 10]), "value": bytes([11, 12])}]


def test_batches_of_a_real_broker(tmp_path: Path) -> None:
    reading = read_segment(tmp_path, bytes.fromhex(THREE_BATCHES))
    assert [(r["offset"], r["key"], r["value"]) for r in reading.records] == [
        (0, None, b"123"), (1, None, b""), (2, None, b""), (3, None, b"hdr"),
    ]  # fmt: skip
    assert reading.records[3]["headers"] == [{"key": b"hkey", "value": b"hval"}]
    assert all(row["crc_ok"] for row in reading.batches)
    assert [row["leader_epoch"] for row in reading.batches] == [1, 2, 0]


def test_a_delete_horizon_is_no_base_timestamp_but_record_times_count_from_it(tmp_path: Path) -> None:
    reading = read_segment(tmp_path, bytes.fromhex(DELETE_HORIZON_BATCH))
    (row,), (record,) = reading.batches, reading.records
    assert row["base_timestamp_ms"] is None
    assert row["delete_horizon_ms"] == 1_745_147_352_221
    assert record["timestamp_ms"] == row["max_timestamp_ms"]
    assert record["value_is_null"]


def test_log_append_time_holds_for_every_record(tmp_path: Path) -> None:
    reading = read_segment(tmp_path, batch(MIXED, log_append_time_ms=SOME_TIME_MS + 1000))
    assert {r["timestamp_ms"] for r in reading.records} == {SOME_TIME_MS + 1000}
    assert {r["timestamp_type"] for r in reading.records} == {"log_append"}


def test_control_records_say_what_they_are(tmp_path: Path) -> None:
    keys = [b"\0\0" + bytes([0, number]) for number in range(2, 9)] + [b"\0"]
    control = batch([Record(key, b"\0\0") for key in keys], 2, control=True)
    reading = read_segment(tmp_path, marker("commit", 0, 9, 1) + marker("abort", 1, 9, 1) + control)
    assert [r["control_type"] for r in reading.records] == [
        "commit", "abort", "leader_change", "snapshot_header", "snapshot_footer", "kraft_version", "kraft_voters",
        "unknown", "unknown", "unknown",
    ]  # fmt: skip
    assert [row["is_control"] for row in reading.batches] == [True, True, True]


def test_sequences_start_again_at_zero_after_the_largest(tmp_path: Path) -> None:
    content = batch(MIXED[:3], producer_id=4, producer_epoch=0, base_sequence=2**31 - 2)
    assert [r["sequence"] for r in read_segment(tmp_path, content).records] == [2**31 - 2, 2**31 - 1, 0]
    assert [r["sequence"] for r in read_segment(tmp_path, batch(MIXED[:2])).records] == [-1, -1]


def test_offsets_the_cleaner_took_out_stay_out(tmp_path: Path) -> None:
    kept = [Record(b"a", b"1", offset_delta=2), Record(b"b", b"2", offset_delta=5)]
    reading = read_segment(
        tmp_path, batch(kept, 10, last_offset_delta=9) + batch([], 20, last_offset_delta=3)
    )
    assert reading.offsets == [12, 15]
    assert [(row["base_offset"], row["last_offset"]) for row in reading.batches] == [(10, 19), (20, 23)]
    assert reading.damage == []


def test_a_count_that_lies_is_no_damage_but_shows(tmp_path: Path) -> None:
    reading = read_segment(tmp_path, batch(MIXED[:3], record_count=4) + batch(MIXED[:3], 3, record_count=1))
    assert [(row["record_count"], row["records_read"]) for row in reading.batches] == [(4, 3), (1, 3)]
    assert reading.damage == []


def test_old_messages_and_batches_are_read_from_one_file(tmp_path: Path) -> None:
    reading = read_segment(tmp_path, bytes.fromhex(OLD_MESSAGES) + batch(MIXED[:2], 2))
    assert [(row["magic"], row["base_offset"], row["last_offset"]) for row in reading.batches] == [
        (1, 0, 0), (1, 1, 1), (2, 2, 3),
    ]  # fmt: skip
    assert reading.offsets == [0, 1, 2, 3]
    assert reading.damage == []


def test_splits_at_batch_borders_read_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = segment([Record(b"k%d" % n, b"v" * 50) for n in range(500)], records_per_batch=7, codec="lz4")
    whole = read_segment(tmp_path, content)
    monkeypatch.setattr(survey_module(), "SPLIT_BYTES", 1000)
    splits = source.split(input_file(tmp_path, content), 0, "steady", 3, "")
    assert len(splits) > 5
    assert [a.end for a in splits] == [*(b.start for b in splits[1:]), len(content)]
    assert read_segment(tmp_path, content).records == whole.records


def survey_module() -> object:
    import sys

    return sys.modules[survey.__module__]


def test_a_batch_belongs_to_the_split_in_which_it_starts(tmp_path: Path) -> None:
    from dataclasses import replace

    content = batch(MIXED, 0) + batch(MIXED, 6)
    (split,) = source.split(input_file(tmp_path, content), 0, "steady", 3, "")
    chunks = list(source.read(replace(split, end=1)))
    assert sum(chunk.records.num_rows for chunk in chunks if chunk.records is not None) == 6


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_chunks_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, codec: str) -> None:
    import sys

    reading = sys.modules[read.__module__]
    content = segment([Record(b"k", b"v", headers=[(b"h", b"")] * 3) for _ in range(1000)], codec=codec)
    whole = read_segment(tmp_path, content)
    for name, value in (("CHUNK_RECORDS", 30), ("CHUNK_BYTES", 4000), ("CHUNK_HEADERS", 50)):
        monkeypatch.setattr(reading, name, value)
    parts = read_segment(tmp_path, content)
    assert max(table.num_rows for table in parts.tables["records"]) <= 30
    assert parts.records == whole.records
    assert parts.batches == whole.batches


def test_a_batch_larger_than_a_chunk_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(sys.modules[read.__module__], "CHUNK_BYTES", 2000)
    content = b"".join(batch([Record(b"k", b"v" * 9000)], n, codec="zstd") for n in range(3))
    assert read_segment(tmp_path, content).offsets == [0, 1, 2]


def test_small_and_large_batches_have_the_same_checksum(tmp_path: Path) -> None:
    sizes = range(SMALL_BATCH_BYTES - 90, SMALL_BATCH_BYTES + 10)
    content = b"".join(batch([Record(None, b"x" * size)], n) for n, size in enumerate(sizes))
    reading = read_segment(tmp_path, content)
    assert all(row["crc_ok"] for row in reading.batches)
    assert {row["size_bytes"] > SMALL_BATCH_BYTES for row in reading.batches} == {True, False}
