import json
from pathlib import Path

import pytest

from spark.sources.plain_json import source
from tests.spark.sources.json_files import read

RECORDS = [
    {"offset": 5, "key": "a", "payload": "one"},
    {"offset": 6, "key": None, "payload": None},
    {"offset": 9, "key": "", "payload": ""},
]
CONTENT = "\x02\x01\x00\x00\x00\x00\x00\x00\x00\u0087" + "x" * 0x87 + "\x00\x00\x00\x00"


def dump(records: object, **how: object) -> bytes:
    return json.dumps(records, **how).encode()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "content",
    [
        dump(RECORDS),
        dump(RECORDS, indent=1),
        dump(RECORDS, indent="\t").replace(b"\n", b"\r\n"),
        b"\n".join(dump(record) for record in RECORDS),
        b"\n".join(dump(record, indent=2) for record in RECORDS),
        b"".join(dump(record) for record in RECORDS),
        b"\xef\xbb\xbf" + dump(RECORDS)[:-1],
    ],
    ids=[
        "array",
        "pretty array",
        "tabs and crlf",
        "lines",
        "pretty objects",
        "one after another",
        "bom, no end",
    ],
)
def test_every_form_gives_the_same_records(tmp_path: Path, content: bytes) -> None:
    reading = read(source, content, tmp_path)
    assert reading.recognition.matches
    assert reading.column("offset") == [5, 6, 9]
    assert reading.column("key") == [b"a", None, b""]
    assert reading.column("value") == [b"one", None, b""]
    assert reading.column("value_is_null") == [False, True, False]
    assert (set(reading.column("topic")), set(reading.column("partition"))) == ({"?"}, {0})
    assert (reading.column("headers"), reading.damage) == ([None] * 3, [])


def test_positions_are_those_of_the_elements(tmp_path: Path) -> None:
    content = dump(RECORDS, indent=1)
    for position in read(source, content, tmp_path).column("batch_position"):
        assert content[position:].startswith(b'{\n  "offset"')


def test_one_record_alone_is_enough(tmp_path: Path) -> None:
    assert read(source, b'{"offset":0,"key":"k","payload":"v"}', tmp_path).column("value") == [b"v"]


def test_an_empty_array_is_a_journal_without_records(tmp_path: Path) -> None:
    reading = read(source, b"[]", tmp_path)
    assert reading.recognition.matches
    assert "empty array" in reading.recognition.why
    assert (reading.records, reading.damage) == ([], [])


def test_an_empty_file_is_refused_and_reads_as_nothing(tmp_path: Path) -> None:
    reading = read(source, b"", tmp_path)
    assert (reading.recognition.matches, reading.recognition.why) == (False, "the file is empty")
    assert (reading.records, reading.damage) == ([], [])


def test_escaped_bytes_are_read_as_latin_1_when_the_lengths_agree(tmp_path: Path) -> None:
    records = [{"offset": 0, "key": "\x02{}", "payload": CONTENT}, {"offset": 1, "key": "é", "payload": "x"}]
    reading = read(source, dump(records), tmp_path)
    assert reading.column("value")[0] == CONTENT.encode("latin-1")
    assert reading.column("key")[1] == b"\xe9"
    assert "lengths" in reading.note


def test_the_same_after_a_tool_that_does_not_escape(tmp_path: Path) -> None:
    records = [{"offset": 0, "key": "\x02{}", "payload": CONTENT}]
    reading = read(source, dump(records, ensure_ascii=False), tmp_path)
    assert reading.column("value") == [CONTENT.encode("latin-1")]


def test_escaped_accents_are_text(tmp_path: Path) -> None:
    records = [{"offset": 0, "key": "café", "payload": '\x03{"name":"Zoë"}'}]
    reading = read(source, dump(records), tmp_path)
    assert (reading.column("key"), reading.column("value")) == (
        ["café".encode()],
        ['\x03{"name":"Zoë"}'.encode()],
    )


def test_utf_8_printed_byte_by_byte_is_put_together(tmp_path: Path) -> None:
    records = [{"offset": 0, "key": "k", "payload": "Zoë".encode().decode("latin-1")}]
    assert read(source, dump(records), tmp_path).column("value") == ["Zoë".encode()]


def test_a_value_that_does_not_fit_latin_1_is_utf_8_and_said(tmp_path: Path) -> None:
    records = [
        {"offset": 0, "key": "k", "payload": CONTENT},
        {"offset": 1, "key": "k", "payload": "\u2713\u00e9"},
    ]
    reading = read(source, dump(records), tmp_path)
    assert reading.column("value") == [CONTENT.encode("latin-1"), "\u2713\u00e9".encode()]
    assert "1 keys or values contain characters above U+00FF" in reading.note


def test_a_damaged_element_of_a_one_line_array_costs_only_itself(tmp_path: Path) -> None:
    content = dump(RECORDS).replace(b'"key": null', b'"key": nul')
    reading = read(source, content, tmp_path)
    assert reading.column("offset") == [5, 9]
    assert [row["first_offset"] for row in reading.damage] == [6]


def test_an_object_without_offset_is_damage(tmp_path: Path) -> None:
    reading = read(
        source, b'[{"offset":1,"payload":"a"},{"payload":"b"},{"offset":3,"payload":"c"}]', tmp_path
    )
    assert reading.column("offset") == [1, 3]
    assert reading.damage[0]["detail"] == "an object without an `offset` member"


def test_optional_members_are_read(tmp_path: Path) -> None:
    record = {
        "topic": "t",
        "partition": 4,
        "offset": 1,
        "ts": 1707303731203,
        "headers": ["a", "b"],
        "value": {"x": 1},
    }
    found = read(source, dump([record]), tmp_path).records[0]
    assert (found["topic"], found["partition"], found["timestamp_ms"]) == ("t", 4, 1707303731203)
    assert (found["value"], found["headers"]) == (b'{"x":1}', [{"key": b"a", "value": b"b"}])


def test_every_truncation_of_a_pretty_array_gives_whole_records(tmp_path: Path) -> None:
    content = dump(RECORDS, indent=1)
    ends = [n for n in range(len(content)) if content[n : n + 4] in (b"\n },", b"\n }\n")]
    for size in range(len(content)):
        found = read(source, content[:size], tmp_path).column("offset")
        assert len(found) == sum(end + 3 <= size for end in ends)
        assert found == [5, 6, 9][: len(found)]
