import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from spark.sources import InputFile
from spark.sources.dump_log_text import source
from spark.sources.dump_log_text.read import read as read_split
from spark.sources.dump_log_text.windows import borders
from spark.sources.log_segment import source as segment_source
from tests.spark.sources.prints import CORPUS, LAYOUTS, Reading, read, read_file, recognised, saved

DUMPING = b"Dumping /var/kafka/orders-3/00000000000000000040.log\nLog starting offset: 40\n"
BATCH = (
    b"baseOffset: %d lastOffset: %d count: %d baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 "
    b"partitionLeaderEpoch: 7 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty "
    b"position: %d CreateTime: 1680383687941 size: 82 magic: 2 compresscodec: none crc: 2785707995 isvalid: true\n"
)
RECORD = b"| offset: %d CreateTime: 1680383687941 keySize: %d valueSize: %d sequence: -1 headerKeys: [%s]"
needs_corpus = pytest.mark.skipif(
    not LAYOUTS.is_dir(), reason="the corpus of real prints is not beside the project"
)


def batch(offset: int, count: int = 1, position: int = 0) -> bytes:
    return BATCH % (offset, offset + count - 1, count, position)


def record(
    offset: int, key: bytes | None = b"k", value: bytes | None = b"v", headers: bytes = b"", **sizes: int
) -> bytes:
    key_size = sizes.get("key_size", -1 if key is None else len(key))
    value_size = sizes.get("value_size", -1 if value is None else len(value))
    line = RECORD % (offset, key_size, value_size, headers)
    line += b"" if key is None else b" key: " + key
    return line + (b"" if value is None else b" payload: " + value) + b"\n"


def printed(*lines: bytes) -> bytes:
    return DUMPING + b"".join(lines)


def test_a_record_line_becomes_a_record(tmp_path: Path) -> None:
    found = read(source, printed(batch(41), record(41, b"key", b"value", b"trace,id")), tmp_path)
    assert found.damage == []
    assert found.records == [
        {
            "topic": "orders",
            "partition": 3,
            "replica": "",
            "file": 7,
            "offset": 41,
            "batch_position": 0,
            "timestamp_ms": 1680383687941,
            "timestamp_type": "create",
            "key": b"key",
            "value": b"value",
            "key_is_null": False,
            "value_is_null": False,
            "key_size_bytes": 3,
            "value_size_bytes": 5,
            "headers": [{"key": b"trace", "value": None}, {"key": b"id", "value": None}],
            "control_type": None,
            "producer_id": -1,
            "producer_epoch": -1,
            "sequence": -1,
        }
    ]


def test_a_compressed_message_that_was_not_opened_is_no_record(tmp_path: Path) -> None:
    line = b"offset: %d position: %d CreateTime: 9 isvalid: true payloadsize: %d magic: 1 compresscodec: %s crc: 7%s\n"
    content = line % (0, 0, 1, b"NONE", b" keysize: 1 key: k payload: v")
    content += line % (4, 35, 4, b"GZIP", b" payload: \x1f\n b") + line % (5, 90, 1, b"NONE", b" payload: v")
    found = read(source, content, tmp_path)
    assert [(row["offset"], row["key"], row["value"]) for row in found.records] == [
        (0, b"k", b"v"),
        (5, None, b"v"),
    ]
    assert [(row["last_offset"], row["size_bytes"], row["records_read"]) for row in found.batches] == [
        (0, 35, 1), (4, 55, 0), (5, None, 1),
    ]  # fmt: skip
    assert (found.batches[1]["codec"], found.damage) == ("gzip", [])
    assert "1 compressed message printed without --deep-iteration" in found.note


@pytest.mark.parametrize("value", [None, b"", b"null"], ids=["null", "empty", "the word null"])
def test_null_empty_and_the_word_null_stay_apart(tmp_path: Path, value: bytes | None) -> None:
    found = read(source, printed(batch(0), record(0, value, value)), tmp_path).records[0]
    assert (found["key"], found["key_is_null"]) == (value, value is None)
    assert (found["value"], found["value_is_null"]) == (value, value is None)


