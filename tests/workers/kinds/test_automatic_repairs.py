"""What follows an inspection: a trial with the dumps that have what is missing, and one more when such a dump arrives."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import Any

import pytest

from tests.generator.apicurio import incident
from tests.generator.journal import Journal as MadeUpJournal
from tests.generator.journal import Stored
from tests.generator.schemas import REFERRING_PROTO
from tests.generator.segment import Record
from tests.spark.dialects.schema_registry.journals import schema
from tests.spark.repair.schema_registry.journals import NOOP
from webapp.accounts.models import Project
from webapp.journals.models import Inspection, Repair
from webapp.journals.repairs import added_files
from webapp.reports.repair.automatic import is_anything_missing
from workers.jobs.runner import perform
from workers.kinds import inspection as inspections
from workers.kinds import repair_sources
from workers.kinds.inspection import complete_others, request_trial, request_trials_logged
from workers.kinds.repair import KIND

pytestmark = [pytest.mark.django_db, pytest.mark.heavy]

ALL = {"affected_count": len(REFERRING_PROTO)}


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What was put into the queue: tests perform it themselves."""
    messages: list[tuple[Any, ...]] = []
    monkeypatch.setattr("webapp.celery_client.send", lambda *message: messages.append(message))
    return messages


def performed(repair: Repair) -> Repair:
    perform(KIND, str(repair.pk))
    repair.refresh_from_db()
    assert (repair.state, repair.error) == ("done", "")
    return repair


def same_log(inspection: Inspection) -> dict[str, Any]:
    return {"lineage": inspection.journal.lineage}


def without_contents(journal: MadeUpJournal, *numbers: int) -> MadeUpJournal:
    """The journal without the text of some of the contents at risk."""
    gone = {journal.empty_updates[number].content_offset for number in numbers}
    return replace(journal, stored=[one for one in journal.stored if one.offset not in gone])


def trial_of(inspection: Inspection) -> Repair:
    repair = request_trial(inspection)
    assert repair is not None
    return repair


def test_the_trial_takes_the_dump_of_the_journal_that_has_the_lost_text(
    inspected: Any, without_spark: None
) -> None:
    older = inspected("at_risk", "of 08:24")
    broken = inspected("lost", "of 09:10", **same_log(older))
    repair = trial_of(broken)
    assert list(repair.older.all()) == [older]
    assert repair.requested_by is None
    done = performed(repair)
    assert not is_anything_missing(done)
    assert done.result["partitions"][0]["recommended"] == "append"


def test_a_dump_that_is_uploaded_later_but_is_older_is_taken_too(inspected: Any) -> None:
    broken = inspected("lost")
    older = inspected("at_risk", **same_log(broken))
    assert list(trial_of(broken).older.all()) == [older]


def test_a_dump_that_was_uploaded_for_itself_counts_where_its_records_prove_the_same_log(
    inspected: Any, without_spark: None
) -> None:
    broken = inspected("lost")
    performed(trial_of(broken))
    older = inspected("at_risk")
    [again] = complete_others(older)
    assert (list(again.older.all()), added_files(again)) == ([older], [])
    assert not is_anything_missing(performed(again))


def test_a_log_of_the_same_name_with_other_records_gives_its_texts_only(inspected: Any) -> None:
    inspected(incident(3, "at_risk", first_content_id=700), "another cluster")
    repair = trial_of(inspected("lost"))
    assert not repair.older.exists()


def test_of_many_dumps_the_nearest_and_those_that_have_what_the_nearer_ones_lack(inspected: Any) -> None:
    whole = incident(2, "at_risk", **ALL)
    first = inspected(replace(whole, stored=whole.stored[:-2]), "first")
    also_whole = inspected(replace(whole, stored=whole.stored[:-1]), "second", **same_log(first))
    nearest = inspected(without_contents(whole, 0), "third", **same_log(first))
    broken = inspected(incident(2, "lost", **ALL), "fourth", **same_log(first))
    assert set(trial_of(broken).older.all()) == {nearest, also_whole}


