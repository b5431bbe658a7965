"""Lines of kafka-dump-log of which somebody left members out: what is there is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources.dump_log_text import source
from spark.sources.dump_log_text.beginnings import BEGINS
from tests.spark.sources._wrapping.sorted_texts import DUMPING, batch
from tests.spark.sources.prints import Reading, read

MARKS = ("...", "..", "…", "[...]", "(…)", "<snip>", "[omitted]")
SHORT_BATCH = (
    "baseOffset: 3 lastOffset: 9 count: 1 %s deleteHorizonMs: OptionalLong[1709000000000] %s isvalid: true"
)
RECORD = "| offset: 7 CreateTime: 1709000000000 keySize: 1 valueSize: 2 %s key: k payload: {}"


def read_lines(folder: Path, *lines: str | bytes) -> Reading:
    content = [line.encode() if isinstance(line, str) else line for line in lines]
    return read(source, DUMPING + b"\n" + b"\n".join(content) + b"\n", folder)


@pytest.mark.parametrize("mark", MARKS)
def test_members_that_are_there_are_read_and_the_others_are_unknown(mark: str, tmp_path: Path) -> None:
    found = read_lines(tmp_path, SHORT_BATCH % (mark, mark), RECORD % mark)
    [row] = found.batches
    assert found.damage == []
    assert (row["base_offset"], row["last_offset"], row["record_count"], row["records_read"]) == (3, 9, 1, 1)
    assert row["delete_horizon_ms"] == 1709000000000
    assert [row[name] for name in ("size_bytes", "crc_stored", "codec", "producer_id", "leader_epoch")] == [
        None
    ] * 5
    [record] = found.records
    assert (record["offset"], record["key"], record["value"], record["headers"]) == (7, b"k", b"{}", None)


def test_a_value_that_ends_with_dots_is_unknown(tmp_path: Path) -> None:
    line = "baseOffset: 3 lastOffset: 3 count: 1 crc: 12... producerId: 4… position: 8 size: ... magic: 2"
    [row] = read_lines(tmp_path, line).batches
    assert (row["crc_stored"], row["producer_id"], row["size_bytes"], row["position"]) == (
        None,
        None,
        None,
        8,
    )


def test_sizes_that_were_left_out_are_those_of_the_text(tmp_path: Path) -> None:
    [record] = read_lines(tmp_path, "| offset: 7 CreateTime: 1709000000000 ... key: kk payload: {}").records
    assert (record["key"], record["key_size_bytes"], record["value_size_bytes"]) == (b"kk", 2, 2)


def test_a_marker_is_whole_without_its_sizes(tmp_path: Path) -> None:
    line = "| offset: 7 ... sequence: -1 headerKeys: [] endTxnMarker: ABORT coordinatorEpoch: 3"
    found = read_lines(tmp_path, "| offset: 6 ... headerKeys: [] key: k payload: v", line)
    assert [(row["control_type"], row["key"]) for row in found.records] == [
        (None, b"k"),
        ("abort", b"\0\0\0\0"),
    ]
    assert found.damage == []


@pytest.mark.parametrize(
    "line",
    [
        "| offset: 7 CreateTime: 1709000000000 ... key: kk",  # whether it has a value is not known
        "baseOffset: 7 ... count: 1 ... isvalid: true",
        "| offset: ... CreateTime: 1709000000000 keySize: 1 valueSize: -1 ... key: k",
    ],
)
def test_what_does_not_tell_enough_stays_unreadable(line: str, tmp_path: Path) -> None:
    found = read_lines(tmp_path, batch(0), line, batch(2))
    assert len(found.records) == 2
    assert [row["reason"] for row in found.damage] == ["bad_line"]


def test_a_batch_without_position_stands_behind_the_one_before_it(tmp_path: Path) -> None:
    found = read_lines(tmp_path, batch(0), "baseOffset: 1 lastOffset: 1 ... isvalid: true", batch(2))
    assert [(row["position"], row["size_bytes"]) for row in found.batches] == [(0, 70), (70, None), (140, 70)]


def test_brackets_of_headers_are_no_mark(tmp_path: Path) -> None:
    line = "| offset: 7 CreateTime: 1709000000000 keySize: 1 valueSize: -1 sequence: -1 headerKeys: [snip] key: k"
    [record] = read_lines(tmp_path, line).records
    assert record["headers"] == [{"key": b"snip", "value": None}]


@pytest.mark.parametrize(
    "line", [SHORT_BATCH % ("...", "…"), "baseOffset: 3 lastOffset: 4 ...", RECORD % "<snip>"]
)
def test_shortened_lines_begin_a_print(line: str) -> None:
    assert BEGINS.match(line.encode())
