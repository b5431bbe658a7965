"""Prints made with a decoder give the records that the segment gives."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from spark.dialects import dialects
from spark.sources import InputFile, Source
from spark.sources.dump_log_text import source
from spark.sources.log_segment import source as segments
from tests.spark.sources.prints import CORPUS, Reading, read, read_file

REAL = CORPUS / "internal-real"
BATCH = (
    "baseOffset: %d lastOffset: %d count: %d baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 "
    "partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty position: 0 "
    "CreateTime: 1700000000000 size: 200 magic: 2 compresscodec: none crc: 1 isvalid: true\n"
)
RECORD = "| offset: %d CreateTime: 1700000000000 keySize: %d valueSize: %d sequence: -1 headerKeys: []%s\n"
COMMIT = ' key: {"type":"1","data":{"group":"g","topic":"t","partition":0}} payload: '
VALUE = '{"version":"3","data":{"offset":5,"leaderEpoch":0,"metadata":"","commitTimestamp":1}}'
needs_corpus = pytest.mark.skipif(
    not REAL.is_dir(), reason="the corpus of real prints is not beside the project"
)
# What these decoders do not print.
NOT_PRINTED = {"cluster-metadata": (), "consumer-offsets": (), "transaction-state": ("startTimestamp",)}
PRINTS = sorted(REAL.glob("*/__*.decoded.txt"))


def printed(*lines: tuple[int, int, str]) -> bytes:
    """A batch of records: key size, value size, what is printed of them."""
    text = "".join(RECORD % (offset, *line) for offset, line in enumerate(lines))
    return (BATCH % (0, len(lines) - 1, len(lines)) + text).encode()


def read_path(path: Path, layout: Source) -> Reading:
    file = InputFile(path.name, str(path), path.stat().st_size)
    return read_file(layout, file)


def segment_records(folder: Path) -> dict[int, dict[str, object]]:
    paths = sorted(folder.glob("*.log"))
    return {row["offset"]: row for path in paths for row in read_path(path, segments).records}


@needs_corpus
@pytest.mark.parametrize("path", PRINTS, ids=lambda path: path.name)
def test_a_real_print_has_the_keys_nulls_and_sizes_of_its_segment(path: Path) -> None:
    real = segment_records(path.parent / path.name.removesuffix(".decoded.txt"))
    found = [row for row in read_path(path, source).records if row["control_type"] is None]
    assert found
    for row in found:
        own = real[row["offset"]]
        for name in ("key", "key_is_null", "value_is_null", "key_size_bytes", "value_size_bytes"):
            assert row[name] == own[name], (row["offset"], name)
        sizes = [None if one["value"] is None else len(one["value"]) for one in (row, own)]
        assert sizes[0] == sizes[1], row["offset"]


@needs_corpus
@pytest.mark.parametrize("path", PRINTS, ids=lambda path: path.name)
def test_a_real_print_gives_the_entries_of_its_segment(path: Path) -> None:
    kind = next(name for name in NOT_PRINTED if name in str(path))
    folder = path.parent / path.name.removesuffix(".decoded.txt")
    own = {
        row["offset"]: row for part in sorted(folder.glob("*.log")) for row in entries(part, segments, kind)
    }
    found = entries(path, source, kind)
    assert found
    for row in found:
        assert row["entity_id"] == own[row["offset"]]["entity_id"]
        assert row["entry_action"] == own[row["offset"]]["entry_action"]
        told, real = (json.loads(one["attributes"]) for one in (row, own[row["offset"]]))
        for name in NOT_PRINTED[kind]:
            told.pop(name, None), real.pop(name, None)
        assert told == real, row["offset"]


def entries(path: Path, layout: Source, kind: str) -> list[dict[str, Any]]:
    """What the dialect reads of a file."""
    interpret = dialects()[kind].interpret
    assert interpret is not None
    file = InputFile(path.name, str(path), path.stat().st_size)
    found = []
    for split in layout.split(file, 0, "?", 0, ""):
        for chunk in layout.read(split):
            found += interpret(chunk.records).to_pylist() if chunk.records is not None else []
    return found


def test_a_print_without_the_folder_is_of_the_decoders_topic(tmp_path: Path) -> None:
    found = read(source, printed((16, 24, COMMIT + VALUE)), tmp_path)
    assert found.records[0]["topic"] == found.batches[0]["topic"] == "__consumer_offsets"


@needs_corpus
def test_bytes_of_the_printed_size_are_held_against_the_checksum(tmp_path: Path) -> None:
    lines = (CORPUS / "pasted/29-offsets-decoder-head.txt").read_bytes().partition(b"\n")[2]
    found = read(source, lines.replace(b"\n\n", b"\n"), tmp_path)
    told = [batch for batch in found.batches if batch["crc_computed"] is not None]
    assert told
    assert [batch["crc_computed"] for batch in told] == [batch["crc_stored"] for batch in told]


def test_a_deletion_is_a_tombstone(tmp_path: Path) -> None:
    found = read(source, printed((16, 24, COMMIT + VALUE), (16, -1, COMMIT + "<DELETE>")), tmp_path)
    assert found.column("value_is_null") == [False, True]
    assert found.records[0]["key"] == found.records[1]["key"] == b"\0\1\0\1g\0\1t\0\0\0\0"


@pytest.mark.parametrize(
    "text", ["Error at offset 1, skipping. odd", "Unknown record type 99 at offset 1, skipping."]
)
def test_a_record_that_the_decoder_could_not_read_is_told_with_its_offset(tmp_path: Path, text: str) -> None:
    found = read(
        source,
        printed((16, 24, COMMIT + VALUE), (30, 40, f" key: {text}"), (16, 24, COMMIT + VALUE)),
        tmp_path,
    )
    assert found.column("offset") == [0, 2]
    assert [(row["first_offset"], row["reason"]) for row in found.damage] == [(1, "bad_line")]
    assert text[:20] in found.damage[0]["detail"]


def test_the_last_line_needs_no_line_feed(tmp_path: Path) -> None:
    line = " key: offset_commit::group=g,partition=t-0 payload: offset=1"
    found = read(source, printed((16, 24, line)).rstrip(b"\n"), tmp_path)
    assert (len(found.records), found.damage) == (1, [])
    assert found.records[0]["value"][:10] == b"\0\3" + (1).to_bytes(8, "big")


def test_an_event_of_tiered_storage_in_another_form_is_reported(tmp_path: Path) -> None:
    remote = " payload: RemoteLogSegmentMetadata{remoteLogSegmentId=RemoteLogSegmentId{}}"
    found = read(source, printed((-1, 150, remote), (-1, 150, remote)), tmp_path)
    assert (found.records, [row["first_offset"] for row in found.damage]) == ([], [0, 1])
    assert "its output cannot be rebuilt" in found.damage[0]["detail"]


def test_records_of_share_groups_and_of_tiered_storage_are_read_back(tmp_path: Path) -> None:
    state = ' key: {"type":"0","data":{"groupId":"g","topicId":"ywkgJzfISRGP0UN2q1Y88A","partition":0}} payload: <DELETE>'
    found = read(source, printed((25, -1, state)), tmp_path)
    assert found.records[0]["key"][:5] == b"\0\0\0\1g"
    assert found.column("topic") == ["__share_group_state"]
    event = " payload: RemotePartitionDeleteMetadata{topicPartition=EsUA7Qt4eRBftGrw8ka-hw:orders-3, state=DELETE_PARTITION_MARKED, eventTimestampMs=1707350400000, brokerId=1}"
    found = read(source, printed((-1, 45, event)), tmp_path)
    assert (len(found.records[0]["value"]), found.column("topic")) == (45, ["__remote_log_metadata"])
    assert found.records[0]["key_is_null"]


def test_a_plain_topic_that_holds_such_json_keeps_it(tmp_path: Path) -> None:
    key = '{"type":"1","data":{"group":"g","topic":"t","partition":0}}'
    found = read(source, printed((len(key), len(VALUE), COMMIT + VALUE)), tmp_path)
    assert (found.records[0]["key"], found.records[0]["value"]) == (key.encode(), VALUE.encode())


def bare(*lines: str, base: int = 0, last: int | None = None, count: int | None = None) -> bytes:
    """A batch printed with --skip-record-metadata."""
    head = BATCH % (
        base,
        base + len(lines) - 1 if last is None else last,
        len(lines) if count is None else count,
    )
    return (head + "".join(f"{line}\n" for line in lines)).encode()


def test_records_without_offsets_are_numbered_within_their_batch(tmp_path: Path) -> None:
    content = bare("| key: a payload: 1", "| key: b", base=7) + bare(" payload: x\ny", "| payload: z", base=9)
    found = read(source, content, tmp_path)
    assert found.column("offset") == [7, 8, 9, 10]
    assert [(row["key"], row["value"]) for row in found.records] == [
        (b"a", b"1"),
        (b"b", None),
        (None, b"x\ny"),
        (None, b"z"),
    ]
    assert found.column("value_is_null") == [False, True, False, False]
    assert found.column("timestamp_ms") == [None] * 4
    assert (found.damage, len(found.batches)) == ([], 2)
    assert "offsets are counted within each batch" in found.note
    assert "not certain" not in found.note


def test_the_batchs_time_is_that_of_its_records_where_it_can_be_no_other(tmp_path: Path) -> None:
    two, one = bare("| key: a payload: 1", "| key: b payload: 2"), bare("| key: c payload: 3", base=2)
    time = re.compile(rb"CreateTime: (\d+)")
    (milliseconds,) = set(map(int, time.findall(one)))
    found = read(source, two + one + time.sub(rb"LogAppendTime: \1", two), tmp_path)
    assert found.column("timestamp_ms") == [None, None, *[milliseconds] * 3]
    assert found.column("timestamp_type")[2:] == ["create", "log_append", "log_append"]


@pytest.mark.parametrize(("last", "count"), [(5, 2), (2, 3)], ids=["cleaned", "one is an empty line"])
def test_offsets_that_cannot_be_certain_are_told(tmp_path: Path, last: int, count: int) -> None:
    found = read(source, bare("| key: a payload: 1", "| key: b payload: 2", last=last, count=count), tmp_path)
    assert found.column("offset") == [0, 1]
    assert "The offsets of 2 records are not certain" in found.note


def test_a_decoders_text_is_read_back_without_sizes_too(tmp_path: Path) -> None:
    found = read(source, bare("|" + COMMIT + VALUE, "|" + COMMIT + "<DELETE>"), tmp_path)
    assert found.records[0]["key"] == b"\0\1\0\1g\0\1t\0\0\0\0"
    assert (found.records[0]["value_size_bytes"], found.column("value_is_null")) == (24, [False, True])


def test_records_without_their_batches_are_read(tmp_path: Path) -> None:
    content = (RECORD % (5, 1, 1, " key: k payload: v")).encode()
    found = read(source, content * 2, tmp_path)
    assert (found.column("offset"), found.batches) == ([5, 5], [])
