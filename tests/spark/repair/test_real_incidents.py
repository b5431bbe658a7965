"""The incident's journals are mended into what the real registry held after the repair that works."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark.repair.result import Input, Repaired, repair
from spark.stages.state_at import state_at
from spark.tables import Manifest
from tests.spark.states import compared, files_of
from tests.spark.transaction_logs import CORPUS, NO_CORPUS
from tests.spark.whole_pipeline import report_on

REAL = CORPUS / "apicurio-real"
pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason=NO_CORPUS)


def inspected(case: str, folder: Path) -> Input:
    """A journal of the corpus."""
    return Input(report_on(files_of(REAL / case, ["kafkasql-journal-0"]), folder / case), folder / case, case)


def mended(folder: Path, case: str, *older: str) -> Repaired:
    """What comes of a case with older dumps beside it."""
    found = repair(
        inspected(case, folder), [inspected(one, folder) for one in older], [], report_on, folder / "out"
    )
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("case", "older"),
    [
        ("incident-a-2-lost", ["incident-a-1-at-risk"]),
        ("incident-a-1-at-risk", []),
        ("incident-a-3-content-appended", []),
    ],
)
def test_the_mended_incident_is_what_the_real_registry_held_after_its_repair(
    tmp_path: Path, case: str, older: list[str]
) -> None:
    found = mended(tmp_path, case, *older)
    assert not found.plan.missing
    assert found.recommended is not None
    for way in found.ways:
        assert way.holds, (way.id, way.lacks, way.findings)
        tried = Manifest.load(tmp_path / "out" / "kafkasql-journal-0" / f"tried-{way.id}")
        for view, real in (
            ("log", "repaired-a-1-fixed-version"),
            ("full", "repaired-a-2-fixed-version-compacted"),
        ):
            truth = json.loads((REAL / real / "state.json").read_text())
            assert list(compared(truth, state_at(tried, view=view))) == [], (way.id, view)


def test_without_an_older_dump_it_says_what_is_wanted(tmp_path: Path) -> None:
    found = mended(tmp_path, "incident-a-2-lost")
    assert not found.ways
    [missing] = found.plan.missing
    assert missing.entity == "content 4"
    assert missing.needed_by == ("pay/invoice.proto/1",)
    assert "fc4502f6410b" in missing.wanted
