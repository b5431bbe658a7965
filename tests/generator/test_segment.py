"""Batches are byte for byte those of real brokers, and independent decoders read them back."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from aiokafka.record import MemoryRecords as AiokafkaRecords
from kafka.record import MemoryRecords as KafkaPythonRecords

from tests.generator.segment import Codec, Record, batch, marker, segment, segment_name, varint

# Batches of live brokers, found in the test suites of kafka-python and of Kafka's clients in other languages.
LIVE_BATCHES = {
    "with a header": (
        "00000000000000000000004500000000025cd8ef520000000000000000016585b6f3c10000016585b6f3c1ffffffffffff"
        "ffffffffffffffff000000012600000001066864720208686b6579086876616c"
    ),
    "plain": (
        "00000000000000000000003b00000001020318a2700000000000000000015dff7b063c0000015dff7b063cffffffffffff"
        "ffffffffffffffff0000000112000000010631323300"
    ),
    "transactional": (
        "00000000000000000000008600000000027b372ff200100000000400000187997074a900000187997074b9000000000000"
        "000000000000000000000005200000000230123837333334333738330020001c0202311232303239373734333100200020"
        "040232123638303338323937300020002006023312383833353235373338002000200802341231333831353837363800"
    ),
    "with a delete horizon": (
        "00000000000000480000005a00000020022f2787600040000000010000019652e3549d000001962499faacffffffffffff"
        "ffffffff00000000000000015000e1e7cae405023c0002001a61646d696e536572766963654265636f6d696e67416e7377"
        "65720100"
    ),
}
LIVE_COMMIT = (
    "000000000000000500000042000000"
    "0002db5fa0b70030000000000000018799709189000001879970918900000000000000000000ffffffff00000001200000"
    "0008000000010c00000000000000"
)
LIVE_ABORT = (
    "0000000000000005000000420000000002d80ab53600300000000000000187997eae4b00000187997eae4b000000000000"
    "00010001ffffffff000000012000000008000000000c00000000000000"
)
CODECS = list(get_args(Codec))
RECORDS = [
    Record(b"payment-1", b'{"state":"open"}' * 300, 1_700_000_000_000, [(b"trace", b"1"), (b"trace", None)]),
    Record(b"payment-1", None, 1_700_000_000_700),
    Record(None, b"", 1_699_999_999_999, offset_delta=7),
]


@pytest.mark.parametrize("live", LIVE_BATCHES.values(), ids=LIVE_BATCHES.keys())
def test_what_was_read_from_a_live_batch_gives_its_bytes_again(live):
    found: Any = KafkaPythonRecords(bytes.fromhex(live)).next_batch()
    records = [
        Record(
            read.key,
            read.value,
            read.timestamp,
            [(name.encode(), value) for name, value in read.headers],
            read.offset - found.base_offset,
        )
        for read in found
    ]
    has_delete_horizon = bool(found.attributes & 0x40)
    written = batch(
        records,
        found.base_offset,
        producer_id=found.producer_id,
        producer_epoch=found.producer_epoch,
        base_sequence=found.base_sequence,
        leader_epoch=found.leader_epoch,
        transactional=found.is_transactional,
        delete_horizon_ms=found.first_timestamp if has_delete_horizon else None,
        last_offset_delta=found.last_offset_delta,
    )
    assert written.hex() == live


def test_a_marker_is_as_a_coordinator_wrote_it():
    assert marker("commit", 5, 0, 0, timestamp_ms=0x18799709189).hex() == LIVE_COMMIT
    assert marker("abort", 5, 1, 1, timestamp_ms=0x187997EAE4B).hex() == LIVE_ABORT


@pytest.mark.parametrize("codec", CODECS)
def test_aiokafka_reads_back_what_was_written(codec):
    written = batch(RECORDS, 1000, codec=codec, producer_id=4, producer_epoch=2, base_sequence=9)
    read = AiokafkaRecords(written)
    found = read.next_batch()
    assert found.validate_crc()
    assert (found.base_offset, found.producer_id, found.producer_epoch) == (1000, 4, 2)
    assert [(r.offset, r.timestamp, r.key, r.value) for r in found] == [
        (1000, 1_700_000_000_000, b"payment-1", RECORDS[0].value),
        (1001, 1_700_000_000_700, b"payment-1", None),
        (1007, 1_699_999_999_999, None, b""),
    ]
    assert not read.has_next()


@pytest.mark.parametrize("codec", [codec for codec in CODECS if "snappy" not in codec])
def test_kafka_python_reads_back_what_was_written(codec):
    found: Any = KafkaPythonRecords(batch(RECORDS, 5, codec=codec, leader_epoch=3)).next_batch()
    assert found.validate_crc()
    assert (found.leader_epoch, found.records_count) == (3, 3)
    records = list(found)
    assert [r.key for r in records] == [b"payment-1", b"payment-1", None]
    assert list(records[0].headers) == [("trace", b"1"), ("trace", None)]


def test_the_log_append_time_is_every_record_s_time():
    found: Any = KafkaPythonRecords(batch(RECORDS, log_append_time_ms=1_700_000_009_000)).next_batch()
    assert {(r.timestamp, r.timestamp_type) for r in found} == {(1_700_000_009_000, 1)}


def test_a_batch_the_cleaner_emptied_is_only_a_header():
    emptied = batch([], 40, last_offset_delta=2, producer_id=6, producer_epoch=1, base_sequence=0)
    assert len(emptied) == 61
    assert emptied[-4:] == bytes(4)


@pytest.mark.parametrize(
    ("number", "encoded"),
    [(0, "00"), (-1, "01"), (1, "02"), (63, "7e"), (64, "8001"), (-(2**63), "ffffffffffffffffff01")],
)
def test_numbers_are_zigzag_and_base_128(number, encoded):
    assert varint(number).hex() == encoded


def test_gaps_between_records_stay_gaps_in_a_segment():
    records = [Record(b"k", b"v", offset_delta=delta) for delta in (0, 1, 9, 10, 30)]
    read = AiokafkaRecords(segment(records, 500, records_per_batch=2))
    offsets = []
    while read.has_next():
        offsets.extend(record.offset for record in read.next_batch())
    assert offsets == [500, 501, 509, 510, 530]


def test_a_segment_is_named_for_its_first_offset():
    assert segment_name(170_210) == "00000000000000170210.log"