@pytest.mark.parametrize(
    "value",
    [
        b"one\ntwo\r\nthree",
        b"\n",
        b"a\n" + batch(7) + record(7, b"x", b"y"),
        b"a payload: b",
        b"Dumping /x/y-1/00000000000000000000.log",
        b"\nDumping /x/y-1/00000000000000000000.log\nStarting offset: 0",
    ],
    ids=[
        "lines",
        "line feed",
        "a whole batch",
        "a word of the line",
        "a heading",
        "a heading between line feeds",
    ],
)
def test_what_looks_like_the_print_but_lies_within_a_size_is_payload(tmp_path: Path, value: bytes) -> None:
    content = printed(batch(40, 2), record(40, value, value), record(41), batch(42, position=99), record(42))
    found = read(source, content, tmp_path)
    assert found.column("offset") == [40, 41, 42]
    assert (found.records[0]["key"], found.records[0]["value"]) == (value, value)
    assert {row["topic"] for row in found.records} == {"orders"}
    assert found.damage == []


def test_replaced_bytes_do_not_hide_the_end_and_are_told(tmp_path: Path) -> None:
    key, value = "\ufffd\ufffdk".encode(), "caf\ufffd\nsecond \ufffd line".encode()
    content = printed(batch(0, 2), record(0, key, value, key_size=3, value_size=len(value) - 4), record(1))
    found = read(source, content, tmp_path)
    assert [(row["key"], row["value"]) for row in found.records] == [(key, value), (b"k", b"v")]
    assert found.records[0]["key_size_bytes"] == 3
    assert "1 record with U+FFFD" in found.note


def test_text_of_another_size_that_is_no_known_decoders_stays_text(tmp_path: Path) -> None:
    found = read(
        source, printed(batch(0, 2), record(0, b"5", b"17", key_size=4, value_size=8), record(1)), tmp_path
    )
    assert [(row["key"], row["value"]) for row in found.records] == [(b"5", b"17"), (b"k", b"v")]
    assert "1 record whose text differs in size" in found.note


@pytest.mark.parametrize(
    ("line", "control_type", "key", "value"),
    [
        (b" endTxnMarker: COMMIT coordinatorEpoch: 4\n", "commit", b"\0\0\0\1", b"\0\0\0\0\0\4"),
        (b" endTxnMarker: ABORT coordinatorEpoch: 0\n", "abort", b"\0\0\0\0", b"\0\0\0\0\0\0"),
        (b" controlType: LEADER_CHANGE(2)\n", "leader_change", b"\0\0\0\2", None),
        (b' SnapshotHeader {"version":0}\n', "snapshot_header", b"\0\0\0\3", None),
        (b' KRaftVoters {"voters":[]}\n', "kraft_voters", b"\0\0\0\6", None),
    ],
)
def test_markers_get_their_bytes_back(
    tmp_path: Path, line: bytes, control_type: str, key: bytes, value: bytes | None
) -> None:
    content = printed(batch(0), record(0), batch(1, position=70), RECORD % (1, 4, 6, b"") + line)
    found = read(source, content, tmp_path).records[1]
    assert (found["control_type"], found["key"], found["value"]) == (control_type, key, value)


def test_invalid_bytes_at_the_end_are_damage_behind_the_last_batch(tmp_path: Path) -> None:
    remark = b"Found 40 invalid bytes at the end of 00000000000000000040.log\n"
    found = read(source, printed(batch(0, position=100), record(0), remark), tmp_path)
    assert [(row["reason"], row["position"], row["size_bytes"]) for row in found.damage] == [
        ("truncated", 182, 40)
    ]


def test_an_exception_says_that_nothing_behind_was_printed(tmp_path: Path) -> None:
    trace = (
        b'Exception in thread "main" org.apache.kafka.common.errors.CorruptRecordException: Found record size 0 '
        b"smaller than minimum record overhead (14) in file x.log\n\tat kafka.tools.DumpLogSegments$.main(D.scala:1)\n"
    )
    found = read(source, printed(batch(0), record(0), trace), tmp_path)
    assert [row["reason"] for row in found.damage] == ["zeros"]
    assert "stopped here" in found.damage[0]["detail"]


def test_a_line_that_is_none_of_the_print_is_damage_and_the_rest_is_read(tmp_path: Path) -> None:
    content = printed(batch(0), record(0), b"<<< cut here\nand here\n", batch(1, position=82), record(1))
    found = read(source, content, tmp_path)
    assert found.column("offset") == [0, 1]
    assert [(row["reason"], row["size_bytes"], row["batches_after"]) for row in found.damage] == [
        ("bad_line", 22, True)
    ]


def test_messages_of_the_tool_are_no_damage(tmp_path: Path) -> None:
    head = b"SLF4J: Class path contains multiple bindings.\n[2023-01-01 00:00:00,000] WARN x (y)\n\n"
    found = read(source, head + printed(batch(0), record(0)), tmp_path)
    assert (len(found.records), found.damage) == (1, [])


