"""Redaction in a process of its own: the same result, a limit of time, and the errors that it met."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from spark.redaction import Options, Selection, process
from spark.redaction.masking.patterns import Unusable
from spark.redaction.process import TooLong, redact_apart
from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.results import ResultsGone

pytestmark = pytest.mark.integration


def test_a_process_of_its_own_writes_the_tables_and_answers_with_the_report(tmp_path: Path) -> None:
    source = write_results(tmp_path / "source", records=records_table({"value": b"1"}))
    document = redact_apart(source, tmp_path / "share", Options(b"salt"), Selection())
    assert json.loads((tmp_path / "share/report.json").read_text()) == document


def test_its_errors_are_those_of_the_redaction(tmp_path: Path) -> None:
    source = write_results(tmp_path / "source", records=records_table({"value": b"1"}))
    with pytest.raises((ResultsGone, FileNotFoundError)):
        redact_apart(tmp_path / "gone", tmp_path / "share", Options(b""), Selection())
    with pytest.raises(Unusable, match="refers to a group"):
        redact_apart(source, tmp_path / "share", Options(b"", patterns=(r"(a)\1",)), Selection())


def test_a_time_limit_ends_it_with_a_sentence(tmp_path: Path) -> None:
    source = write_results(tmp_path / "source", records=records_table({"value": b"1"}))
    with pytest.raises(TooLong, match=r"took longer than 0 seconds.*Use fewer or simpler patterns"):
        redact_apart(source, tmp_path / "share", Options(b""), Selection(), 0.01)


NOISY = """
import os
from spark.redaction import process
def redact(*_):
    print("42%")
    os.write(1, b"43%")
    return {"verdict": "healthy"}
process.redact = redact
process.main()
"""


def test_what_libraries_print_is_no_part_of_the_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(process, "COMMAND", (sys.executable, "-c", NOISY))
    told = redact_apart(tmp_path, tmp_path, Options(b""), Selection())
    assert told == {"verdict": "healthy"}
