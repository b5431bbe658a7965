"""Texts of journals are plain: no word that `tests/words_not_to_use.txt` lists, in the code of a room or in a report."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.plain_words import texts_of, unwanted, unwanted_in_code, unwanted_in_report
from tests.spark.corpus_inputs import Inspected, cases
from tests.spark.whole_pipeline import report_of

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = sorted((ROOT / "webapp/journals/samples").glob("*.zip"))
ROOMS = sorted(path for path in (ROOT / "spark").iterdir() if (path / "__init__.py").exists())


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_no_sentence_in_the_code_has_a_word_not_to_use(room: Path) -> None:
    modules = sorted(room.rglob("*.py"))
    assert modules
    assert unwanted_in_code(modules, ROOT) == []


def test_words_are_found_and_data_is_left_alone() -> None:
    assert unwanted("The log goes on behind the Hole.") == ["goes on", "Hole"]
    assert unwanted('Run `mend --hole`; a file whole.txt, an artifact a/hole, a "hole".') == []
    assert unwanted("Topic hole-0 and the key mended.", {"hole-0", "mended"}) == []


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
def test_reports_of_the_samples_are_plain(sample: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(sample) as archive:
        archive.extractall(tmp_path / "input")
    report = report_of(tmp_path / "input", tmp_path / "results")
    assert any(texts_of(report))
    assert unwanted_in_report(report) == []


@pytest.mark.parametrize(("folder", "names"), list(cases()))
def test_reports_of_real_journals_are_plain(
    folder: Path, names: list[str], corpus_inspection: Callable[[Path, list[str]], Inspected]
) -> None:
    assert unwanted_in_report(corpus_inspection(folder, names).report) == []