def test_an_invalid_batch_is_marked(tmp_path: Path) -> None:
    content = printed(batch(0).replace(b"isvalid: true", b"isvalid: false"), record(0))
    found = read(source, content, tmp_path)
    assert found.batches[0]["crc_ok"] is False
    assert found.column("offset") == [0]


def test_a_print_that_ends_within_a_record_is_truncated(tmp_path: Path) -> None:
    content = printed(batch(0, 2), record(0), record(1, b"key", b"a long value"))
    found = read(source, content[:-6], tmp_path)
    assert found.column("offset") == [0]
    assert [(row["reason"], row["first_offset"]) for row in found.damage] == [("truncated", 1)]
    assert found.batches[0]["records_read"] is None


def test_messages_of_the_old_formats(tmp_path: Path) -> None:
    content = (
        b"Dumping /d/old-0/00000000000000000000.log\nStarting offset: 0\n"
        b"offset: 0 position: 0 NoTimestampType: -1 isvalid: true payloadsize: 5 magic: 0 "
        b"compresscodec: NoCompressionCodec crc: 77 keysize: 1 key: k payload: a\nb c\n"
        b"offset: 1 position: 40 CreateTime: 9 isvalid: true payloadsize: 1 magic: 1 compresscodec: NONE crc: 78 payload: v\n"
    )
    found = read(source, content, tmp_path)
    assert [(r["key"], r["value"], r["timestamp_ms"], r["headers"]) for r in found.records] == [
        (b"k", b"a\nb c", None, []),
        (None, b"v", 9, []),
    ]
    assert [
        (b["magic"], b["position"], b["size_bytes"], b["crc_stored"], b["leader_epoch"])
        for b in found.batches
    ] == [
        (0, 0, 40, 77, -1),
        (1, 40, None, 78, -1),
    ]


def test_wrappers_of_the_old_formats_begin_with_their_first_record(tmp_path: Path) -> None:
    content = (
        b"Dumping old-0/00000000000000000000.log\nStarting offset: 0\n"
        b"offset: 4 position: 0 CreateTime: 9 size: 90 magic: 1 compresscodec: gzip crc: 5 isvalid: true\n"
        b"| offset: 3 CreateTime: 8 keySize: -1 valueSize: 1 isValid: true crc: 7} payload: a\n"
        b"| offset: 4 CreateTime: 9 keySize: -1 valueSize: 1 isValid: true crc: 8} payload: b\n"
    )
    found = read(source, content, tmp_path)
    assert [(b["base_offset"], b["last_offset"], b["codec"], b["record_count"]) for b in found.batches] == [
        (3, 4, "gzip", None)
    ]
    assert found.column("value") == [b"a", b"b"]


def test_several_files_in_one_print_keep_their_topics(tmp_path: Path) -> None:
    other = b"Dumping other-1/00000000000000000000.log\nStarting offset: 0\n" + batch(0) + record(0)
    index = b"Dumping other-1/00000000000000000500.index\noffset: 555 position: 4150\n"
    found = read(source, printed(batch(40), record(40)) + other + index, tmp_path)
    assert [(row["topic"], row["partition"], row["offset"]) for row in found.records] == [
        ("orders", 3, 40),
        ("other", 1, 0),
    ]
    entry = found.others["index_entries"][0]
    assert (entry["base_offset"], entry["offset"], entry["position_bytes"], entry["kind"]) == (
        500,
        555,
        4150,
        "offset",
    )


def test_line_numbers_crlf_and_a_missing_last_line_feed_do_no_harm(tmp_path: Path) -> None:
    lines = printed(batch(0, 2), record(0), record(1, b"a b", b"c d")).splitlines()
    numbered = b"\r\n".join(b"%4d %s" % (number, line) for number, line in enumerate(lines, 1))
    found = read(source, numbered, tmp_path)
    assert [(row["key"], row["value"]) for row in found.records] == [(b"k", b"v"), (b"a b", b"c d")]
    assert found.damage == []


def test_windows_and_splits_give_the_same_rows(tmp_path: Path) -> None:
    lines = [
        batch(2 * n, 2, 82 * n) + record(2 * n, b"k%d" % n, b"line\n" * n) + record(2 * n + 1)
        for n in range(60)
    ]
    file = saved(printed(*lines), tmp_path)
    whole = read_file(source, file)
    assert len(whole.records) == 120
    places = borders(file.path, 2_000)
    assert len(places) > 3
    split = source.split(file, 7, "?", 0, "")[0]
    rows = []
    for (start, dumped, segments), (end, _, _) in pairwise(places):
        part = type(split)(
            **{
                **vars(split),
                "start": start,
                "end": end,
                "detail": {"dumped": dumped, "segments": segments},
            }
        )
        chunks = read_split(part, is_bare=False, window_bytes=300)
        rows += [row for chunk in chunks if chunk.records is not None for row in chunk.records.to_pylist()]
    assert rows == whole.records


