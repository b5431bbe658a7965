"""Keys and values alone: with the command that made them, and without."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from spark.sources import HEAD_BYTES
from spark.sources.console_key_value import recognise, source
from spark.sources.console_key_value.settings import PrintSettings, of_command
from tests.spark.sources.prints import LAYOUTS, Reading, read, read_file, recognised, saved

KEY = b'{"keytype":"SCHEMA","subject":"s","version":1,"magic":1}'
CONSOLE = "kafka-console-consumer --bootstrap-server h:9092 --topic t --property print.key=true"
needs_corpus = pytest.mark.skipif(
    not LAYOUTS.is_dir(), reason="the corpus of real prints is not beside the project"
)


def reading(content: bytes, folder: Path, command: str = "") -> Reading:
    file = replace(saved(content, folder), command=command)
    assert recognise(file, content[:HEAD_BYTES]).matches
    return read_file(source, file)


def pairs(found: Reading) -> list[tuple[bytes | None, bytes | None]]:
    return [(row["key"], row["value"]) for row in found.records]


@needs_corpus
@pytest.mark.parametrize(
    ("name", "command"),
    [
        (
            "console-consumer-4.1.1-key-separator.txt",
            f"{CONSOLE} --property 'key.separator=|' --property 'null.literal=<null>'",
        ),
        (
            "console-consumer-2.8.1-key-separator.txt",
            f"{CONSOLE} --property 'key.separator=|' --property 'null.literal=<null>'",
        ),
        ("kcat-Z.txt", r"kcat -C -b h:9092 -t t -K '\t' -Z"),
    ],
)
def test_a_real_print_has_the_keys_and_values_that_kcat_j_has(
    tmp_path: Path, name: str, command: str
) -> None:
    lines = [
        json.loads(line)
        for line in (LAYOUTS / "text/kcat-J.ndjson").read_bytes().decode("latin-1").splitlines()
    ]
    found = pairs(reading((LAYOUTS / "text" / name).read_bytes(), tmp_path, command))
    told = [tuple((line[side] or "").encode("latin-1") for side in ("key", "payload")) for line in lines]
    # Null and empty are one in these prints; a key that holds the separator ends at the first one.
    same = [(key or b"", value or b"") for key, value in found]
    assert len(same) == len(told)
    assert [one for one, two in zip(told, same, strict=True) if one != two and one[0] != b"tab\tkey"] == []


@pytest.mark.parametrize("separator", [b"\t", b"    ", b":", b" | ", b" -> ", b"#", b"\x01"])
@pytest.mark.parametrize("value", [b'{"id": 1}', b"null"])
def test_json_keys_end_where_they_end(tmp_path: Path, separator: bytes, value: bytes) -> None:
    found = reading(KEY + separator + b'{"id": 0}\n' + KEY + separator + value + b"\n", tmp_path)
    assert found.damage == []
    assert pairs(found) == [(KEY, b'{"id": 0}'), (KEY, None if value == b"null" else value)]
    assert found.column("value_is_null")[1] is (value == b"null")


def test_a_key_alone_has_an_unknown_value(tmp_path: Path) -> None:
    found = reading(KEY + b"\n" + KEY + b"\tnull\n", tmp_path)
    assert pairs(found) == [(KEY, None), (KEY, None)]
    assert found.column("value_is_null") == [False, True]
    assert "1 key stands alone" in found.note


@pytest.mark.parametrize("mark", [b"\t", b":", b" => ", b"="])
def test_words_before_json_are_keys(tmp_path: Path, mark: bytes) -> None:
    found = reading(b'connector-a%s{"state":"RUNNING"}\ntask-0%snull\n' % (mark, mark), tmp_path)
    assert pairs(found) == [(b"connector-a", b'{"state":"RUNNING"}'), (b"task-0", None)]


@pytest.mark.parametrize("key", [KEY, b"order-1"])
def test_pretty_printed_values_go_on_until_they_close(tmp_path: Path, key: bytes) -> None:
    value = b'{\n  "a\\tb": {\n    "c": [1,\n 2]\n  }\n}'
    found = reading(
        key + b"\t" + value + b"\n" + key + b"\t" + value + b"\nProcessed a total of 2 messages\n", tmp_path
    )
    assert (pairs(found), found.damage) == ([(key, value)] * 2, [])


def test_text_values_go_on_where_the_separator_is_known(tmp_path: Path) -> None:
    found = reading(b"a|one\ntwo\nb|x|y\n", tmp_path, f"{CONSOLE} --property key.separator='|'")
    assert pairs(found) == [(b"a", b"one\ntwo"), (b"b", b"x|y")]
    assert "1 line without the separator" in found.note
    assert "1 value contains the separator" in found.note


def test_a_blank_line_within_a_value_is_its_own_where_the_command_names_the_separator(tmp_path: Path) -> None:
    content = b"a|one\n\ntwo\nb|x\n\nProcessed a total of 2 messages\n"
    found = reading(content, tmp_path, f"{CONSOLE} --property key.separator='|'")
    assert (pairs(found), found.damage) == ([(b"a", b"one\n\ntwo"), (b"b", b"x")], [])


def test_a_json_key_may_hold_the_separator_that_the_command_names(tmp_path: Path) -> None:
    found = reading(
        b'{"a": 1}:{"b":\n 2}\n{"a": 2}:null\n', tmp_path, f"{CONSOLE} --property key.separator=:"
    )
    assert pairs(found) == [(b'{"a": 1}', b'{"b":\n 2}'), (b'{"a": 2}', None)]


def test_headers_stand_before_the_key(tmp_path: Path) -> None:
    command = f"{CONSOLE} --property print.headers=true"
    found = reading(b"h1:a, b,h2:null\tk\tv\nNO_HEADERS\tk\tv\tw\n", tmp_path, command)
    assert pairs(found)[0] == (b"k", b"v")
    assert found.records[0]["headers"] == [{"key": b"h1", "value": b"a, b"}, {"key": b"h2", "value": None}]
    assert found.records[1]["headers"] == []


@pytest.mark.parametrize(
    ("command", "settings"),
    [
        (CONSOLE, PrintSettings()),
        (f"{CONSOLE} --property key.separator=:", PrintSettings(":")),
        (f"{CONSOLE} --property=null.literal=NIL", PrintSettings(null="NIL")),
        ("bin/kafka-console-consumer.sh --formatter-property print.key=true --formatter-property key.separator='\\t'", PrintSettings()),
        ("docker exec -it b kafka-console-consumer --topic x \\\n --property print.key=true", PrintSettings()),
        ("kcat -C -t x -K:", PrintSettings(":", None)),
        (r"kcat -CZ -t x -K '\x1f'", PrintSettings("\x1f", "NULL")),
        (f"{CONSOLE} --property print.offset=true", None),
        (f"{CONSOLE} --property print.epoch=true", None),
        ("kafka-console-consumer --topic x", None),
        ("kcat -J -t x", None), ("cat 'x", None), ("", None),
    ],
)  # fmt: skip
def test_a_command_says_what_it_printed(command: str, settings: PrintSettings | None) -> None:
    assert of_command(command) == settings


@pytest.mark.parametrize(
    "content",
    [
        b'{"a": 1}\n{"a": 2}\n', b'[{"a": 1},\n{"a": 2}]', b'{"a": 1}, {"b": 2}\n', b"2024-01-01 INFO: {x}\nWARN y\nINFO z\n",
        b"a b c\nd e f\n", b"Offset:1\tk\t{}\n", b"\0\1\tx\n", b"", b"GROUP\tTOPIC\tLAG\ng\tt\t4\n", b'{"a": 1}\n',
    ],
)  # fmt: skip
def test_other_text_is_not(tmp_path: Path, content: bytes) -> None:
    assert not recognised(content, tmp_path)[source.id].matches


def test_one_tab_a_line_and_nothing_else_is_a_guess(tmp_path: Path) -> None:
    assert recognised(b"a\t1\nb\t2\n", tmp_path)[source.id].score < 10
    assert recognised(b'a\t{"x":1}\nb\tnull\n', tmp_path)[source.id].score > 10


def test_a_document_with_text_behind_it_is_whole(tmp_path: Path) -> None:
    found = read(source, b'a\t{"f":1} 2\nb\t{"f":2} 2\nc\t{"f":3} 2\n', tmp_path)
    assert [row["key"] for row in found.records] == [b"a", b"b", b"c"]


def test_a_document_that_never_closes_swallows_no_further_record(tmp_path: Path) -> None:
    found = read(source, b'a\t{"f":1)\nb\t{"f":2}\nc\t{"f":3}\n', tmp_path)
    assert [row["value"] for row in found.records] == [b'{"f":1)', b'{"f":2}', b'{"f":3}']


def test_a_last_value_that_ends_within_its_document_is_left_out_and_named(tmp_path: Path) -> None:
    whole = b'a\t{"n":1}\nb\t{"n":2}\n'
    found = reading(whole + b'c\t{"n":3, "text": "cut he', tmp_path, CONSOLE)
    assert pairs(found) == [(b"a", b'{"n":1}'), (b"b", b'{"n":2}')]
    assert [(row["reason"], row["position"]) for row in found.damage] == [("truncated", len(whole))]
    assert pairs(reading(whole + b"c\t{not json", tmp_path, CONSOLE))[-1] == (b"c", b"{not json")
