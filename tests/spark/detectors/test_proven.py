"""docs/proven.md: which detector fires on which journal of real software."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from spark.detectors import detectors
from tests.spark.corpus_inputs import CORPUS, Inspected, cases
from tests.spark.transaction_logs import NO_CORPUS

ROOT = Path(__file__).resolve().parents[3]
ROW = re.compile(r"^\| \[([a-z0-9-]+)\]\(detectors/\1\.md\) \| ([^|]+) \| `([^`]+)` \|$", re.MULTILINE)
PAGE = (ROOT / "docs/proven.md").read_text()
ROWS = ROW.findall(PAGE)
LIVE = "tests/live/"
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)
PROVEN = [pytest.param(id, case, id=id) for id, _, case in ROWS if not case.startswith(LIVE)]


def test_the_rows_are_those_of_detectors_in_their_order() -> None:
    named = [id for id, _, _ in ROWS]
    assert named == sorted(set(named) & set(detectors()))
    assert PAGE.count("](detectors/") == len(ROWS)  # none of another form


def test_a_live_test_that_a_row_names_is_about_the_detector() -> None:
    for id, _, case in ROWS:
        assert not case.startswith(LIVE) or f'"{id}"' in (ROOT / case).read_text()


@needs_corpus
def test_the_journals_that_the_page_names_are_there() -> None:
    assert [
        case for _, case in (one.values for one in PROVEN) if not (CORPUS / str(case) / "case.json").is_file()
    ] == []


@needs_corpus
@pytest.mark.parametrize(("id", "case"), PROVEN)
def test_the_detector_fires_on_the_journal_that_the_page_names(
    id: str, case: str, corpus_inspection: Callable[[Path, list[str]], Inspected]
) -> None:
    inputs = [one.values for one in cases() if one.values[0] == CORPUS / case]
    reports = (corpus_inspection(folder, names).report for folder, names in inputs)  # type: ignore[arg-type]
    assert any(id == finding["detector"] for report in reports for finding in report["findings"])
