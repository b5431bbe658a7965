from pathlib import Path

import pytest

from spark.sources import InputFile
from spark.sources.dump_log_batches import source
from spark.sources.log_segment import source as segment_source
from tests.spark.sources.prints import LAYOUTS, read, read_file, recognised

BATCH = (
    b"baseOffset: 0 lastOffset: 1 count: 2 baseSequence: 4 lastSequence: 5 producerId: 9 producerEpoch: 1 "
    b"partitionLeaderEpoch: 7 isTransactional: true isControl: false deleteHorizonMs: OptionalLong[1790510504371] "
    b"position: 0 LogAppendTime: 1680383687941 size: 82 magic: 2 compresscodec: zstd crc: 2785707995 isvalid: true\n"
)
RECORDS = (
    b"| offset: 0 LogAppendTime: 1680383687941 keySize: 1 valueSize: 1 sequence: 4 headerKeys: []\n"
    b"| offset: 1 LogAppendTime: 1680383687941 keySize: -1 valueSize: -1 sequence: 5 headerKeys: []\n"
)
COMPANIONS = (
    b"Dumping /d/orders-3/00000000000000000500.index\noffset: 555 position: 4150\noffset: 600 position: 8300\n"
    b"Dumping /d/orders-3/00000000000000000500.timeindex\ntimestamp: 1680383687941 offset: 555\n"
    b"Dumping /d/orders-3/00000000000000000500.txnindex\n"
    b"version: 0 producerId: 9 firstOffset: 510 lastOffset: 520 lastStableOffset: 521\n"
    b"Dumping /d/orders-3/00000000000000000700.snapshot\n"
    b"producerId: 9 producerEpoch: 1 coordinatorEpoch: 0 currentTxnFirstOffset: %s "
    b"lastTimestamp: 1680383687941 firstSequence: 4 lastSequence: 5 lastOffset: 601 offsetDelta: 1 timestamp: 1680383687941\n"
    b"Dumping /d/orders-3/00000000000000000000.index\n/d/orders-3/00000000000000000000.index is empty.\n"
)
PLACE = {"topic": "orders", "partition": 3, "replica": "", "file": 7}
needs_corpus = pytest.mark.skipif(
    not LAYOUTS.is_dir(), reason="the corpus of real prints is not beside the project"
)


@pytest.mark.parametrize(
    "content", [BATCH, BATCH + RECORDS, COMPANIONS % b"None"], ids=["plain", "deep", "companions"]
)
def test_prints_without_contents_are_this_layout_and_no_other(tmp_path: Path, content: bytes) -> None:
    assert {name for name, answer in recognised(content, tmp_path).items() if answer.matches} == {source.id}


def test_a_batch_is_read_and_its_records_are_not(tmp_path: Path) -> None:
    found = read(source, b"Dumping /d/orders-3/00000000000000000000.log\n" + BATCH + RECORDS, tmp_path)
    assert (found.records, found.damage) == ([], [])
    assert found.batches == [
        {
            **PLACE,
            "position": 0,
            "size_bytes": 82,
            "base_offset": 0,
            "last_offset": 1,
            "magic": 2,
            "codec": "zstd",
            "timestamp_type": "log_append",
            "base_timestamp_ms": None,
            "max_timestamp_ms": 1680383687941,
            "delete_horizon_ms": 1790510504371,
            "leader_epoch": 7,
            "producer_id": 9,
            "producer_epoch": 1,
            "base_sequence": 4,
            "is_transactional": True,
            "is_control": False,
            "record_count": 2,
            "records_read": None,
            "crc_stored": 2785707995,
            "crc_computed": None,
            "crc_ok": True,
        }
    ]


@pytest.mark.parametrize(
    ("printed", "first"),
    [(b"None", None), (b"Some(510)", 510), (b"OptionalLong.empty", None), (b"OptionalLong[510]", 510)],
)
def test_companions_fill_their_tables(tmp_path: Path, printed: bytes, first: int | None) -> None:
    found = read(source, COMPANIONS % printed, tmp_path)
    entry = {**PLACE, "base_offset": 500, "timestamp_ms": None}
    [checked] = found.others.pop("properties")
    assert (checked["name"], checked["partition"]) == ("kafka-dump-log", 3)
    assert '"kind": "empty"' in checked["value"]
    assert found.others == {
        "index_entries": [
            {**entry, "kind": "offset", "offset": 555, "position_bytes": 4150},
            {**entry, "kind": "offset", "offset": 600, "position_bytes": 8300},
            {**entry, "kind": "time", "offset": 555, "position_bytes": None, "timestamp_ms": 1680383687941},
        ],
        "aborted_txns": [
            {**PLACE, "base_offset": 500, "producer_id": 9, "first_offset": 510, "last_offset": 520, "last_stable_offset": 521}
        ],
        "producer_states": [
            {
                **PLACE,
                "snapshot_offset": 700,
                "producer_id": 9,
                "producer_epoch": 1,
                "last_sequence": 5,
                "last_offset": 601,
                "offset_delta": 1,
                "timestamp_ms": 1680383687941,
                "coordinator_epoch": 0,
                "current_txn_first_offset": first,
            }
        ],
    }  # fmt: skip
    assert found.damage == []


@needs_corpus
@pytest.mark.parametrize(
    "version", ["1.1.1-plain", "2.8.1-companions", "3.9.1-plain", "4.1.1-deep-iteration"]
)
def test_batches_equal_those_of_the_segment(version: str) -> None:
    path = LAYOUTS / "text" / f"dump-log-{version}.txt"
    found = read_file(source, InputFile(path.name, str(path), path.stat().st_size))
    segment = LAYOUTS / "sample-0" / "00000000000000000000.log"
    expected = read_file(
        segment_source, InputFile(segment.name, str(segment), segment.stat().st_size)
    ).batches
    untold = {"topic", "base_timestamp_ms", "crc_computed", "records_read"}
    untold |= {"is_control", "record_count"} if version.startswith("1") else set()
    names = set(expected[0]) - untold
    assert [{n: row[n] for n in names} for row in found.batches] == [
        {n: row[n] for n in names} for row in expected
    ]
    assert (found.records, found.damage) == ([], [])


@pytest.mark.parametrize(
    "content",
    [
        b"Dumping /d/orders-3/00000000000000000000.index\n",
        b"Dumping /d/orders-3/00000000000000000000.index\n/d/orders-3/00000000000000000000.index passed sanity check.\n",
        b"Dumping /d/o-3/00000000000000000000.index\nMismatches in :/d/o-3/00000000000000000000.index\n  Index offset: 5, log offset: 6\n",
    ],
    ids=["verified", "sanity check", "mismatch"],
)
def test_a_print_of_checks_alone_is_this_layout(tmp_path: Path, content: bytes) -> None:
    assert {name for name, answer in recognised(content, tmp_path).items() if answer.matches} == {source.id}
    assert len(read(source, content, tmp_path).others["properties"]) == 1
