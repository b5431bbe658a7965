import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from spark.sources import InputFile
from spark.sources.console_consumer import borders, source
from spark.sources.console_consumer.read import read as read_split
from spark.sources.console_consumer.shape import look
from spark.sources.log_segment import source as segment_source
from tests.spark.sources.prints import LAYOUTS, read, read_file, recognised, saved

needs_corpus = pytest.mark.skipif(
    not LAYOUTS.is_dir(), reason="the corpus of real prints is not beside the project"
)


def line(offset: int = 0, key: bytes = b"k", value: bytes = b"v", headers: bytes = b"NO_HEADERS") -> bytes:
    return b"CreateTime:1795248824353\tPartition:3\tOffset:%d\t%s\t%s\t%s\n" % (offset, headers, key, value)


def test_a_line_becomes_a_record(tmp_path: Path) -> None:
    content = line(40) + line(41, b"key", b"value", b"trace:a,b,nil:null,empty:")
    found = read(source, content, tmp_path)
    assert found.damage == []
    assert found.records[1] == {
        "topic": "?",
        "partition": 3,
        "replica": "",
        "file": 7,
        "offset": 41,
        "batch_position": len(line(40)),
        "timestamp_ms": 1795248824353,
        "timestamp_type": "create",
        "key": b"key",
        "value": b"value",
        "key_is_null": False,
        "value_is_null": False,
        "key_size_bytes": 3,
        "value_size_bytes": 5,
        "headers": [
            {"key": b"trace", "value": b"a,b"},
            {"key": b"nil", "value": None},
            {"key": b"empty", "value": b""},
        ],
        "control_type": None,
        "producer_id": None,
        "producer_epoch": None,
        "sequence": None,
    }


@pytest.mark.parametrize(
    ("printed", "value"), [(b"null", None), (b"", b""), (b"NULL", b"NULL"), (b"nulls", b"nulls")]
)
def test_only_the_word_null_is_null(tmp_path: Path, printed: bytes, value: bytes | None) -> None:
    found = read(source, line(0, printed, printed) + line(1), tmp_path).records[0]
    assert (found["key"], found["key_is_null"]) == (value, value is None)
    assert (found["value"], found["value_is_null"]) == (value, value is None)


def test_a_value_goes_on_until_a_line_begins_as_a_record_does(tmp_path: Path) -> None:
    value = b"one\n\nCreate\nCreateTim\nPartition:9\tOffset:8\r\nlast"
    found = read(source, line(0, value=value) + line(1), tmp_path)
    assert found.column("value") == [value, b"v"]
    assert found.column("offset") == [0, 1]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"CreateTime:1\tv\n", "time, value"),
        (b"LogAppendTime:1\tk\tv\n", "time, key, value"),
        (b"NO_TIMESTAMP\tOffset:4\tv\n", "time, offset, value"),
        (b"Partition:0\tOffset:4\tk\tv\n", "partition, offset, key, value"),
        (b"Partition:0\tOffset:4\tNO_HEADERS\tv\n", "partition, offset, headers, value"),
        (b"Partition:0\tk\tv\n", "partition, key, value"),
        (b"Partition:0\tNO_HEADERS\tk\tv\n", "partition, headers, key, value"),
        (b"Epoch:0\tk\tv\n", "leader epoch, key, value"),
        (b"Epoch:NOT_PRESENT\tk\tv\n", "leader epoch, key, value"),
        (b"Epoch:0\ta:1\tk\tv\n", "leader epoch, headers, key, value"),
        (b"CreateTime:1\ta:1,b:null,c:\tk\tv\nCreateTime:2\ta:2\tk\tv\n", "time, headers, key, value"),
        (b"CreateTime:1\ta:1\tk\tv\nCreateTime:2\tNO_HEADERS\tk\tv\n", "time, headers, key, value"),
        (b"CreateTime:1|Partition:0|Offset:4|k|v\n", "time, partition, offset, key, value"),
        (b"CreateTime:1 :: Offset:4 :: k :: v\n", "time, offset, key, value"),
        (b"CreateTime:1\tk\tv\t0\nCreateTime:1\tk\tv\t1\n", "time, key, value, partition"),
        (
            b"CreateTime:1\tPartition:0\tOffset:4\tDelivery:1\tEpoch:NOT_PRESENT\ta:b\tk\tv\n",
            "time, partition, offset, delivery, leader epoch, headers, key, value",
        ),
    ],
)
def test_columns_are_found_from_the_records(tmp_path: Path, content: bytes, words: str) -> None:
    shape = look(content, is_whole=True)
    assert shape is not None
    assert shape.words == words
    found = read(source, content, tmp_path)
    assert found.column("value")[0] == b"v"
    assert found.column("key")[0] == (b"k" if "key" in words else None)
    assert found.damage == []


def test_keys_like_headers_of_a_print_that_has_no_other_columns_are_keys(tmp_path: Path) -> None:
    found = read(source, b"CreateTime:1\tuser:1\ta\tb\nCreateTime:2\tuser:2\tc\td\n", tmp_path)
    assert (found.column("key"), found.column("headers")) == ([b"user:1", b"user:2"], [None, None])


