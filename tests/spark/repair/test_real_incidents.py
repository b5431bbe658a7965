"""Repairs of the real journals: no way that is offered loses anything at a start or a compaction after it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark.repair.answers import APPEND, Repaired, RepairOption
from spark.repair.inputs import Input
from spark.repair.result import PLANNERS, repair, repaired_log
from spark.repair.trial import compared
from spark.simulation.starts import start
from spark.stages.state_at import state_at
from spark.tables import Manifest
from tests.spark.states import compared as differences
from tests.spark.states import files_of
from tests.spark.transaction_logs import CORPUS, NO_CORPUS
from tests.spark.whole_pipeline import report_on

REAL = CORPUS / "apicurio-real"
pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason=NO_CORPUS)
DELETE = b'{"action":3}'


def inspected(case: str, folder: Path) -> Input:
    """A journal of the corpus."""
    name = case.rpartition("/")[2]
    source = CORPUS / case if "/" in case else REAL / case
    return Input(report_on(files_of(source, ["kafkasql-journal-0"]), folder / name), folder / name, case)


def repaired(folder: Path, case: str, *older: str) -> list[Repaired]:
    """What comes of a case with older dumps beside it."""
    others = [inspected(one, folder) for one in older]
    return repair(inspected(case, folder), others, [], report_on, folder / "out").partitions


def only(found: list[Repaired]) -> Repaired:
    """The one partition."""
    (one,) = found
    return one


def journals() -> list[str]:
    """Every journal of Apicurio 2.x in the corpus, as partition folders."""
    found = sorted(
        f"{path.parent.parent.name}/{path.parent.name}" for path in CORPUS.glob("*/*/kafkasql-journal-0")
    )
    return [name for name in found if "v3" not in name] or ["absent"]


@pytest.mark.parametrize("case", journals())
def test_every_way_that_is_offered_was_tried_with_both_releases_and_holds(tmp_path: Path, case: str) -> None:
    for one in repaired(tmp_path, case):
        for way in one.ways:
            assert {outcome.release for outcome in way.outcomes} == {"2.5.9", "2.6.13"}
            assert way.holds, (way.id, way.lacks, way.findings)
        if not one.plan.missing:
            assert one.recommended is not None


AT_RISK = [
    "incident-a-1-at-risk",
    "incident-a-4-repaired-in-place",
    "old-a-1-at-risk",
    "upgrade-a-1-fixed-version",
]


@pytest.mark.parametrize("case", AT_RISK)
def test_of_a_journal_at_risk_no_appended_record_fails(tmp_path: Path, case: str) -> None:
    one = only(repaired(tmp_path, case))
    way = next(way for way in one.ways if way.id == APPEND)
    assert (way.added[0].value or b"")[1:] == DELETE
    assert "Artifact null" not in way.writes
    assert not made_again(way) & written_null(way)


@pytest.mark.parametrize("case", [*AT_RISK, "incident-a-3-content-appended"])
def test_wherever_the_cleaner_has_come_to_nothing_is_lost(tmp_path: Path, case: str) -> None:
    (journal,) = inspected(case, tmp_path).journals()
    language = journal.language
    plan = PLANNERS[journal.dialect](journal, [], [])
    repaired = repaired_log(APPEND, journal, plan)
    for end in range(len(journal.log()) - 1, len(repaired) + 1):
        log = start(repaired, language, "2.6.13").log.compacted(end)
        for _ in range(2):
            one = start(log, language, "2.6.13")
            assert compared(language, "2.6.13", ("start",), one.started.state, plan.required).holds, end
            log = one.log.compacted()


def made_again(way: RepairOption) -> set[bytes]:
    """Keys of the records that make versions."""
    return {one.key for one in way.added if one.key[:1] == b"\x03"}


def written_null(way: RepairOption) -> set[bytes]:
    """Keys of the repair that a null record of the repair itself stands under."""
    return {one.key for one in way.added if one.value is None}


@pytest.mark.parametrize(
    ("case", "older"),
    [
        ("incident-a-2-lost", ["incident-a-1-at-risk"]),
        ("incident-a-1-at-risk", []),
        ("incident-a-3-content-appended", []),
    ],
)
def test_the_repaired_incident_is_what_the_real_registry_held_after_its_repair(
    tmp_path: Path, case: str, older: list[str]
) -> None:
    found = only(repaired(tmp_path, case, *older))
    assert not found.plan.missing
    assert found.recommended is not None
    for way in found.ways:
        tried = Manifest.load(tmp_path / "out" / "kafkasql-journal-0" / f"tried-{way.id}")
        for view, real in (
            ("log", "repaired-a-1-fixed-version"),
            ("full", "repaired-a-2-fixed-version-compacted"),
        ):
            truth = json.loads((REAL / real / "state.json").read_text())
            assert list(differences(truth, state_at(tried, view=view))) == [], (way.id, view)


def test_every_content_of_an_artifact_is_appended_whether_it_is_in_the_journal_or_not(tmp_path: Path) -> None:
    one = only(repaired(tmp_path, "open/incident-b-4-repaired-in-place"))
    way = next(way for way in one.ways if way.id == APPEND)
    written = [added.what for added in way.added if added.what.startswith("content ")]
    assert written == ["content 4", "content 6", "content 3"]


def test_a_journal_that_a_repair_emptied_is_repaired_with_the_dump_from_before(tmp_path: Path) -> None:
    emptied = "repairs-real/a1-append-2-compacted"
    assert repaired(tmp_path / "alone", emptied) == []
    one = only(repaired(tmp_path / "older", emptied, "incident-a-1-at-risk"))
    assert one.plan.recovered == ("pay/invoice.proto/1",)
    assert one.recommended is not None


def test_deletions_that_a_compaction_would_undo_are_kept(tmp_path: Path) -> None:
    one = only(repaired(tmp_path, "latent-a-before-compaction"))
    assert not one.plan.recovered
    assert "version default/tariff/2 stays deleted" in one.plan.settled
    assert "artifact temporary/old-1 stays deleted" in one.plan.settled
    assert any(text.startswith("global rule VALIDITY stays ") for text in one.plan.settled)
    assert one.plan.corrected == ()
    assert one.recommended is not None


def test_imported_versions_keep_the_global_ids_that_they_drew(tmp_path: Path) -> None:
    one = only(repaired(tmp_path, "large-mixed-a"))
    ids = {
        json.loads((added.value or b"")[1:])["globalId"]
        for way in one.ways
        if way.id == APPEND
        for added in way.added
        if added.what.startswith("version ")
    }
    assert -1 not in ids


def test_without_an_older_dump_it_says_what_is_missing(tmp_path: Path) -> None:
    found = only(repaired(tmp_path, "incident-a-2-lost"))
    assert not found.ways
    [missing] = found.plan.missing
    assert missing.entity == "content 4"
    assert missing.needed_by == ("pay/invoice.proto/1",)
    assert "fc4502f6410b" in missing.sought