def registry(*left_out: int) -> MadeUpJournal:
    """A journal of a schema registry of three subjects, and a fourth that refers to the second, without some of its records."""
    versions = [schema(f"subject-{number}", 1, number, '"string"') for number in (1, 2, 3)]
    reference = {"name": "second", "subject": "subject-2", "version": 1}
    log = [NOOP, *versions, schema("holder", 1, 4, '"string"', references=[reference])]
    stored = [Stored(offset, Record(*parts)) for offset, parts in enumerate(log) if offset not in left_out]
    return MadeUpJournal("_schemas", 0, stored)


def test_no_record_of_a_schema_registry_names_what_is_gone_so_every_older_dump_is_taken(
    inspected: Any, without_spark: None
) -> None:
    dumps = [inspected(registry(), "first", topic="_schemas")]
    dumps.append(inspected(registry(1), "second", topic="_schemas", **same_log(dumps[0])))
    broken = inspected(registry(1, 2), "third", topic="_schemas", **same_log(dumps[0]))
    repair = trial_of(broken)
    assert set(repair.older.all()) == set(dumps)
    (partition,) = performed(repair).result["partitions"]
    assert partition["mended"] == ["subject-1/1 (schema ID 1)", "subject-2/1 (schema ID 2)"]


def test_a_later_dump_that_reaches_further_is_not_an_older_one(inspected: Any) -> None:
    whole = incident(2, "at_risk", life_goes_on=True)
    broken = inspected("lost")
    assert whole.next_offset > incident(2, "lost").next_offset
    inspected(whole, **same_log(broken))
    assert not trial_of(broken).older.exists()


def test_a_text_of_another_journal_of_the_project_comes_as_a_file_that_names_it(
    inspected: Any, without_spark: None
) -> None:
    inspected(incident(2, "at_risk", first_content_id=700, **ALL), "team/staging", topic="journal-of-staging")
    broken = inspected(incident(2, "lost", **ALL))
    repair = trial_of(broken)
    assert not repair.older.exists()
    names = [name for name, _ in added_files(repair)]
    assert len(names) == len(REFERRING_PROTO)
    assert all(name.endswith(" of team_staging") for name in names)
    done = performed(repair)
    assert not is_anything_missing(done)
    sources = {one["source"] for one in done.result["partitions"][0]["ways"][0]["added"]}
    assert {f"file {name}" for name in names} <= sources


def test_what_is_gone_without_a_trace_is_tried_with_the_dump_that_shows_it(
    inspected: Any, without_spark: None
) -> None:
    whole = incident(2, "at_risk")
    older = inspected(whole, "whole")
    version = next(iter(whole.empty_updates)).artifact_offsets[0]
    poor = replace(
        whole,
        stored=[
            one for one in whole.stored if one.offset not in (version, whole.empty_updates[0].offsets[0])
        ],
    )
    broken = inspected(poor, "poor", older=older, **same_log(older))
    report = json.loads((broken.results / "report.json").read_text())
    assert "gone-since-older-dump" in [finding["detector"] for finding in report["findings"]]
    repair = trial_of(broken)
    assert list(repair.older.all()) == [older]
    done = performed(repair)
    assert not is_anything_missing(done)
    assert done.result["partitions"][0]["mended"] == ["shipping/parcel.proto/1"]


def test_journals_of_other_projects_are_not_asked(inspected: Any) -> None:
    elsewhere = Project.objects.create(name="Elsewhere", slug="elsewhere")
    broken = inspected("lost")
    inspected("at_risk", "of another project", project=elsewhere)
    moved = inspected("at_risk", "moved", project=elsewhere, **same_log(broken))
    repair = trial_of(broken)
    assert (repair.older.count(), added_files(repair)) == (0, [])
    assert complete_others(moved) == []


