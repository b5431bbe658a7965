"""Batches whose header and records disagree while the checksum agrees."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from spark.detectors.bytes import record_count_mismatch
from spark.tables import BATCHES, FILES
from tests.builders import given_tables
from tests.generator import legacy
from tests.generator.segment import BatchHeader, Record, batch, compress

RECORDS = [Record(b"key", b"value") for _ in range(3)]
PARTS = [batch(RECORDS, n * 3) for n in range(6)]


@pytest.fixture
def found(inspect: Any) -> Any:
    return lambda *parts: inspect({0: b"".join(parts)})


@pytest.mark.parametrize("count", [2, 4])
def test_a_count_that_lies_is_one_critical_finding(found: Any, count: int) -> None:
    (finding,) = found(PARTS[0], batch(RECORDS, 3, record_count=count), PARTS[2])
    assert (finding.detector, finding.severity) == ("record-count-mismatch", "critical")
    assert (finding.first_offset, finding.last_offset, finding.evidence) == (3, 5, [3])
    assert f"declares {count} records, but 3 could be read" in finding.explanation
    assert finding.remedy.startswith(
        "1. Warning: do not restart the broker before this copy is complete. Copy the whole partition folder"
    )
    # With a count of 4, consumers get all 3 records: their position is 6 already.
    command = "--group GROUP --topic steady:0 --reset-offsets --to-offset 6 --execute"
    assert ("Seek the Java consumers of steady-0 to offset 6" in finding.remedy) == (count == 2)
    assert (command in finding.remedy) == (count == 4)
    assert ("until they seek to offset 6" in finding.explanation) == (count == 2)


def test_a_java_consumer_gets_what_lies_before_the_missing_record_and_no_record_is_skipped(
    found: Any,
) -> None:
    (finding,) = found(PARTS[0], batch(RECORDS, 3, record_count=4), PARTS[2])
    assert finding.title.startswith("Java consumers of steady-0 fail after offset 5: ")
    assert "get offsets 3-5 and then fail" in finding.explanation
    assert "Warning: this skips" not in finding.remedy


def test_it_fails_at_the_last_declared_record_if_others_follow(found: Any) -> None:
    (finding,) = found(PARTS[0], batch(RECORDS, 3, record_count=2), PARTS[2])
    assert finding.title.startswith("Java consumers of steady-0 fail after offset 3: ")
    assert "Warning: this skips offsets 4-5" in finding.remedy


def test_a_batch_that_declares_no_record_is_skipped_without_an_error(found: Any) -> None:
    (finding,) = found(PARTS[0], batch(RECORDS, 3, record_count=0), PARTS[2])
    assert finding.title.startswith("Java consumers of steady-0 skip offsets 3-5: ")


def test_the_right_count_is_no_finding(found: Any) -> None:
    assert found(*PARTS) == []


def test_compaction_lowers_the_count_and_is_innocent(found: Any) -> None:
    kept = [Record(b"a", b"1", offset_delta=2), Record(b"b", b"2", offset_delta=5)]
    emptied = batch([], 10, last_offset_delta=9, producer_id=4, producer_epoch=0)
    assert found(batch(kept, 0, last_offset_delta=9), emptied, legacy.wrapper(kept, 20)) == []


def test_bytes_behind_the_last_record_are_found_though_the_count_is_right(found: Any) -> None:
    records = batch(RECORDS)[61:]
    (finding,) = found(BatchHeader(0, 2, 0, 0, 0, 3).before(records + b"\x02\x00"), PARTS[1])
    assert (finding.detector, finding.first_offset, finding.last_offset) == ("record-count-mismatch", 0, 2)
    assert "do not parse after 3 of 3" in finding.explanation


def test_a_size_inside_that_runs_past_the_end(found: Any) -> None:
    plain = bytearray(batch(RECORDS)[61:])
    plain[-7] = 0x7E  # the size of the last value
    broken = BatchHeader(0, 2, 3, 0, 0, 3).before(compress(bytes(plain), "lz4"))
    (finding,) = found(broken, PARTS[1])
    assert finding.detector == "record-count-mismatch"
    assert "2 could be read" in finding.explanation


def test_an_offset_behind_the_batch_s_last_one(found: Any) -> None:
    (finding,) = found(batch([Record(b"k", b"v", offset_delta=5)], 0, last_offset_delta=2), PARTS[1])
    assert (finding.detector, finding.first_offset, finding.last_offset) == ("record-count-mismatch", 0, 2)


def test_a_wrapper_whose_messages_do_not_parse(found: Any) -> None:
    inner = bytearray(legacy.message(RECORDS[0], 0))
    inner[8:12] = struct.pack(">i", 4000)
    outer = legacy.message(Record(None, legacy.packed(bytes(inner), "gzip", 1)), 0, attributes=1)
    (finding,) = found(outer, legacy.message(RECORDS[0], 1))
    assert (finding.detector, finding.first_offset) == ("record-count-mismatch", 0)


def test_a_wrong_checksum_is_not_its_business(found: Any) -> None:
    changed = bytearray(batch(RECORDS, 3))
    changed[60] ^= 1  # the count
    (finding,) = found(PARTS[0], bytes(changed), PARTS[2])
    assert finding.detector == "crc-mismatch"


def test_a_wrong_checksum_inside_a_wrapper_is_crc_mismatch(found: Any) -> None:
    (finding,) = found(legacy.wrapper(RECORDS, 0, bad_inner=1), legacy.wrapper(RECORDS, 3))
    assert (finding.detector, finding.first_offset, finding.last_offset) == ("crc-mismatch", 0, 2)
    assert "the checksum of a message inside it is not" in finding.explanation


def test_a_changed_message_of_an_old_format_is_crc_mismatch(found: Any) -> None:
    changed = bytearray(legacy.message(RECORDS[0], 1))
    changed[-1] ^= 4
    (finding,) = found(legacy.message(RECORDS[0], 0), bytes(changed), legacy.message(RECORDS[0], 2))
    assert (finding.detector, finding.first_offset, finding.last_offset) == ("crc-mismatch", 1, 1)
    assert "stored checksum (CRC-32, stored" in finding.explanation


def test_what_does_not_decompress_is_unreadable_bytes_alone(found: Any) -> None:
    (finding,) = found(BatchHeader(0, 1, 4, 0, 0, 2).before(b"no zstd frame"), PARTS[1])
    assert finding.detector == "unreadable-bytes"


def test_neighbours_are_one_finding_others_their_own(found: Any) -> None:
    bad = [batch(RECORDS, n * 3, record_count=9) for n in range(6)]
    findings = found(PARTS[0], bad[1], bad[2], PARTS[3], bad[4])
    assert [(f.first_offset, f.last_offset) for f in findings] == [(3, 8), (12, 14)]
    assert "2 record batches" in findings[0].title


def test_batches_of_a_layout_that_prints_no_records_are_not_meant() -> None:
    row = {
        "topic": "t",
        "partition": 0,
        "replica": "",
        "file": 0,
        "position": 0,
        "size_bytes": 90,
        "base_offset": 0,
    }
    printed = {**row, "last_offset": 4, "record_count": 5, "records_read": 0, "crc_ok": True}
    tables = {
        "batches": BATCHES.schema.empty_table().from_pylist([printed], schema=BATCHES.schema),
        "files": FILES.schema.empty_table().from_pylist(
            [{"file": 0, "name": "dump.txt", "kind": "export"}], schema=FILES.schema
        ),
    }
    assert list(record_count_mismatch.detector.find(given_tables(tables))) == []
