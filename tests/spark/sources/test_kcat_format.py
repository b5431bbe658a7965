r"""kcat with a format: of the command, given, or of the rows themselves."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spark.sources import InputFile
from spark.sources.kcat_format import (
    derived_from,
    likely_format,
    of_command,
    recognise,
    source,
    with_text_format,
)
from tests.spark.sources.prints import LAYOUTS, Reading, read_file, recognised, saved

FULL = r"%T\t%t\t%p\t%o\t%K\t%S\t%h\t%k\t%s\n"
needs_corpus = pytest.mark.skipif(
    not LAYOUTS.is_dir(), reason="the corpus of real prints is not beside the project"
)


def reading(text: str, content: bytes, folder: Path) -> Reading:
    [file] = with_text_format([saved(content, folder)], text)
    assert recognise(file, content).matches
    return read_file(source, file)


def rows(found: Reading) -> list[tuple[Any, ...]]:
    return [(row["offset"], row["key"], row["value"]) for row in found.records]


@needs_corpus
@pytest.mark.parametrize(
    ("name", "text"), [("kcat-f-readme.txt", ""), ("kcat-f-full.txt", ""), ("kcat-f-full.txt", FULL)]
)
def test_a_real_print_has_the_records_that_kcat_j_has(name: str, text: str) -> None:
    path = LAYOUTS / "text" / name
    lines = [
        json.loads(line)
        for line in (LAYOUTS / "text/kcat-J.ndjson").read_bytes().decode("latin-1").splitlines()
    ]
    file = InputFile(name, str(path), path.stat().st_size)
    file = with_text_format([file], text)[0] if text else file
    assert recognise(file, path.read_bytes()).matches
    found = read_file(source, file)
    assert found.damage == []
    assert found.column("offset") == [line["offset"] for line in lines]
    for row, line in zip(found.records, lines, strict=True):
        told = [None if line[side] is None else line[side].encode("latin-1") for side in ("key", "payload")]
        assert [row["key"], row["value"]] == told
        assert (row["key_is_null"], row["value_is_null"]) == (told[0] is None, told[1] is None)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (r"%t %p %o %k %s\n", b"orders 0 5 k v 1\norders 0 6 j w\n"),
        (r"%o|%k|%s\r\n", b"5|k|v 1\r\n6|j|w\r\n"),
        (r"%o\x01%k\x01%s\x02", b"5\x01k\x01v 1\x026\x01j\x01w\x02"),
        (r"[%o] %k => %s;\n", b"[5] k => v 1;\n[6] j => w;\n"),
    ],
)
def test_any_format_is_read(tmp_path: Path, text: str, content: bytes) -> None:
    assert rows(reading(text, content, tmp_path)) == [(5, b"k", b"v 1"), (6, b"j", b"w")]


def test_a_value_ends_where_the_next_record_can_begin(tmp_path: Path) -> None:
    found = reading(r"%t [%p] %o: %k: %s\n", b"t [0] 1: a: one\ntwo\nt [x\nt [0] 2: b: \n", tmp_path)
    assert rows(found) == [(1, b"a", b"one\ntwo\nt [x"), (2, b"b", b"")]
    assert "null or empty" in found.note


def test_sizes_say_where_key_and_value_end_and_what_is_null(tmp_path: Path) -> None:
    content = b"1 3 9 a b one\n2 1 x\n2 -1 0  \n3 1 -1 k \n"
    found = reading(r"%o %K %S %k %s\n", content, tmp_path)
    assert [(row["key"], row["value"]) for row in found.records] == [
        (b"a b", b"one\n2 1 x"),
        (None, b""),
        (b"k", None),
    ]


def test_headers_are_read(tmp_path: Path) -> None:
    [row] = reading(r"%o %h %s\n", b"1 a=b,c=NULL,d= v\n", tmp_path).records
    assert row["headers"] == [
        {"key": b"a", "value": b"b"},
        {"key": b"c", "value": None},
        {"key": b"d", "value": b""},
    ]
    assert (row["key"], row["key_is_null"]) == (None, False)


def test_null_is_named_where_the_command_asks_for_it(tmp_path: Path) -> None:
    file = replace(
        saved(b"1 NULL v\n2 k NULL\n", tmp_path), command=r"kcat -b h:9092 -CZ -t x -f '%o %k %s\n'"
    )
    found = read_file(source, file)
    assert (found.column("key_is_null"), found.column("value_is_null")) == ([True, False], [False, True])


@pytest.mark.parametrize(
    "command",
    [
        r"kcat -b h:9092 -t x -f '%o %k\n'", r"kafkacat -C -f'%o %k\n'", r"kcat -t x -f $'%o %k\n'", r"kcat -f$'%o %k\n' -C",
        r'$ docker run edenhill/kcat kcat -f "%o %k\n" -t x',
        "kcat -b h \\\n -f '%o %k\\n'",
    ],
)  # fmt: skip
def test_the_format_of_a_command_is_found(command: str) -> None:
    found = of_command(command)
    assert found is not None
    assert found.text == r"%o %k\n"


@pytest.mark.parametrize("command", ["", "kcat -J -t x", "awk -f '%k'", "kcat -f '", "kcat -f '%t'"])
def test_other_commands_have_none(command: str) -> None:
    assert of_command(command) is None


def test_a_command_in_the_paste_wins_over_what_was_given() -> None:
    file = InputFile("a", "a", 1, command="kcat -f '%k'")
    assert with_text_format([file], "%s") == [file]
    assert shlex.split(with_text_format([InputFile("a", "a", 1)], r"%s\n")[0].command) == [
        "kcat",
        "-f",
        r"%s\n",
    ]
    with pytest.raises(ValueError, match="not a format of kcat"):
        with_text_format([], "%t")


def test_what_does_not_fit_is_told(tmp_path: Path) -> None:
    found = reading(r"%o %k %s\n", b"1 a b\nnothing here\n2 c d\n", tmp_path)
    assert [row["offset"] for row in found.records] == [1, 2]
    assert found.damage == [] or found.damage[0]["reason"] == "bad_line"


RECORDS = (
    ("k", "value one", ""),
    ("key-2", '{"a": 1, "value": 2}', "a=b"),
    ("zz", "", ""),
    ("k.1", "line a\nline b", "c=d"),
)
FORMATS = (
    r"\nKey (%K bytes): %k\t\nValue (%S bytes): %s\nTimestamp: %T\tPartition: %p\tOffset: %o\n--\n",
    r"\nKey (%K bytes): %k\nValue (%S bytes): %s\nTimestamp: %T\nPartition: %p\nOffset: %o\nHeaders: %h\n",
    r"Topic %t[%p], offset: %o, key: %k, payload: %S bytes: %s\n",
    r"Topic %t [%p] at offset %o: key %k: %s\n",
    r"%t [%p] at offset %o: key %k: %s\n",
    r"Key: %k\nValue: %s\nPartition: %p\tOffset: %o\n--\n",
    r"Topic: %t\nPartition: %p\nOffset: %o\nTimestamp: %T\nHeaders: %h\nKey: %k\nValue: %s\n\n",
    r"Offset: %o Key: %k Value: %s\n",
    r"offset %o, key %k, value (%S bytes): %s\n---\n",
    r"%T\t%t\t%p\t%o\t%K\t%S\t%h\t%k\t%s\n",
    r"%p|%o|%K|%S|%k|%s\n",
    r"%o %K %S %k %s\n",
)


def printed(text: str, records: tuple[tuple[str, str, str], ...] = RECORDS) -> bytes:
    rows = ""
    for number, (key, value, headers) in enumerate(records):
        fields = {
            "%t": "orders",
            "%p": 0,
            "%o": 5 + number,
            "%T": 1700000000000 + number,
            "%k": key,
            "%s": value,
            "%h": headers,
        }
        fields |= {"%K": len(key), "%S": len(value)}
        row = text.replace(r"\n", "\n").replace(r"\t", "\t")
        rows += re.sub("%[tpoTkshKS]", lambda mark, fields=fields: str(fields[mark[0]]), row)
    return rows.encode()


@pytest.mark.parametrize("text", FORMATS)
@pytest.mark.parametrize("count", [2, 4])
def test_a_format_is_derived_from_the_rows(text: str, count: int, tmp_path: Path) -> None:
    content = printed(text, RECORDS[:count])
    found = read_file(source, saved(content, tmp_path))
    assert recognised(content, tmp_path)[source.id].matches
    expected = [
        (5 + number, key.encode(), value.encode()) for number, (key, value, _) in enumerate(RECORDS[:count])
    ]
    assert rows(found) == expected
    assert f"'{text}', which the records themselves show" in found.note


@pytest.mark.parametrize(
    ("text", "records"),
    [
        (
            r"%t [%p] at offset %o: key %k: %s\n",
            (("a: b", "v", ""), ("c: d", "w", "")),
        ),  # the key may end at either colon
        (r"%t %p %o %k %s\n", (("k", "v", ""), ("j", "w", ""))),
        (r"%o|%k|%s\n", (("k", "v", ""), ("j", "w", ""))),
        (
            r"Key: %k Value: %s\n",
            (("k", "v", ""), ("j", "w", "")),
        ),  # no offset and no size: any two labels look so
    ],
)
def test_what_the_rows_do_not_prove_is_asked_with_a_guess(
    text: str, records: tuple[tuple[str, str, str], ...], tmp_path: Path
) -> None:
    content = printed(text, records)
    assert not recognised(content, tmp_path)[source.id].matches
    assert likely_format(saved(content, tmp_path), content) == text


@pytest.mark.parametrize("text", [r"%o %K %S %k %s\n", r"Offset: %o, value (%S bytes): %s\n"])
def test_a_size_that_contradicts_its_value_proves_nothing(text: str) -> None:
    content = printed(text).replace(b"value one", b"value 1")
    found = derived_from(content)
    assert found is None or not found.is_proved


@pytest.mark.parametrize(
    "content",
    [
        b"a b c\n" * 9,
        b"topic: a\npartition: 3\nvalue: x\n",
        b"offset: 3\nand prose\noffset: 4\n",
        b"2024-01-01 INFO x\n",
        b"1\t2\t3\n",
        b"Key: a\nother\n",
    ],
)
def test_text_is_not_taken_for_a_format(tmp_path: Path, content: bytes) -> None:
    assert not recognised(content, tmp_path)[source.id].matches


def test_a_format_that_begins_with_a_line_feed_reads_a_paste_that_lost_the_first(tmp_path: Path) -> None:
    found = reading(r"\n%k\n%s\n", b"k\nv\n\nl\nw\n", tmp_path)
    assert [(row["key"], row["value"]) for row in found.records] == [(b"k", b"v"), (b"l", b"w")]


@pytest.mark.parametrize(
    ("text", "is_lacking"), [(r"%K %k %S %s\n", False), (r"%k %s\n", True), (r"%K %k %s\n", True)]
)
def test_sizes_tell_null_from_empty(tmp_path: Path, text: str, is_lacking: bool) -> None:
    path = tmp_path / "print.txt"
    path.write_bytes(b"1 a 1 b\n")
    file = InputFile("print.txt", str(path), 8, command=f"kcat -C -f '{text}'")
    (part,) = source.split(file, 0, "t", 0, "")
    assert ("null-or-empty" in part.lacks) is is_lacking
