import base64
import json
import random
from pathlib import Path
from typing import Any

import pytest

from spark.sources import LACKS, InputFile
from spark.sources.kcat_json import source
from tests.spark.sources.json_files import Reading, read, read_file
from tests.spark.whole_pipeline import report_on

CORPUS = Path(__file__).parents[3] / ".." / "shared" / "corpus"
LINE = (
    b'{"topic":"journal","partition":3,"offset":%d,"tstype":"create","ts":1795248824353,"broker":1,'
    b'"headers":["req","abc","nil",null,"req",""],"key":%s,"payload":%s}\n'
)


def line(offset: int = 0, key: bytes = b'"k"', payload: bytes = b'"v"') -> bytes:
    return LINE % (offset, key, payload)


def test_an_envelope_becomes_a_record(tmp_path: Path) -> None:
    record = read(source, line(41), tmp_path).records[0]
    assert record == {
        "topic": "journal",
        "partition": 3,
        "replica": "",
        "file": 7,
        "offset": 41,
        "batch_position": 0,
        "timestamp_ms": 1795248824353,
        "timestamp_type": "create",
        "key": b"k",
        "value": b"v",
        "key_is_null": False,
        "value_is_null": False,
        "key_size_bytes": 1,
        "value_size_bytes": 1,
        "headers": [
            {"key": b"req", "value": b"abc"},
            {"key": b"nil", "value": None},
            {"key": b"req", "value": b""},
        ],
        "control_type": None,
        "producer_id": None,
        "producer_epoch": None,
        "sequence": None,
    }


@pytest.mark.parametrize(
    ("payload", "value", "is_null"),
    [(b"null", None, True), (b'""', b"", False), (b'"null"', b"null", False)],
    ids=["null", "empty", "the word null"],
)
def test_null_empty_and_the_word_null_stay_apart(
    tmp_path: Path, payload: bytes, value: bytes | None, is_null: bool
) -> None:
    record = read(source, line(payload=payload, key=payload), tmp_path).records[0]
    assert (record["value"], record["value_is_null"]) == (value, is_null)
    assert (record["key"], record["key_is_null"]) == (value, is_null)
    assert record["value_size_bytes"] == len(value or b"")


def test_offsets_of_64_bits_are_exact(tmp_path: Path) -> None:
    assert read(source, line(2**63 - 1), tmp_path).column("offset") == [2**63 - 1]


def test_an_offset_beyond_64_bits_is_a_bad_line(tmp_path: Path) -> None:
    reading = read(source, line(1) + line(2**63) + line(3), tmp_path)
    assert reading.column("offset") == [1, 3]
    assert [row["reason"] for row in reading.damage] == ["bad_line"]
    assert reading.damage[0]["position"] == len(line(1))


def test_bytes_that_are_no_utf_8_come_back_as_they_were(tmp_path: Path) -> None:
    value = bytes(byte for byte in range(32, 256) if byte not in b'"\\')
    reading = read(source, line(payload=b'"' + value + b'"'), tmp_path)
    assert reading.column("value") == [value]
    assert "not valid UTF-8" in reading.note


def test_real_text_stays_utf_8(tmp_path: Path) -> None:
    text = "größe ✓ 😀"
    for ensure_ascii in (True, False):
        payload = json.dumps(text, ensure_ascii=ensure_ascii).encode()
        assert read(source, line(payload=payload), tmp_path).column("value") == [text.encode()]


def test_base64_is_found_by_what_it_decodes_to(tmp_path: Path) -> None:
    keys = [b'\x03{"id":%d}' % n for n in range(9)]
    lines = [line(n, b'"%s"' % base64.b64encode(key), b'"AQIDBAU="') for n, key in enumerate(keys)]
    reading = read(source, b"".join(lines), tmp_path)
    assert reading.column("key") == keys
    assert set(reading.column("value")) == {b"\x01\x02\x03\x04\x05"}
    assert "base64" in reading.note


@pytest.mark.parametrize("key", [b"abcd", b"customer", b"0123456789abcdef" * 4, b"orders/eu/1234567"[:16]])
def test_plain_words_that_happen_to_be_base64_are_text(tmp_path: Path, key: bytes) -> None:
    reading = read(source, line(key=b'"%s"' % key, payload=b'"true"'), tmp_path)
    assert (reading.column("key"), reading.column("value")) == ([key], [b"true"])


def test_base64_kept_by_a_service_in_its_values_is_left_alone(tmp_path: Path) -> None:
    payload = base64.b64encode(bytes(range(100, 250)))
    reading = read(source, line(key=b'"order-1"', payload=b'"%s"' % payload), tmp_path)
    assert reading.column("value") == [payload]