@pytest.mark.parametrize(
    ("column", "is_key"),
    [
        (b'{"keytype":"MODE","subject":null,"magic":0}', True),
        (b'["jdbc",{"table":"a","protocol":"1"}]', True),
        (b"urn:order:1", True),
        (b"trace:1,span:2", False),
    ],
    ids=["JSON object", "JSON array", "with colons", "several headers"],
)
def test_keys_with_colons_are_keys_where_offsets_are_printed(
    tmp_path: Path, column: bytes, is_key: bool
) -> None:
    content = b"".join(b"CreateTime:1\tPartition:0\tOffset:%d\t%s\tv\n" % (n, column) for n in range(3))
    found = read(source, content, tmp_path)
    assert found.column("key") == [column if is_key else None] * 3
    assert [headers is not None for headers in found.column("headers")] == [not is_key] * 3


def test_a_json_key_before_a_value_with_a_tab_is_a_key(tmp_path: Path) -> None:
    found = read(source, b'Partition:0\tOffset:0\t{"a":1,"b":2}\tx\ty\n', tmp_path)
    assert (found.column("key"), found.column("value")) == ([b'{"a":1,"b":2}'], [b"x\ty"])


COMMAND = "bin/kafka-console-consumer.sh --topic t --property print.key=true --property print.timestamp=true"


@pytest.mark.parametrize(
    ("more", "key", "value", "headers"),
    [
        ("", b"a:1", b"NIL\tnull", None),
        (" --property print.headers=true", b"NIL", None, [{"key": b"a", "value": b"1"}]),
        (" --property print.headers=true --property null.literal=NIL", None, b"null", [{"key": b"a", "value": b"1"}]),
        (" --property print.offset=true --property null.literal=NIL", b"a:1", b"NIL\tnull", None),
    ],
    ids=["keys", "headers", "another null literal", "the command of another print"],
)  # fmt: skip
def test_the_command_says_what_the_columns_are(
    tmp_path: Path,
    more: str,
    key: bytes | None,
    value: bytes | None,
    headers: list[dict[str, bytes]] | None,
) -> None:
    file = replace(saved(b"CreateTime:1\ta:1\tNIL\tnull\n", tmp_path), command=COMMAND + more)
    (found,) = read_file(source, file).records
    assert (found["key"], found["value"], found["headers"]) == (key, value, headers)
    assert (found["key_is_null"], found["value_is_null"]) == (key is None, value is None)


def test_without_offsets_records_are_numbered_and_that_is_said(tmp_path: Path) -> None:
    found = read(source, b"CreateTime:5\tk\ta\nb\nNO_TIMESTAMP\tk\tc\n", tmp_path)
    assert [(row["offset"], row["value"], row["timestamp_ms"]) for row in found.records] == [
        (0, b"a\nb", 5),
        (1, b"c", None),
    ]
    assert "The output contains no offsets" in found.note


def test_a_partition_behind_the_value_is_no_part_of_it(tmp_path: Path) -> None:
    found = read(source, b"CreateTime:5\tk\ta\nb\t7\nCreateTime:6\tk\tc\t8\n", tmp_path)
    assert [(row["partition"], row["value"]) for row in found.records] == [(7, b"a\nb"), (8, b"c")]


def test_one_number_behind_a_value_is_no_rule(tmp_path: Path) -> None:
    assert read(source, b"CreateTime:5\tk\ta\t7\n", tmp_path).column("value") == [b"a\t7"]


def test_the_line_that_counts_messages_is_no_part_of_the_last_value(tmp_path: Path) -> None:
    total = b"Processed a total of 2 messages\n"
    found = read(source, line(0, value=total + b"x") + line(1) + total, tmp_path)
    assert found.column("value") == [total + b"x", b"v"]
    assert found.damage == []


def test_lines_before_the_first_record_and_broken_labels_are_damage(tmp_path: Path) -> None:
    content = (
        b"junk\nmore\n" + line(0) + b"CreateTime:x\tPartition:3\tOffset:77\tbroken\n" + line(1) + line(2)
    )
    found = read(source, content, tmp_path)
    assert found.column("value") == [b"v", b"v", b"v"]
    assert [(row["reason"], row["first_offset"], row["batches_after"]) for row in found.damage] == [
        ("bad_line", None, True),
        ("bad_line", 77, True),
    ]


def test_a_cut_last_line_is_truncated(tmp_path: Path) -> None:
    found = read(source, line(0) + line(1)[:-8], tmp_path)
    assert found.column("offset") == [0]
    assert [(row["reason"], row["first_offset"]) for row in found.damage] == [("truncated", 1)]
    assert "may be truncated" in read(source, line(0) + line(1)[:-1], tmp_path).note


def test_a_last_value_that_ends_within_its_document_is_truncated_and_named(tmp_path: Path) -> None:
    cut = line(1, value=b'{"name": "a", "tags": [{"n')[:-1]
    found = read(source, line(0) + cut, tmp_path)
    assert found.column("offset") == [0]
    assert [(row["reason"], row["first_offset"]) for row in found.damage] == [("truncated", 1)]
    assert read(source, line(0) + cut + b"\n", tmp_path).column("offset") == [0, 1]
    whole = read(source, line(0) + cut + b'":1}]}', tmp_path)
    assert (whole.column("offset"), whole.damage) == ([0, 1], [])


