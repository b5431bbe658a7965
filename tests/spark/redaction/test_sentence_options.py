"""What sentences say while headers are hidden and keys and values are shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.detectors import detectors
from spark.redaction import READ_HEADERS, Options, sentence_options, words_of
from spark.redaction.options import NAMES
from spark.redaction.typed_texts import HIDDEN
from tests.generator.apicurio import incident
from tests.generator.dumps import kcat_base64
from tests.spark.whole_pipeline import report_of

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


def test_a_plan_of_repair_quotes_no_header_either(tmp_path: Path) -> None:
    """Its sentences end with titles of findings."""
    dump = tmp_path / "dump" / "dump.json"
    dump.parent.mkdir()
    dump.write_bytes(kcat_base64(incident(2, "healthy")))
    report_of(dump.parent, tmp_path / "results")
    file, sentence = tmp_path / "results" / "report.json", "The inspection reports 1 finding (header x-user)."
    assert words_of(tmp_path / "results", Options(b"salt", **SHOWN)).sentence(sentence) == sentence
    file.write_text(json.dumps(json.loads(file.read_text()) | report("dead-letters")))
    assert words_of(tmp_path / "results", Options(b"salt", **SHOWN)).sentence(sentence) == HIDDEN
    shown = Options(b"salt", **SHOWN, headers=True)
    assert words_of(tmp_path / "results", shown).sentence(sentence) == sentence
