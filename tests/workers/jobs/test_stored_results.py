"""Results of jobs in a store: published by one small document, whole or not at all, deleted with the job."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest

from spark.storage.copies import local_path
from spark.storage.stored_path import StoredPath, write_whole
from tests.spark.storage.stores import bucket_in
from tests.workers.jobs.racing import PUBLISHED, doing, lose_worker, waiting
from webapp.jobs.models import State
from webapp.jobs.results import results_of
from webapp.journals.deletion import remove_results
from webapp.journals.disk.sizes import result_sizes
from workers.jobs import housekeeping
from workers.jobs.runner import Attempt, perform

pytestmark = pytest.mark.django_db


@pytest.fixture
def objects(house: Any, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the objects are that `RESULTS_URL` is about."""
    monkeypatch.setenv("CACHE_DIR", str(tmp_path / "cache"))
    settings.RESULTS_URL = f"{bucket_in(tmp_path / 'objects', monkeypatch)}/results"
    return tmp_path / "objects" / "results"


def names(folder: Path) -> set[str]:
    """Files below."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", PUBLISHED)
class TestJobsWithStoredResults:
    """`name`: of the kind."""

    @pytest.fixture
    def job(self, name: str, project: Any, objects: Path) -> Any:
        return waiting(name, project)

    def test_what_an_attempt_wrote_is_the_result(
        self, name: str, job: Any, objects: Path, settings: Any
    ) -> None:
        assert not (job.results / "report.json").exists()
        leases: list[str] = []
        perform(doing(name, lambda attempt: leases.append(str(attempt.job.lease))), str(job.pk))
        job.refresh_from_db()
        assert job.state == State.DONE
        assert (job.results / "report.json").read_text() == leases[0]
        assert names(objects) == {f"{job.pk}/committed.json", f"{job.pk}/{leases[0]}/report.json"}
        assert list(Path(settings.RESULTS_DIR).glob("*")) == []
        assert result_sizes([job.pk, uuid.uuid4()]) == {str(job.pk): 36}

    def test_only_the_second_attempt_counts_and_nothing_is_left_of_the_first(
        self, name: str, job: Any, objects: Path, house: Any
    ) -> None:
        def second(attempt: Attempt) -> None:
            assert job.results.name == "none"

        def first(attempt: Attempt) -> None:
            write_whole(StoredPath(str(attempt.folder.results)) / "records", "half")
            lose_worker(job, house)
            perform(doing(name, second), str(job.pk))

        perform(doing(name, first), str(job.pk))
        job.refresh_from_db()
        lease = (job.results / "report.json").read_text()
        assert names(objects) == {f"{job.pk}/committed.json", f"{job.pk}/{lease}/report.json"}

    def test_an_attempt_whose_machine_was_lost_is_removed_by_the_next(
        self, name: str, job: Any, objects: Path
    ) -> None:
        write_whole(StoredPath(f"{objects_address(job)}/{uuid.uuid4()}/records"), "half")
        perform(doing(name), str(job.pk))
        assert len(names(objects)) == 2

    def test_a_failure_leaves_nothing(self, name: str, job: Any, objects: Path) -> None:
        def fail(attempt: Attempt) -> None:
            write_whole(StoredPath(str(attempt.folder.results)) / "records", "half")
            raise RuntimeError

        with pytest.raises(RuntimeError):
            perform(doing(name, fail), str(job.pk))
        assert names(objects) == set()

    def test_a_store_that_refuses_is_told_by_its_cause(self, name: str, job: Any, objects: Path) -> None:
        objects.parent.mkdir()
        objects.write_text("no folder")
        with pytest.raises(OSError):
            perform(doing(name), str(job.pk))
        job.refresh_from_db()
        assert job.state == State.FAILED
        assert f"s3://bucket/results/{job.pk}/" in job.error
        assert "bug in Journalscope" not in job.error

    def test_a_deleted_job_has_nothing_in_the_store_and_no_copies(
        self, name: str, job: Any, objects: Path
    ) -> None:
        perform(doing(name), str(job.pk))
        copies = local_path(objects_address(job))
        assert copies.is_dir()
        remove_results(job)
        assert (names(objects), copies.exists()) == (set(), False)


def objects_address(job: Any) -> str:
    return f"s3://bucket/results/{job.pk}"


def test_housekeeping_deletes_what_belongs_to_no_job(objects: Path, project: Any, house: Any) -> None:
    job = waiting("inspection", project)
    perform(doing("inspection"), str(job.pk))
    nobody = uuid.uuid4()
    write_whole(StoredPath(f"s3://bucket/results/{nobody}/a/report.json"), "{}")
    write_whole(StoredPath("s3://bucket/results/of-others/file"), "{}")
    housekeeping.remove_stored_leftovers()
    assert {name.split("/")[0] for name in names(objects)} == {str(job.pk), "of-others"}
    assert not local_path(f"s3://bucket/results/{nobody}").exists()
    write_whole(StoredPath(f"s3://bucket/results/{nobody}/a/report.json"), "{}")
    housekeeping.remove_stored_leftovers()  # within the hour it does not look again
    assert (objects / str(nobody)).exists()


def test_housekeeping_leaves_a_store_alone_of_which_the_database_knows_nothing(
    objects: Path, project: Any, house: Any
) -> None:
    waiting("inspection", project)
    of_others = uuid.uuid4()
    write_whole(StoredPath(f"s3://bucket/results/{of_others}/a/report.json"), "{}")
    housekeeping.remove_stored_leftovers()
    assert (objects / str(of_others) / "a/report.json").exists()


def test_a_folder_from_before_is_still_read(objects: Path, settings: Any) -> None:
    earlier = uuid.uuid4()
    (Path(settings.RESULTS_DIR) / str(earlier)).mkdir(parents=True)
    assert results_of(earlier) == Path(settings.RESULTS_DIR) / str(earlier)
    assert str(results_of(uuid.uuid4())).startswith(settings.RESULTS_URL)