def test_carriage_returns_of_every_line_are_the_files(tmp_path: Path) -> None:
    found = read(source, (line(0) + line(1)).replace(b"\n", b"\r\n"), tmp_path)
    assert found.column("value") == [b"v", b"v"]


def test_windows_and_splits_give_the_same_rows(tmp_path: Path) -> None:
    file = saved(b"".join(line(n, value=b"text\n" * n) for n in range(90)), tmp_path)
    whole = read_file(source, file)
    assert whole.column("offset") == list(range(90))
    shape = look(Path(file.path).read_bytes(), is_whole=True)
    assert shape is not None
    places = borders(file, shape, 2_000)
    assert len(places) > 5
    split = source.split(file, 7, "?", 0, "")[0]
    rows: list[dict[str, Any]] = []
    for start, end in pairwise(places):
        part = type(split)(**{**vars(split), "start": start, "end": end})
        chunks = read_split(part, window_bytes=512)
        rows += [row for chunk in chunks if chunk.records is not None for row in chunk.records.to_pylist()]
    assert rows == whole.records


@pytest.mark.parametrize(
    "content",
    [b"", b"hello\nworld\n", b"key\tvalue\n", b'{"CreateTime:": 1}\n', b"\xff\xfeC\0r\0", b"CreateTime:\n"],
    ids=["empty", "values only", "key and value", "json", "utf-16", "a bare label"],
)
def test_other_text_is_not_taken_for_it(tmp_path: Path, content: bytes) -> None:
    assert not source.recognise(saved(content, tmp_path), content).matches


@needs_corpus
@pytest.mark.parametrize("version", ["2.8.1", "3.9.1", "4.1.1"])
def test_records_equal_those_of_the_segment(tmp_path: Path, version: str) -> None:
    path = LAYOUTS / "text" / f"console-consumer-{version}-all-properties.txt"
    found = read_file(source, InputFile(path.name, str(path), path.stat().st_size))
    segment = LAYOUTS / "sample-0" / "00000000000000000000.log"
    expected = read_file(
        segment_source, InputFile(segment.name, str(segment), segment.stat().st_size)
    ).records
    names = ("offset", "partition", "timestamp_ms", "timestamp_type", "key", "value", "key_is_null", "value_is_null",
             "key_size_bytes", "value_size_bytes", "headers")  # fmt: skip
    ambiguous = {13, 16}  # a tab within key and value; the word null
    told = [{name: row[name] for name in names} for row in found.records if row["offset"] not in ambiguous]
    data = [row for row in expected if row["control_type"] is None and row["offset"] not in ambiguous]
    assert told == [{name: row[name] for name in names} for row in data]
    assert len(found.records) == 20
    answers = recognised(path.read_bytes(), tmp_path)
    assert {name for name, answer in answers.items() if answer.matches} == {source.id}


SMALL = line(0, b"key", b"two\nlines", b"a:b") + line(1, b"null", b"\xff\0") + line(2)


@pytest.mark.wide
def test_every_truncation_keeps_the_records_before_it(tmp_path: Path) -> None:
    whole = read(source, SMALL, tmp_path).records
    ends = [len(line(0, b"key", b"two\nlines", b"a:b")), len(SMALL) - len(line(2)), len(SMALL)]
    for size in range(ends[0], len(SMALL)):
        found = read(source, SMALL[:size], tmp_path).records
        before = sum(end <= size for end in ends)
        assert found[: before - 1] == whole[: before - 1], size
        assert len(found) >= before


@pytest.mark.parametrize("rounds", [150, pytest.param(1500, marks=pytest.mark.long)])
def test_no_mutation_is_an_exception(tmp_path: Path, rounds: int) -> None:
    chance = random.Random(13)
    for _ in range(rounds):
        changed = bytearray(SMALL)
        at = chance.randrange(len(changed))
        if chance.random() < 0.3:
            del changed[at : at + chance.randrange(40)]
        else:
            changed[at] = chance.randrange(256)
        read(source, bytes(changed), tmp_path)


@pytest.mark.wide
def test_damage_behind_the_first_record_leaves_it_as_it_is(tmp_path: Path) -> None:
    chance = random.Random(14)
    content = SMALL + line(3) + line(4)
    first = read(source, content, tmp_path).records[0]
    begin = len(line(0, b"key", b"two\nlines", b"a:b")) + len(b"CreateTime:")
    for _ in range(500):
        changed = bytearray(content)
        changed[chance.randrange(begin, len(changed))] = chance.randrange(256)
        assert read(source, bytes(changed), tmp_path).records[0] == first


def test_a_date_behind_a_label_is_another_programs(tmp_path: Path) -> None:
    line = b"CreateTime:2025-10-15 19:33:54.115|Partition:0|Offset:%d|Key:|Value:{}\n"
    assert not recognised(line % 0 + line % 1, tmp_path)["console-consumer"].matches