@pytest.mark.integration
def test_a_late_value_that_is_not_base64_is_text_and_said(tmp_path: Path) -> None:
    encoded = base64.b64encode(b'{"a":"' + b"x" * 40 + b'"}')
    lines = [line(n, b'"%s"' % encoded, b'"%s"' % encoded) for n in range(60_000)]
    lines[21_003] = line(21_003, b'"%s"' % encoded, b'"plain text"')
    reading = read(source, b"".join(lines), tmp_path)
    assert reading.column("value")[21_003] == b"plain text"
    assert reading.column("value")[21_002].startswith(b'{"a":"')
    assert "1 keys or values are not base64" in reading.note


def test_replaced_bytes_are_said_to_be_lost(tmp_path: Path) -> None:
    reading = read(source, line(payload=b'"\\u0000\xef\xbf\xbd{"'), tmp_path)
    assert reading.column("value") == [b"\x00\xef\xbf\xbd{"]
    assert "U+FFFD" in reading.note


def test_decoded_avro_is_kept_as_compact_json(tmp_path: Path) -> None:
    reading = read(source, line(payload=b'{ "a" : [1, {"b": "x y"}], "c": null }'), tmp_path)
    assert reading.column("value") == [b'{"a":[1,{"b":"x y"}],"c":null}']
    assert "original bytes are unknown" in reading.note


