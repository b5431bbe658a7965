"""What sentences say while headers are hidden and keys and values are shown."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors import detectors
from spark.redaction import READ_HEADERS, Options, sentence_options
from spark.redaction.options import NAMES

SHOWN = {"payloads": True, "keys": True}


def report(*ids: str) -> dict[str, Any]:
    return {"findings": [{"detector": detector} for detector in ids]}


def test_every_check_that_reads_headers_is_known() -> None:
    assert {each.id for each in detectors().values() if "headers" in each.needs} == READ_HEADERS


@pytest.mark.parametrize(
    ("document", "choices", "keys"),
    [
        (report("orphan-content", "dead-letters"), SHOWN, NAMES),
        (report("rule:default/a"), SHOWN, NAMES),
        (report("orphan-content"), SHOWN, True),
        (report("dead-letters"), SHOWN | {"headers": True}, True),
        (report("dead-letters"), {"keys": True}, True),
        (report("dead-letters"), {"payloads": True, "keys": False}, False),
    ],
)
def test_keys_are_hidden_where_a_sentence_may_quote_headers(
    document: dict[str, Any], choices: dict[str, Any], keys: object
) -> None:
    assert sentence_options(document, Options(b"salt", **choices)).keys == keys
