"""Texts of journals are plain: no word that `tests/words_not_to_use.txt` lists, in the code of a room or in a report.

Not held against it: the vocabulary of redaction, a list of names.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.plain_words import texts_of, unwanted, unwanted_in_code, unwanted_in_report
from tests.spark.whole_pipeline import report_of

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT.parent / "shared" / "corpus"
TRUTH = {"case.json", "registry-state.json", "state.json", "truth.json"}
SAMPLES = sorted((ROOT / "workers/samples").glob("*.zip"))
ROOMS = sorted(path for path in (ROOT / "spark").iterdir() if (path / "__init__.py").exists())
VOCABULARY = ROOT / "spark/redaction/house_words.py"


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_no_sentence_in_the_code_has_a_word_not_to_use(room: Path) -> None:
    modules = [path for path in sorted(room.rglob("*.py")) if path != VOCABULARY]
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


def cases() -> Iterator[Any]:
    """The inputs of the corpus beside the repository, with their truth files left out; not what is to be refused."""
    for path in sorted(CORPUS.rglob("case.json")):
        case = json.loads(path.read_text())
        present = [one.name for one in sorted(path.parent.iterdir()) if one.name not in TRUTH]
        for number, variant in enumerate(case.get("variants") or [case.get("inspect") or present]):
            names = variant["inspect"] if isinstance(variant, dict) else variant
            if "refuse" not in case and path.parent.name != "pasted":
                yield pytest.param(path.parent, names, id=f"{path.parent.relative_to(CORPUS)} {number}")


@pytest.mark.parametrize(("folder", "names"), list(cases()))
def test_reports_of_real_journals_are_plain(folder: Path, names: list[str], tmp_path: Path) -> None:
    for name in names:
        target = tmp_path / "input" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (folder / name).is_dir() else shutil.copy)(folder / name, target)
    assert unwanted_in_report(report_of(tmp_path / "input", tmp_path / "results")) == []