def test_dumps_that_have_nothing_of_it_or_no_results_or_too_many_records_are_left_out(
    inspected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = inspected("lost")
    inspected("lost", "as poor", topic="another-journal")
    gone = inspected("at_risk", "results deleted", **same_log(broken))
    shutil.rmtree(gone.results)
    large = inspected("at_risk", "large", **same_log(broken))
    monkeypatch.setattr(repair_sources, "MAX_RECORDS", large.summary["records"])
    repair = trial_of(broken)
    assert (repair.older.count(), added_files(repair)) == (0, [])


def test_only_the_newest_dumps_are_asked(inspected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    inspected("at_risk", "staging", topic="another-journal")
    broken = inspected("lost")
    inspected("lost", "newer", topic="a-third-journal")
    monkeypatch.setattr(repair_sources, "MAX_ASKED", 1)
    assert added_files(trial_of(broken)) == []


def test_a_dump_that_arrives_with_the_text_is_tried_at_once(
    inspected: Any, without_spark: None, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    broken = inspected("lost")
    assert is_anything_missing(performed(trial_of(broken)))
    older = inspected("at_risk", **same_log(broken))
    sent.clear()
    with django_capture_on_commit_callbacks(execute=True):
        [again] = complete_others(older)
        assert complete_others(older) == [again]
    assert sent == [("journalscope.repair", str(again.pk))]
    assert (again.inspection, list(again.older.all())) == (broken, [older])
    assert not is_anything_missing(performed(again))
    assert complete_others(inspected("at_risk", **same_log(broken))) == []


def test_what_a_user_gave_to_an_incomplete_repair_stays_with_it(inspected: Any, without_spark: None) -> None:
    broken = inspected("lost", topic="not a topic")
    file = broken.journal.uploads.get().blob
    repair = Repair.objects.create(inspection=broken, topic="kafkasql-journal")
    repair.files.create(name="parcel.proto", blob=file)
    given = inspected("lost", "given")
    repair.older.set([given])
    performed(repair)
    older = inspected("at_risk", topic="not a topic", **same_log(broken))
    [again] = complete_others(older)
    assert set(again.older.all()) == {given, older}
    assert (again.topic, added_files(again)) == ("kafkasql-journal", [("parcel.proto", file.pk)])


def test_another_journal_that_arrives_with_the_text_is_tried_once(
    inspected: Any, without_spark: None
) -> None:
    broken = inspected("lost")
    performed(trial_of(broken))
    other = inspected("at_risk", "staging", topic="another-journal")
    [again] = complete_others(other)
    assert [name.partition(" of ")[2] for name, _ in added_files(again)] == ["staging"]
    Repair.objects.filter(pk=again.pk).update(
        state="done", result=Repair.objects.exclude(pk=again.pk).get().result
    )
    assert complete_others(other) == []  # it had the text, and something else is wrong


def test_a_dump_without_anything_that_is_missing_starts_nothing(inspected: Any, without_spark: None) -> None:
    broken = inspected("lost")
    performed(trial_of(broken))
    assert complete_others(inspected("lost", **same_log(broken))) == []
    assert complete_others(inspected("healthy", topic="another-journal")) == []


def test_of_the_runs_of_a_watch_the_first_with_a_loss_is_tried(inspected: Any) -> None:
    whole = inspected("at_risk", "run 1")
    first = inspected("lost", "run 2", **same_log(whole))
    repair = request_trial(first, is_watched=True)
    assert repair is not None
    assert list(repair.older.all()) == [whole]
    assert request_trial(inspected("lost", "run 3", **same_log(whole)), is_watched=True) is None
    worse = inspected(incident(2, "lost", **ALL), "run 4", **same_log(whole))
    assert request_trial(worse, is_watched=True) is not None
    assert request_trial(inspected("lost", "of another journal"), is_watched=True) is not None


@pytest.mark.parametrize("name", ["request_trial", "complete_others"])
def test_what_goes_wrong_leaves_the_report(
    name: str, inspected: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise OSError("the queue is away")

    monkeypatch.setattr(inspections, name, broken)
    request_trials_logged(inspected("lost"), is_watched=False)
    assert "could not be requested" in caplog.text
    assert Repair.objects.count() == (name == "complete_others")
