"""Redaction in a process of its own: the same result, a limit of time, and the errors that it met."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
from pathlib import Path

import pytest

import spark
from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results
from webapp.reports.results import ResultsGone
from webapp.sharing.redaction import Options, Selection
from webapp.sharing.redaction.apart import COMMAND, ROOT, TooLong, redact_apart
from webapp.sharing.redaction.patterns import Unusable
from webapp.sharing.redaction.vocabulary import vocabulary_of

pytestmark = pytest.mark.integration
HOUSE = vocabulary_of(Path(spark.__file__).parent)


def test_a_process_of_its_own_writes_the_tables_and_answers_with_the_report(tmp_path: Path) -> None:
    source = write_results(tmp_path / "source", records=records_table({"value": b"1"}))
    document = redact_apart(source, tmp_path / "share", Options(b"salt"), Selection(), HOUSE)
    assert json.loads((tmp_path / "share/report.json").read_text()) == document


def test_its_errors_are_those_of_the_redaction(tmp_path: Path) -> None:
    source = write_results(tmp_path / "source", records=records_table({"value": b"1"}))
    with pytest.raises((ResultsGone, FileNotFoundError)):
        redact_apart(tmp_path / "gone", tmp_path / "share", Options(b""), Selection(), HOUSE)
    with pytest.raises(Unusable, match="refers to a group"):
        redact_apart(source, tmp_path / "share", Options(b"", patterns=(r"(a)\1",)), Selection(), HOUSE)


def test_a_time_limit_ends_it_with_a_sentence(tmp_path: Path) -> None:
    source = write_results(tmp_path / "source", records=records_table({"value": b"1"}))
    with pytest.raises(TooLong, match=r"took longer than 0 seconds.*Use fewer or simpler patterns"):
        redact_apart(source, tmp_path / "share", Options(b""), Selection(), HOUSE, 0.01)


class Printing:
    """Where it is unpickled, something is printed, as DuckDB prints the progress of a long query."""

    def __reduce__(self) -> tuple[object, tuple[int, bytes]]:
        return os.write, (1, b"\r 97% (<1 second remaining)")


def test_what_a_library_prints_is_not_taken_for_the_answer() -> None:
    job = pickle.dumps((Printing(), None, None, None, None))
    done = subprocess.run(COMMAND, input=job, capture_output=True, cwd=ROOT, check=True)
    assert "problem" in json.loads(done.stdout)
    assert b"97%" in done.stderr
