"""The worker's part of a repair: the incident repaired with real Spark once, the ways it ends otherwise without."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from spark.repair import AddedSchemaFile
from webapp.jobs import kinds, progress
from webapp.jobs.queues import QUEUES
from webapp.journals.models import Inspection, Repair
from workers.jobs import housekeeping, spark_runner
from workers.jobs.progress import WorkerStops
from workers.jobs.runner import perform
from workers.kinds.repair import KIND, NOTHING, UNSUPPORTED, RepairJob, requested_by_name

pytestmark = [pytest.mark.django_db, pytest.mark.heavy]


@pytest.fixture(scope="module", autouse=True)
def ended() -> Iterator[None]:
    """No JVM is left behind."""
    yield
    spark_runner.end()


def asked(broken: Inspection, *older: Inspection) -> Repair:
    repair = Repair.objects.create(inspection=broken)
    repair.older.set(older)
    return repair


def performed(repair: Repair) -> Repair:
    perform(KIND, str(repair.pk))
    repair.refresh_from_db()
    return repair


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.long  # the command does the same in tests/workers/test_repair_command.py
def test_a_lost_content_comes_back_from_an_older_dump(inspected: Any, settings: Any) -> None:
    broken, older = inspected("lost", "today"), inspected("at_risk", "last week")
    done = performed(asked(broken, older))
    assert (done.state, done.error) == ("done", "")
    [partition] = done.result["partitions"]
    assert partition["recommended"] == "append"
    assert partition["sentence"] == done.result["sentence"]
    assert {one["name"] for one in done.result["inputs"]} == {"this journal", "the older dump last week"}
    assert [one["inspection"] for one in done.result["inputs"]] == [str(broken.pk), str(older.pk)]
    kept = sorted(
        path.relative_to(done.results).as_posix() for path in done.results.rglob("*") if path.is_file()
    )
    assert kept == sorted({name for way in partition["ways"] for name in way["files"]})
    assert {Path(name).name for name in kept} == {
        "append.topicdump", "append.ndjson", "append-steps.md", "mended.topicdump", "mended.ndjson", "copy-steps.md",
        "repair.json", "built-from.tsv", "ApplyRepair.java", "kafkasql-journal-0.append.zip", "kafkasql-journal-0.copy.zip",
    }  # fmt: skip
    assert not list(Path(settings.SCRATCH_DIR).glob(f"{done.pk}*"))
    assert not progress.is_alive(done.pk)
    stages = json.loads(progress.connection().get(progress.key("progress", done.pk)))["stages"]
    assert [(stage["name"], stage["state"]) for stage in stages] == [
        ("gather", "done"), ("build", "done"), ("append", "done"), ("copy", "done"),
    ]  # fmt: skip


def test_the_zip_of_a_way_is_a_folder_in_which_its_steps_work(inspected: Any, without_spark: None) -> None:
    done = performed(asked(inspected("lost"), inspected("at_risk")))
    for way in done.result["partitions"][0]["ways"]:
        with zipfile.ZipFile(done.results / way["files"][0]) as packed:
            names = [name for name in packed.namelist() if "/" in name]
            manifest = json.loads(packed.read("kafkasql-journal-0/repair.json"))
            records = packed.read(f"kafkasql-journal-0/{manifest['ways'][way['id']]['file']}")
        assert sorted(names) == sorted(way["files"][1:])
        assert list(manifest["ways"]) == [way["id"]]
        assert hashlib.sha256(records).hexdigest() == manifest["ways"][way["id"]]["sha256"]
        assert len(records.splitlines()) == way["records"] == manifest["ways"][way["id"]]["records"]


def test_a_topic_without_a_name_takes_the_one_that_the_user_gave(inspected: Any, without_spark: None) -> None:
    broken = inspected("at_risk", topic="not a topic")
    failed = performed(asked(broken))
    assert failed.state == "failed"
    assert "does not name its topic" in failed.error
    repair = asked(broken)
    Repair.objects.filter(pk=repair.pk).update(topic="kafkasql-journal")
    done = performed(repair)
    assert (done.state, done.error) == ("done", "")
    [partition] = done.result["partitions"]
    assert (partition["topic"], partition["folder"]) == ("kafkasql-journal", "kafkasql-journal-0")
    assert any("-t kafkasql-journal " in step for step in partition["ways"][0]["steps"])


def test_results_that_are_gone_are_made_again_from_the_files(inspected: Any, without_spark: None) -> None:
    broken, older = inspected("lost"), inspected("at_risk")
    shutil.rmtree(older.results)
    done = performed(asked(broken, older))
    assert (done.state, done.error) == ("done", "")
    assert done.result["partitions"][0]["recommended"] == "append"
    assert not older.results.exists()


def test_results_made_again_are_read_as_the_user_chose(inspected: Any, without_spark: None) -> None:
    broken, older = inspected("lost"), inspected("at_risk")
    for inspection in (broken, older):
        shutil.rmtree(inspection.results)
        Inspection.objects.filter(pk=inspection.pk).update(read_as={"kafkasql-journal": "plain"})
    done = performed(asked(broken, older))
    assert (done.state, done.result["sentence"]) == ("done", UNSUPPORTED)  # a plain topic holds no contents
    assert [(one["topic"], one["dialect"]) for one in done.result["unsupported"]] == [
        ("kafkasql-journal", "plain")
    ]


def test_neither_results_nor_files_is_said_with_what_to_do(inspected: Any, without_spark: None) -> None:
    broken, older = inspected("lost"), inspected("at_risk", "last week")
    shutil.rmtree(older.results)
    older.journal.uploads.all().delete()
    failed = performed(asked(broken, older))
    assert failed.state == "failed"
    assert failed.error.startswith("Both the results and the files of last week are deleted.")


def test_without_any_help_the_page_learns_what_is_wanted(inspected: Any, without_spark: None) -> None:
    done = performed(asked(inspected("lost")))
    [partition] = done.result["partitions"]
    assert partition["ways"] == []
    assert partition["missing"][0]["wanted"].startswith("its exact bytes")
    assert done.result["sentence"].startswith("Nothing can be repaired yet")
    assert done.results.is_dir()


def test_of_a_healthy_journal_only_what_can_be_known_is_said(inspected: Any, without_spark: None) -> None:
    here = inspected("healthy")
    alone, with_older = performed(asked(here)), performed(asked(here, inspected("healthy", "last week")))
    assert [done.result["partitions"] for done in (alone, with_older)] == [[], []]
    assert alone.result["sentence"] == with_older.result["sentence"] == NOTHING
    reasons = [done.result["nothing_to_repair"][0]["sentence"] for done in (alone, with_older)]
    assert "Only an older dump shows records" in reasons[0]
    assert "The older dump last week contains nothing" in reasons[1]


def test_two_older_dumps_of_one_name_are_told_apart(inspected: Any, without_spark: None) -> None:
    done = performed(asked(inspected("lost"), inspected("at_risk", "dump"), inspected("healthy", "dump")))
    names = [one["name"] for one in done.result["inputs"]]
    assert len(set(names)) == 3


def test_the_name_of_a_file_gives_its_schema_id_and_place() -> None:
    names = ("14=orders-value=2.avsc", "a=b.avsc", "7=x=y=1.proto", "orders.avsc", "9=orders.avsc", "9.avsc")
    files = [AddedSchemaFile(name, Path(name)) for name in names]
    assert [(one.schema_id, one.subject, one.version, one.file) for one in requested_by_name(files)] == [
        (14, "orders-value", 2, files[0]),
        (7, "x=y", 1, files[2]),
        (9, "", 0, files[4]),
    ]


def test_word_left_before_it_began_cancels_it(inspected: Any, without_spark: None) -> None:
    repair = asked(inspected("lost"))
    progress.ask_to_cancel(repair.pk)
    assert performed(repair).state == "cancelled"
    assert not repair.results.exists()


def test_a_worker_that_stops_puts_it_back(inspected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any) -> None:
        raise WorkerStops

    monkeypatch.setattr(spark_runner, "run", stop)
    repair = performed(asked(inspected("lost")))
    assert (repair.state, repair.attempts) == ("queued", 0)


def test_a_defect_is_told_in_words_and_raised(inspected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_runner, "run", lambda *_: 1 / 0)
    repair = asked(inspected("lost"))
    with pytest.raises(ZeroDivisionError):
        perform(KIND, str(repair.pk))
    repair.refresh_from_db()
    assert (repair.state, repair.error) == ("failed", kinds.named("repair").defect)


def test_a_repair_that_was_deleted_meanwhile_leaves_nothing(
    inspected: Any, without_spark: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    repair = asked(inspected("lost"))
    whole = RepairJob.execute
    monkeypatch.setattr(RepairJob, "execute", lambda *args: (whole(*args), Repair.objects.all().delete())[0])
    perform(KIND, str(repair.pk))
    assert not repair.results.exists()
    assert not list(repair.results.parent.glob(f"{repair.pk}*"))


def test_housekeeping_takes_up_what_a_worker_left_and_keeps_finished_results(
    inspected: Any, house: Any
) -> None:
    long_ago = timezone.now() - timedelta(hours=1)
    lost = asked(inspected("lost"))
    Repair.objects.filter(pk=lost.pk).update(state="running", started_at=long_ago, attempts=1)
    tired = asked(lost.inspection)
    Repair.objects.filter(pk=tired.pk).update(state="running", started_at=long_ago, attempts=2)
    kept = asked(lost.inspection)
    Repair.objects.filter(pk=kept.pk).update(state="done")
    kept.results.mkdir(parents=True)
    half_made = kept.results.with_name(f"{tired.pk}.partial")
    half_made.mkdir()
    housekeeping.clean_up()
    for repair in (lost, tired):
        repair.refresh_from_db()
    assert lost.state == "queued"
    assert tired.state == "failed"
    assert "repairing this journal" in tired.error
    messages = [message for name in QUEUES for message in house.lrange(name, 0, -1)]
    assert [
        b"journalscope.repair" in message and str(lost.pk).encode() in message for message in messages
    ] == [True]
    assert kept.results.is_dir()
    assert not half_made.exists()
