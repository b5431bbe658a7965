"""Headings above values: they name the topic, and divide the values of one topic from those of the next."""

from __future__ import annotations

import json

import pytest

from spark.sources import InputFile
from spark.sources._columns.question import question_on
from spark.sources._wrapping import sorted_out
from spark.sources._wrapping.lines import lines_of
from spark.sources._wrapping.suspicion import is_suspicious
from spark.stages.pasted import named_by_command
from spark.tables.replica import PartitionReplica
from tests.spark.sources._wrapping.sorted_texts import kcat, sorted_text

STATUS = b'{"state":"RUNNING","trace":null,"worker_id":"w1:8083","generation":3}\n' * 2
OFFSETS = b'{"offset":412}\n{"offset":0}\n{"offset":0}\n'


def topics(text: bytes) -> list[tuple[str, int]]:
    """Topic and number of lines of each print."""
    prints, _ = sorted_out(lines_of(text, "utf-8"))
    return [(part.topic, len(part.lines)) for part in prints]


@pytest.mark.parametrize(
    "form", [b"### %s:\n\n", b"# %s\n", b"%s:\n", b"**%s**:\n", b"Topic %s\n\n```\n", b"1. `%s`\n", b"%s topic:\n"]
)  # fmt: skip
def test_a_heading_names_the_topic_and_begins_another_print(form: bytes) -> None:
    fence = b"```\n" if b"```" in form else b""
    text = form % b"connect-status" + STATUS + fence + b"\n" + form % b"connect-offsets" + OFFSETS + fence
    assert is_suspicious(text)
    assert topics(text) == [("connect-status", 2), ("connect-offsets", 3)]


@pytest.mark.parametrize(
    "line", [b"# 2024-05-06 a note", b"output:", b"result.json:", b"and then", b"connect-offsets"]
)
def test_other_lines_above_values_name_nothing(line: bytes) -> None:
    assert topics(line + b"\n" + OFFSETS) == [("", 3)]


def test_a_section_without_a_topic_ends_the_topic_before() -> None:
    text = b"## connect-offsets\n" + OFFSETS + b"\n## What it looks like today\n" + STATUS
    assert topics(text) == [("connect-offsets", 3), ("", 2)]


def test_keys_of_a_format_and_records_are_under_no_heading() -> None:
    text = b'$ kcat -b b:9092 -t orders -f \'%k:\\n%s\\n\'\norder-1:\n{"a":1}\norder-2:\n{"a":2}\n'
    assert {topic for topic, _ in topics(text)} == {""}
    assert topics(b"## orders-copy\n" + kcat(0) + b"\n") == [("", 1)]


def test_a_command_goes_before_a_heading() -> None:
    file = InputFile("a", "a", 1, heading="connect-offsets")
    assert named_by_command(file, PartitionReplica("?", 0)).topic == "connect-offsets"
    asked = InputFile("a", "a", 1, command="kcat -b b:9092 -t orders", heading="connect-offsets")
    assert named_by_command(asked, PartitionReplica("?", 0)).topic == "orders"


def test_values_with_an_equal_offset_are_not_printed_twice() -> None:
    found = sorted_text(b"$ a\n" + OFFSETS + b"\n$ a\n" + OFFSETS)
    assert found.repeated == 0


def test_the_guess_of_columns_takes_no_offset_and_no_key_out_of_values() -> None:
    rows = [{"state": "RUNNING", "worker_id": f"w{n}:8083", "what": "x"} for n in range(3)] + [
        {"offset": 4},
        {"offset": 9},
    ]
    head = "\n".join(map(json.dumps, rows)).encode()
    question = question_on(InputFile("a.json", "a.json", len(head)), head)
    assert question is not None
    assert (question["guess"], question["mapping"]) == ({}, "")