# The same content, the same answer: one real topic in every print and in its segment.


def plain(rows: list[dict[str, Any]], lossy: bool) -> list[tuple[Any, ...]]:
    """What every version prints; bytes that are no UTF-8 as the tool prints them."""

    def shown(content: bytes | None) -> Any:
        return content.decode(errors="replace") if lossy and content is not None else content

    names = ("offset", "timestamp_ms", "timestamp_type", "key_is_null", "value_is_null", "key_size_bytes",
             "value_size_bytes", "control_type", "producer_id", "producer_epoch", "sequence", "batch_position")  # fmt: skip
    return [(*(row[name] for name in names), shown(row["value"])) for row in rows]


def segment() -> Reading:
    path = LAYOUTS / "sample-0" / "00000000000000000000.log"
    return read_file(segment_source, InputFile("sample-0/" + path.name, str(path), path.stat().st_size))


@needs_corpus
@pytest.mark.parametrize("version", ["1.1.1", "2.8.1", "3.9.1", "4.1.1"])
def test_records_equal_those_of_the_segment(version: str) -> None:
    path = LAYOUTS / "text" / f"dump-log-{version}-print-data-log.txt"
    found = read_file(source, InputFile(path.name, str(path), path.stat().st_size))
    expected = segment()
    assert plain(found.records, lossy=True) == plain(expected.records, lossy=True)
    keys = [(row["key"] or b"").decode(errors="replace") for row in expected.records]
    printed_keys = [(row["key"] or b"").decode() for row in found.records]
    unprinted = [3] if version == "1.1.1" else []  # up to 2.x a tombstone is printed without its key
    assert [o for o, (a, b) in enumerate(zip(keys, printed_keys, strict=True)) if a != b] == unprinted
    names = [[header["key"] for header in row["headers"]] for row in found.records]
    assert names == [[header["key"] for header in row["headers"]] for row in expected.records]
    assert found.damage == []


@needs_corpus
@pytest.mark.parametrize("version", ["2.8.1", "3.9.1", "4.1.1"])
def test_batches_equal_those_of_the_segment(version: str) -> None:
    path = LAYOUTS / "text" / f"dump-log-{version}-print-data-log.txt"
    found = read_file(source, InputFile(path.name, str(path), path.stat().st_size)).batches
    told = [{k: v for k, v in row.items() if k not in {"base_timestamp_ms", "crc_computed"}} for row in found]
    expected = segment().batches
    shown = [{k: row[k] for k in told[0]} for row in expected]
    ours = {"topic": "sample", "partition": 0, "replica": "", "file": 7}
    assert told == [{**row, **ours} for row in shown]
    rebuilt = [
        (row["crc_computed"], row["base_timestamp_ms"]) for row in found if row["crc_computed"] is not None
    ]
    whole = {row["crc_stored"]: row["base_timestamp_ms"] for row in expected}
    assert len(rebuilt) == 7
    assert all(whole[crc] == base for crc, base in rebuilt)


@needs_corpus
def test_real_prints_of_other_hands_are_recognised_by_this_source_alone(tmp_path: Path) -> None:
    paths = [
        *(LAYOUTS / "text").glob("dump-log-*-print-data-log.txt"),
        *(CORPUS / "kafka/text-dumps").glob("*Payload.txt"),
    ]
    assert len(paths) == 5
    for path in paths:
        answers = recognised(path.read_bytes(), tmp_path)
        assert {name for name, answer in answers.items() if answer.matches} == {source.id}


def small_print() -> bytes:
    marker = RECORD % (3, 4, 6, b"") + b" endTxnMarker: COMMIT coordinatorEpoch: 4\n"
    return printed(
        batch(0, 2), record(0, b"key", b"two\nlines", b"h"), record(1, None, "\ufffd".encode(), value_size=1),
        batch(2, 1, 82), record(2), batch(3, 1, 164), marker,
        b"Dumping orders-3/00000000000000000040.txnindex\n"
        b"version: 0 producerId: 1 firstOffset: 2 lastOffset: 3 lastStableOffset: 4\n",
    )  # fmt: skip


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.long)])
def test_every_truncation_keeps_the_records_before_it(tmp_path: Path, every: int) -> None:
    content = small_print()
    whole = read(source, content, tmp_path).records
    assert len(whole) == 4
    ends = [content.index(b"\n", content.index(b"| offset: %d " % n)) for n in range(4)]
    ends[0] = content.index(b"lines") + len(b"lines")
    for size in range(0, len(content), every):
        found = read(source, content[:size], tmp_path).records
        before = sum(end < size for end in ends)
        assert found[:before] == whole[:before], size


