"""Why bytes are not JSON, in our own words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from spark.codecs.json_text import why_not_json

READERS = [json.loads, orjson.loads]


@pytest.mark.parametrize("read", READERS, ids=["json", "orjson"])
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b'{"a": \xff}', "it is not UTF-8 text from byte 7 on"),
        (b'{"a":', "it ends before the document is complete"),
        (b'{"a": [1, 2', "it ends before the document is complete"),
        (b'{"a":1}x', "character 8 does not belong there"),
        ('{"ä": x}'.encode(), "character 7 does not belong there"),
        (b"<html>", "character 1 does not belong there"),
    ],
)
def test_what_is_wrong_is_a_clause_with_its_place(
    read: Callable[[bytes], Any], content: bytes, why: str
) -> None:
    with pytest.raises(ValueError) as failed:
        read(content)
    assert why_not_json(content, failed.value) == why


def test_a_depth_that_the_reader_does_not_take_is_named() -> None:
    with pytest.raises(ValueError, match="depth") as failed:
        orjson.loads(b"[" * 2000 + b"]" * 2000)
    assert why_not_json(b"[" * 2000, failed.value) == "it nests too deeply"