def test_status_lines_bom_and_crlf_are_no_damage(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf% Reading configuration\r\n" + line(1).replace(b"\n", b"\r\n")
    content += b"% Reached end of topic journal [3] at offset 2\r\n" + line(2)
    reading = read(source, content, tmp_path)
    assert reading.recognition.matches
    assert (reading.column("offset"), reading.damage) == ([1, 2], [])


def test_unknown_timestamps_are_null(tmp_path: Path) -> None:
    content = line(1).replace(b'"create"', b'"unknown"') + line(2).replace(b"1795248824353", b"-1")
    content += line(3).replace(b'"create"', b'"logappend"')
    reading = read(source, content, tmp_path)
    assert reading.column("timestamp_ms") == [None, None, 1795248824353]
    assert reading.column("timestamp_type") == [None, "create", "log_append"]


def test_a_broken_line_is_damage_and_the_rest_is_read(tmp_path: Path) -> None:
    broken = line(2)[:60] + b"\n"
    reading = read(source, line(1) + broken + line(3), tmp_path)
    assert reading.column("offset") == [1, 3]
    row = reading.damage[0]
    assert (row["position"], row["size_bytes"], row["reason"]) == (len(line(1)), len(broken), "bad_line")
    assert (row["first_offset"], row["last_offset"], row["batches_after"]) == (2, 2, True)
    assert (row["topic"], row["partition"]) == ("journal", 3)


def test_damage_before_any_record_is_of_the_first_record_s_partition(tmp_path: Path) -> None:
    row = read(source, b"error: none\n" + line(1), tmp_path).damage[0]
    assert (row["topic"], row["partition"], row["position"]) == ("journal", 3, 0)


def test_words_between_the_lines_are_damage(tmp_path: Path) -> None:
    reading = read(source, line(1) + b"command terminated\n" + line(2), tmp_path)
    assert reading.column("offset") == [1, 2]
    assert reading.damage[0]["detail"].startswith("not JSON")


def test_a_cut_tail_is_damage_not_an_error(tmp_path: Path) -> None:
    reading = read(source, line(1) + line(2)[:-5], tmp_path)
    assert reading.column("offset") == [1]
    assert reading.damage[0]["reason"] == "truncated"
    assert not reading.damage[0]["batches_after"]


@pytest.mark.wide
def test_every_truncation_gives_the_whole_lines_and_at_most_one_stretch(tmp_path: Path) -> None:
    content = line(1, payload=b'"\\u0002\x89\\"x"') + line(2, key=b"null") + line(3, payload=b"null")
    ends = [n for n in range(len(content)) if content[n : n + 2] == b"}\n"]
    for size in range(len(content)):
        reading = read(source, content[:size], tmp_path)
        assert len(reading.records) == sum(end < size for end in ends)
        assert len(reading.damage) <= 1


@pytest.mark.wide
def test_random_flips_never_raise_and_leave_the_other_lines_alone(tmp_path: Path) -> None:
    lines = [line(n, payload=b'"{\\"a\\":\\"\x89b\\"}"') for n in range(12)]
    content = b"".join(lines)
    draw = random.Random(5)
    for _ in range(300):
        flipped = bytearray(content)
        place = draw.randrange(len(content))
        flipped[place] ^= 1 << draw.randrange(8)
        offsets = set(read(source, bytes(flipped), tmp_path).column("offset"))
        hit = (
            place // len(lines[0])
            if place < 10 * len(lines[0])
            else 10 + (place - 10 * len(lines[0])) // len(lines[10])
        )
        assert offsets >= set(range(12)) - {hit, hit + 1}


@pytest.mark.wide
def test_a_line_of_20_mb_is_one_record(tmp_path: Path) -> None:
    payload = b"x\\n" * 10_000_000
    reading = read(source, line(1) + line(2, payload=b'"%s"' % payload) + line(3), tmp_path)
    assert reading.column("offset") == [1, 2, 3]
    assert reading.column("value_size_bytes") == [1, 20_000_000, 1]


def test_a_large_file_is_split_where_lines_begin(tmp_path: Path) -> None:
    from spark.sources._json.layout import borders

    path = tmp_path / "upload"
    path.write_bytes(b"".join(line(n) for n in range(1000)))
    places = borders(str(path), split_bytes=10_000)
    content = path.read_bytes()
    assert len(places) > 10
    assert all(content[place : place + 8] == b'{"topic"' for place in places[:-1])
    assert (places[0], places[-1]) == (0, len(content))


@pytest.mark.parametrize(
    ("head", "why"),
    [
        (b"", "the file is empty"),
        (b'{"offset":1,"key":"a"}', "no `topic`, `partition` or `payload` member; has offset, key"),
        (b"\x00\x00\x00\x00\x00\x00\x00\x00", "NUL bytes"),
        ("{}".encode("utf-16"), "UTF-16"),
        (b"hello world", "not JSON objects: begins with “hello world”"),
    ],
    ids=["empty", "plain", "segment", "powershell", "text"],
)
def test_other_files_are_refused_with_the_reason(tmp_path: Path, head: bytes, why: str) -> None:
    recognition = read(source, head, tmp_path).recognition
    assert not recognition.matches
    assert why in recognition.why


def test_a_first_record_larger_than_the_head_is_recognised(tmp_path: Path) -> None:
    recognition = read(source, line(1, payload=b'"%s"' % (b"y" * 400_000)), tmp_path).recognition
    assert recognition.matches


def pairs() -> list[tuple[Path, Path]]:
    posts = [
        (CORPUS / f"apicurio/journal-2024-02-08-blog-{when}-compaction.json",
         CORPUS / f"apicurio/journal-2024-02-08-{when}-compaction.base64.ndjson")
        for when in ("before", "after")
    ]  # fmt: skip
    real = sorted((CORPUS / "apicurio-real").glob("*/*.kcat-J.ndjson"))
    return posts + [(path, path.with_name(path.name.replace("kcat-J", "base64"))) for path in real]


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus of real journals is not beside the repository")
@pytest.mark.parametrize(("raw", "encoded"), pairs(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_journal_and_its_base64_form_are_the_same_records(raw: Path, encoded: Path) -> None:
    from spark.sources.plain_json import source as plain

    left = read_file(plain if raw.suffix == ".json" else source, raw)
    right = read_file(source, encoded)
    assert left.recognition.matches
    assert right.recognition.matches
    assert len(left.records) > 0
    for name in (
        "offset",
        "key",
        "value",
        "key_is_null",
        "value_is_null",
        "key_size_bytes",
        "value_size_bytes",
    ):
        assert left.column(name) == right.column(name)
    assert left.damage == right.damage == []


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus of real journals is not beside the repository")
def test_every_kind_of_key_value_and_header_of_a_real_dump_comes_back() -> None:
    folder = CORPUS / "brokers" / "text-layouts"
    truth = json.loads((folder / "case.json").read_text())["truth"]["records"]
    wanted = [record for record in truth if record["control"] is None]
    reading: Reading = read_file(source, folder / "text" / "kcat-J-envelope-read-uncommitted.ndjson")
    assert len(reading.records) == len(wanted)
    for record, true in zip(reading.records, wanted, strict=True):
        assert record["offset"] == true["offset"]
        assert record["timestamp_ms"] == true["timestamp"]
        assert record["key"] == decoded(true["key_base64"])
        assert record["value"] == decoded(true["value_base64"])
        found = [(header["key"].decode(), header["value"]) for header in record["headers"]]
        assert found == [(name, decoded(value)) for name, value in true["headers"]]


def decoded(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def test_an_encoding_that_stands_beside_the_strings_is_believed(tmp_path: Path) -> None:
    words = base64.b64encode(b'{"a":"' + b"x" * 40 + b'"}').decode()
    envelopes = [
        {"key": words, "key_encoding": "utf-8", "payload": words, "payload_encoding": "base64"},
        {"key": None, "payload": words, "payload_encoding": "utf-8"},
        {"key": "", "key_encoding": "utf-8", "payload": "\u00e9", "payload_encoding": "utf-8"},
        {"key": "k", "key_encoding": "utf-8", "payload": "", "payload_encoding": "base64",
         "headers": ["a", "/w==", "b", None], "headers_encoding": "base64"},
        {"key": "k", "key_encoding": "utf-8", "payload": None, "headers": ["a", "/w=="]},
    ]  # fmt: skip
    lines = [
        json.dumps({"topic": "t", "partition": 0, "offset": n, "tstype": "create", "ts": 1, **envelope})
        for n, envelope in enumerate(envelopes)
    ]
    reading = read(source, "\n".join(lines).encode(), tmp_path)
    assert reading.column("key") == [words.encode(), None, b"", b"k", b"k"]
    assert reading.column("value") == [base64.b64decode(words), words.encode(), "é".encode(), b"", None]
    assert reading.column("value_is_null") == [False, False, False, False, True]
    assert reading.column("headers")[3:] == [
        [{"key": b"a", "value": b"\xff"}, {"key": b"b", "value": None}],
        [{"key": b"a", "value": b"/w=="}],
    ]


EARLY = b'{"topic":"journal","partition":0,"offset":%d,"key":%s,"payload":%s}\n'


def planned(content: bytes, folder: Path) -> tuple[frozenset[str], list[dict[str, Any]], str]:
    """What the file lacks, its records and notes, read by the plan's split."""
    path = folder / "dump.json"
    path.write_bytes(content)
    (split,) = source.split(InputFile(path.name, str(path), len(content)), 0, "journal", 0, "")
    parts = list(source.read(split))
    rows = [row for chunk in parts if chunk.records for row in chunk.records.to_pylist()]
    return split.lacks, rows, " ".join(chunk.note for chunk in parts if chunk.note)


def test_an_early_kafkacat_does_not_tell_null_from_empty(tmp_path: Path) -> None:
    content = EARLY % (0, b'"a"', b'"1"') + EARLY % (1, b'"a"', b'""') + EARLY % (2, b'""', b'"x"')
    lacks, rows, note = planned(content, tmp_path)
    assert "null-or-empty" in lacks
    assert [row["value_is_null"] for row in rows] == [False, True, False]
    assert [row["key_is_null"] for row in rows] == [False, False, True]
    assert [row["value"] for row in rows] == [b"1", None, b"x"]
    assert "read as null" in note


@pytest.mark.parametrize(
    "later",
    [
        EARLY % (2, b"null", b'"x"'),
        EARLY % (2, b'"b"', b"null"),
        b'{"topic":"journal","partition":0,"offset":2,"headers":["a","b"],"key":"b","payload":"x"}\n',
        line(2),
        b'{"topic":"journal","partition":0,"offset":2,"broker":1,"key":"b","payload":"x"}\n',
        b'{"topic":"journal","partition":0,"offset":2,"key":"b","payload":"x","payload_encoding":"utf-8"}\n',
    ],
    ids=["null key", "null payload", "headers", "tstype", "broker", "our own export"],
)
def test_what_a_later_version_prints_tells_null_from_empty(later: bytes, tmp_path: Path) -> None:
    lacks, rows, note = planned(EARLY % (1, b'"a"', b'""') + b"\n" * 300_000 + later, tmp_path)
    assert "null-or-empty" not in lacks
    assert next(row["value_is_null"] for row in rows) is False
    assert "read as null" not in note


def test_null_within_a_payload_is_not_the_tools(tmp_path: Path) -> None:
    lacks, _, _ = planned(EARLY % (1, b'"a"', b'""') + EARLY % (2, b'"b"', rb'"{\"key\":null}"'), tmp_path)
    assert "null-or-empty" in lacks


def test_without_an_empty_key_or_value_there_is_nothing_to_tell(tmp_path: Path) -> None:
    lacks, _, _ = planned(EARLY % (1, b'"a"', b'"1"'), tmp_path)
    assert "null-or-empty" not in lacks


@pytest.mark.pipeline
def test_deletes_of_an_early_dump_are_not_called_empty_values(tmp_path: Path) -> None:
    key = json.dumps(json.dumps({"keytype": "SCHEMA", "subject": "s", "version": 1, "magic": 1})).encode()
    value = {"subject": "s", "version": 1, "id": 5, "schema": '"int"', "deleted": True}
    rows = [
        (key, json.dumps(json.dumps(value)).encode()),
        (key, b'""'),
        (b'"{\\"keytype\\":\\"NOOP\\",\\"magic\\":0}"', b'""'),
    ]
    content = b"".join(EARLY % (offset, *row) for offset, row in enumerate(rows)).replace(
        b"journal", b"_schemas"
    )
    path = tmp_path / "dump.json"
    path.write_bytes(content)
    report = report_on([InputFile(path.name, str(path), len(content))], tmp_path / "results")
    assert "empty-value-not-tombstone" not in {finding["detector"] for finding in report["findings"]}
    assert LACKS["null-or-empty"] in report["coverage"]["cannot_tell"]
