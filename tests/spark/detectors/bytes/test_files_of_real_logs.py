"""Names, holes and indexes of folders that real software wrote: nothing is wrong but what a script did to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.detectors.bytes import index_mismatch, misnamed_segment, missing_segment
from spark.terms.findings import Finding
from tests.spark.log_folders import tables_of

CORPUS = Path(__file__).parents[4].parent / "shared" / "corpus"
ROOTS = ("brokers", "internal-real", "connect-real", "schemas-real", "apicurio-real")
MODULES = (index_mismatch, misnamed_segment, missing_segment)
DAMAGED = sorted(CORPUS.glob("brokers/damage-2.8.2/*"))
pytestmark = pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not beside the repository")


def data_folders() -> list[Path]:
    """Folders that hold folders of partitions, and are one state of one broker or several brokers side by side."""
    above = {path.parent.parent for root in ROOTS for path in (CORPUS / root).rglob("*.log")}
    return sorted(
        path for path in above if path.parent.name != "damage-2.8.2" and path.name != "text-layouts"
    )


def found(folder: Path, results: Path) -> list[Finding]:
    tables = tables_of(folder, results)
    return [module.detector.describe(row) for module in MODULES for row in module.detector.find(tables)]


def sampled(folders: list[Path]) -> list[Any]:
    """Every fourth in the usual run, the others with make test-long."""
    return [
        pytest.param(folder, id=str(folder.relative_to(CORPUS)), marks=pytest.mark.long if number % 4 else ())
        for number, folder in enumerate(folders)
    ]


@pytest.mark.wide
@pytest.mark.parametrize("folder", sampled(data_folders()))
def test_a_folder_as_software_left_it_is_clean(folder: Path, tmp_path: Path) -> None:
    assert [finding.title for finding in found(folder, tmp_path)] == []


@pytest.mark.wide
@pytest.mark.parametrize("folder", DAMAGED, ids=lambda path: path.name)
def test_a_folder_that_was_edited_shows_what_was_done(folder: Path, tmp_path: Path) -> None:
    case = json.loads((folder / "case.json").read_text())
    ours = {module.detector.id for module in MODULES}
    expected = {
        (wanted["finding"], wanted["first_offset"], wanted["last_offset"])
        for wanted in case["expect"]
        if wanted["finding"] in ours
    }
    also_right = case.get("also_right", ())
    results = [finding for finding in found(folder, tmp_path) if finding.detector not in also_right]
    assert {(finding.detector, finding.first_offset, finding.last_offset) for finding in results} == expected


@pytest.mark.wide
@pytest.mark.parametrize("folder", DAMAGED, ids=lambda path: path.name)
def test_index_entries_that_a_change_of_the_segment_moved_are_named(folder: Path, tmp_path: Path) -> None:
    moved = {
        "duplicated-batch": [106, 114, 129, 142, 144],
        "swapped-batches": [97],
        "hole": [190, 199, 214, 219, 229],
    }
    results = [finding for finding in found(folder, tmp_path) if "The segment changed" in finding.explanation]
    assert [finding.evidence for finding in results] == [
        moved[name] for name in [folder.name] if name in moved
    ]
