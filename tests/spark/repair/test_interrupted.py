"""Repairs of journals in which an earlier repair stopped: what it deleted comes back, with no older dump."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from spark.repair import Added, Plan, apicurio_v2, envelopes
from spark.repair.inputs import Input
from spark.repair.journal import PartitionJournal, StoredRecord
from spark.repair.marks import new_id, with_marks
from spark.repair.result import repair
from spark.repair.trial import tried
from spark.simulation.starts import start
from spark.sources import InputFile
from spark.tables.repair_records import HEADER, REQUEST
from tests.generator.apicurio import incident
from tests.generator.dumps import kcat_base64
from tests.spark.states import files_of
from tests.spark.transaction_logs import CORPUS, NO_CORPUS
from tests.spark.whole_pipeline import report_on

RELEASE = "2.6.13"
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)


@dataclass(frozen=True)
class Broken:
    """A journal, its plan with marks, and a folder for what is made of it."""

    journal: PartitionJournal
    plan: Plan
    folder: Path

    @classmethod
    def of(cls, journal: PartitionJournal, folder: Path) -> Broken:
        """A journal with a repair of its own."""
        plan = apicurio_v2.plan(journal, [], [])
        assert plan.appended
        return cls(journal, plan, folder)

    def interrupted(self, records: Sequence[Added], is_started: bool) -> PartitionJournal:
        """The journal with these records behind it, and with what a start on it writes."""
        started: list[Added] = []
        if is_started:
            log = self.journal.log().appended(records)
            writes = start(log, self.journal.language, RELEASE).started.writes
            started = [Added(one.record.key, one.record.value, (), 0, "", "") for one in writes]
        lines = [*self.journal.all_records(), *records, *started]
        return read_again(lines, self.journal, self.folder / f"{len(records)}-{is_started}")

    def assert_finished(self, journal: PartitionJournal) -> None:
        """A repair of that dump brings back everything, through starts and compactions."""
        plan = apicurio_v2.plan(journal, [], [])
        assert not plan.missing
        types = journal.language.compared
        missing = [one for one in self.plan.required if one[0] in types and one not in plan.required]
        assert missing == []
        outcomes = tried(journal.log().appended(plan.appended), journal.language, self.plan.required)
        assert [one.as_json() for one in outcomes if not one.holds] == []


def read_again(
    lines: Sequence[StoredRecord | Added], like: PartitionJournal, folder: Path
) -> PartitionJournal:
    """Records as a dump that is inspected."""
    topic, partition, _ = like.replica
    first = next(like.all_records()).offset
    envelopes.write(folder, "dump", lines, topic, partition, first, stamp=0)
    path = folder / "dump.topicdump"
    report = report_on(
        [InputFile(path.name, str(path), path.stat().st_size)], folder / "results", {"": like.dialect}
    )
    (journal,) = Input(report, folder / "results", "this journal").journals()
    return journal


def made_up(folder: Path, seed: int) -> PartitionJournal:
    """A made-up journal at risk."""
    path = folder / "journal.json"
    path.write_bytes(kcat_base64(incident(seed, "at_risk", affected_count=2, affected_versions=2)))
    report = report_on([InputFile(path.name, str(path), path.stat().st_size)], folder / "journal")
    (journal,) = Input(report, folder / "journal", "this journal").journals()
    return journal


def real(folder: Path, case: str) -> PartitionJournal:
    """A journal of the corpus."""
    report = report_on(files_of(CORPUS / case, ["kafkasql-journal-0"]), folder / "journal")
    (journal,) = Input(report, folder / "journal", "this journal").journals()
    return journal


@pytest.mark.parametrize("is_started", [False, True])
def test_a_repair_that_stopped_after_its_first_delete_is_finished_by_the_next(
    tmp_path: Path, is_started: bool
) -> None:
    broken = Broken.of(made_up(tmp_path, 1), tmp_path)
    records = with_marks(broken.plan.appended, new_id())
    broken.assert_finished(broken.interrupted(records[:1], is_started))


@pytest.mark.long
@pytest.mark.parametrize("is_started", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_repair_that_stopped_after_any_record_is_finished_by_the_next(
    tmp_path: Path, seed: int, is_started: bool
) -> None:
    broken = Broken.of(made_up(tmp_path, seed), tmp_path)
    records = with_marks(broken.plan.appended, new_id())
    for number in range(1, len(records)):
        broken.assert_finished(broken.interrupted(records[:number], is_started))


AT_RISK = [
    "incident-a-1-at-risk",
    "old-a-1-at-risk",
    "large-mixed-a",
    "latent-a-before-compaction",
    "upgrade-a-1-fixed-version",
]


@needs_corpus
@pytest.mark.long
@pytest.mark.parametrize("is_started", [False, True])
@pytest.mark.parametrize("case", AT_RISK)
def test_a_repair_of_a_real_journal_that_stopped_after_any_record_is_finished_by_the_next(
    tmp_path: Path, case: str, is_started: bool
) -> None:
    broken = Broken.of(real(tmp_path, f"apicurio-real/{case}"), tmp_path)
    records = with_marks(broken.plan.appended, new_id())
    for number in range(1, len(records)):
        broken.assert_finished(broken.interrupted(records[:number], is_started))


INTERRUPTED = ["b1-kill-0-interrupted", "b1-kill-1-started", "b1-append-client-writes-1-started"]


@needs_corpus
@pytest.mark.parametrize("case", INTERRUPTED)
def test_a_real_repair_that_was_interrupted_is_recognized_and_finished(tmp_path: Path, case: str) -> None:
    results = tmp_path / "results"
    files = files_of(CORPUS / "repairs-real-2" / case, ["kafkasql-journal.kcat-J.ndjson"])
    report = report_on(files, results)
    assert [one["severity"] for one in report["findings"] if one["detector"] == "unfinished-repair"] == [
        "critical"
    ]
    answer = repair(Input(report, results, "this journal"), [], [], report_on, tmp_path / "out")
    (partition,) = answer.partitions
    assert partition.plan.recovered == ("fleet/trip/1", "fleet/trip/2", "fleet/vehicle/2023-11")
    assert [(way.id, way.holds, way.lacks) for way in partition.ways] == [
        ("append", True, []),
        ("copy", True, []),
    ]
    state = partition.plan.required
    assert state["version", "fleet/vehicle/2023-11"]["state"] == "DEPRECATED"
    assert state["version", "fleet/trip/2"]["name"] == "Trip v2"
    assert ("artifact-rule", "fleet/vehicle/COMPATIBILITY") in state
    assert (("artifact", "default/client-1") in state) is ("client" in case)


@needs_corpus
def test_a_state_that_the_last_record_of_a_repair_would_set_comes_from_an_older_dump(tmp_path: Path) -> None:
    """Seven of eight records: the eighth sets the state of a version. The older dump is the journal before its loss."""
    case = CORPUS / "repairs-real-2"
    lines = (
        (case / "b1-kill-0-interrupted" / "kafkasql-journal.kcat-J.ndjson")
        .read_bytes()
        .splitlines(keepends=True)
    )
    path = tmp_path / "before.ndjson"
    path.write_bytes(b"".join(lines[:56]))
    older = Input(
        report_on([InputFile(path.name, str(path), path.stat().st_size)], tmp_path / "older"),
        tmp_path / "older",
        "before",
    )
    cut = case / "b2-older-append-interrupted-7of8-1-started"
    results = tmp_path / "results"
    broken = Input(
        report_on(files_of(cut, ["kafkasql-journal.kcat-J.ndjson"]), results), results, "this journal"
    )
    (partition,) = repair(broken, [older], [], report_on, tmp_path / "out").partitions
    assert partition.recommended is not None
    assert partition.plan.required["version", "fleet/vehicle/2023-11"]["state"] == "DEPRECATED"


def test_each_record_of_an_append_has_its_number_and_a_request_id_that_no_other_has(tmp_path: Path) -> None:
    journal = made_up(tmp_path, 1)
    broken = Input(
        {"journals": [{"topic": journal.replica.topic, "dialect": journal.dialect}], "findings": []},
        tmp_path / "journal",
        "this journal",
    )
    (partition,) = repair(broken, [], [], report_on, tmp_path / "out").partitions
    written = (tmp_path / "out" / partition.folder / "append.ndjson").read_text().splitlines()
    headers = [{one["key"]: one["value"] for one in json.loads(line)["headers"]} for line in written]
    assert len({one[REQUEST] for one in headers}) == len(written)
    marks = [one.headers[-1] for one in partition.ways[0].added]
    total = len(written)
    assert [name for name, _ in marks] == [HEADER] * total
    assert [str(mark).split()[1] for _, mark in marks] == [
        f"{number}/{total}" for number in range(1, total + 1)
    ]
    assert len({str(mark).split()[0] for _, mark in marks}) == 1


@needs_corpus
def test_a_copy_has_a_content_before_a_version_that_only_an_older_dump_has(tmp_path: Path) -> None:
    """A real journal whose later version fell with the first one: its record is gone, and its content stands behind."""
    case = CORPUS / "repairs-real-2"

    def dumped(name: str, source: str, end: int) -> Input:
        kept = [
            line
            for line in (case / source / "kafkasql-journal.kcat-J.ndjson")
            .read_bytes()
            .splitlines(keepends=True)
            if json.loads(line.decode("latin-1"))["offset"] < end
        ]
        path = tmp_path / f"{name}.ndjson"
        path.write_bytes(b"".join(kept))
        file = InputFile(path.name, str(path), path.stat().st_size)
        return Input(report_on([file], tmp_path / name), tmp_path / name, name)

    lost, older = dumped("lost", "b2-file-append-1-started", 79), dumped("older", "b1-kill-0-interrupted", 56)
    (partition,) = repair(lost, [older], [], report_on, tmp_path / "out").partitions
    assert "fleet/trip/2" in partition.plan.recovered
    assert [(way.id, way.holds, way.lacks) for way in partition.ways] == [
        ("append", True, []),
        ("copy", True, []),
    ]
    assert not partition.ways[0].prefixes.losing