@pytest.mark.parametrize("rounds", [150, pytest.param(1500, marks=pytest.mark.long)])
def test_no_mutation_is_an_exception(tmp_path: Path, rounds: int) -> None:
    content = small_print()
    chance = random.Random(6)
    first = content.index(b"\n", content.index(b"| offset: 1"))
    whole = read(source, content, tmp_path).records
    for _ in range(rounds):
        changed = bytearray(content)
        at = chance.randrange(first + 1, len(content))
        for k in range(chance.randrange(1, 4)):
            changed[(at + k) % len(content) if at + k < len(content) else at] = chance.randrange(256)
        found = read(source, bytes(changed), tmp_path)
        assert found.records[:1] == whole[:1]
    for _ in range(rounds // 3):
        changed = bytearray(content)
        del changed[(at := chance.randrange(len(content))) : at + chance.randrange(60)]
        read(source, bytes(changed), tmp_path)


def test_positions_rise_along_a_print_of_several_segments(tmp_path: Path) -> None:
    content = b"".join(
        b"Dumping /data/orders-0/%020d.log\nLog starting offset: %d\n" % (base, base)
        + batch(base)
        + record(base)
        + batch(base + 1, position=70)
        + record(base + 1)
        for base in (0, 40, 80)
    )
    positions = [row["position"] for row in read(source, content, tmp_path).batches]
    assert positions[:2] == [0, 70]
    assert positions == sorted(set(positions))


def test_a_last_record_much_shorter_than_its_size_was_cut(tmp_path: Path) -> None:
    text = printed(batch(40), record(40), batch(41), record(41, value=b"half a val", value_size=90))
    found = read(source, text, tmp_path)
    assert [row["offset"] for row in found.records] == [40]
    assert [(row["reason"], row["first_offset"]) for row in found.damage] == [("truncated", 41)]


@pytest.mark.parametrize("sizes", [(90, 90), (1, 8), (1, 12)])
def test_a_decoders_text_and_a_trimmed_end_are_not_cut(tmp_path: Path, sizes: tuple[int, int]) -> None:
    first, last = sizes
    text = printed(
        batch(40),
        record(40, value_size=first),
        batch(41),
        record(41, value=b"0123456789"[: last - 2], value_size=last),
    )
    assert [row["offset"] for row in read(source, text, tmp_path).records] == [40, 41]


def offsets_by_position(content: bytes, tmp_path: Path) -> list[int]:
    batches = sorted(read(source, content, tmp_path).batches, key=lambda row: int(row["position"]))
    return [row["base_offset"] for row in batches]


@pytest.mark.parametrize("first_line", [b"", DUMPING], ids=["no Dumping line", "the first one only"])
def test_the_next_segment_without_its_dumping_line_stands_behind_the_first(
    first_line: bytes, tmp_path: Path
) -> None:
    content = first_line + b"".join(batch(offset, position=offset % 3 * 82) for offset in range(9))
    assert offsets_by_position(content, tmp_path) == [*range(9)]
    assert {row["size_bytes"] for row in read(source, content, tmp_path).batches} == {82}


def test_the_next_segment_of_messages_alone_does_too(tmp_path: Path) -> None:
    line = (
        b"offset: %d position: %d CreateTime: 9 isvalid: true keysize: 1 valuesize: 1 magic: 2 compresscodec: NONE producerId: -1 "
        b"producerEpoch: -1 sequence: -1 isTransactional: false headerKeys: [] key: a payload: b\n"
    )
    content = b"".join(line % (offset, offset % 3 * 82) for offset in range(6))
    assert offsets_by_position(content, tmp_path) == [*range(6)]


def test_lines_in_reverse_order_and_batches_out_of_order_stay_at_their_positions(tmp_path: Path) -> None:
    reverse = b"".join(batch(offset, position=offset * 82) for offset in (2, 1, 0))
    assert offsets_by_position(reverse, tmp_path) == [0, 1, 2]
    damaged = batch(0, position=0) + batch(6, position=82) + batch(3, position=164)
    assert offsets_by_position(damaged, tmp_path) == [0, 6, 3]
