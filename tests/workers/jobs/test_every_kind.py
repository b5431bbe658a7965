"""What holds for jobs of every kind: taken once, fenced, queued again, cancelled, disk full, published once."""

from __future__ import annotations

import errno
import logging
from typing import Any

import pytest

from tests.workers.jobs.racing import COLUMNS, PUBLISHED, doing, lose_worker, waiting
from webapp.jobs import kinds, lifecycle, progress
from webapp.jobs.models import State
from webapp.rejected import Rejected
from workers.jobs import heartbeat
from workers.jobs.progress import Cancelled
from workers.jobs.runner import READ_ONLY, Attempt, perform

pytestmark = pytest.mark.django_db


class Unrenewed(dict[str, Any]):
    """Attempts of a process that stalled: its thread renews none of them, however fast this one is."""

    def values(self) -> Any:
        return ()


@pytest.mark.parametrize("name", COLUMNS)
class TestJobsOfEveryKind:
    """`name`: of the kind."""

    @pytest.fixture
    def job(self, name: str, project: Any, house: Any) -> Any:
        return waiting(name, project)

    def test_one_delivery_executes_it_and_keeps_what_came_of_it(self, name: str, job: Any) -> None:
        seen: list[bool] = []
        perform(doing(name, lambda attempt: seen.append(progress.is_alive(attempt.job.pk))), str(job.pk))
        job.refresh_from_db()
        assert (job.state, job.attempts, job.error, job.lease) == (State.DONE, 1, "", None)
        assert job.finished_at >= job.started_at
        assert {column: getattr(job, column) for column in COLUMNS[name]} == COLUMNS[name]
        assert seen == [True]
        assert not progress.is_alive(job.pk)

    def test_a_second_delivery_while_it_runs_starts_nothing(self, name: str, job: Any, house: Any) -> None:
        begun: list[Attempt] = []

        def deliver_again(attempt: Attempt) -> None:
            begun.append(attempt)
            house.delete(f"journalscope:alive:{job.pk}")
            perform(doing(name, begun.append), str(job.pk))

        perform(doing(name, deliver_again), str(job.pk))
        perform(doing(name, begun.append), str(job.pk))
        assert len(begun) == 1

    def test_a_stalled_attempt_leaves_its_successor_alone(
        self, name: str, job: Any, house: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(heartbeat, "_attempts", Unrenewed())
        leases: list[str] = []
        problems: list[bool] = []

        def second(attempt: Attempt) -> None:
            leases.append(str(attempt.job.lease))

        def first(attempt: Attempt) -> None:
            lose_worker(job, house)
            perform(doing(name, second), str(job.pk))
            house.set(f"journalscope:alive:{job.pk}", leases[0])
            heartbeat.renew(attempt.job, attempt.progress)
            problems.append(attempt.progress.shall_stop)
            if name in PUBLISHED:
                (attempt.folder.partial / "late").write_text("of the first attempt")

        perform(doing(name, first), str(job.pk))
        job.refresh_from_db()
        assert (job.state, job.attempts, problems) == (State.DONE, 2, [True])
        assert house.get(f"journalscope:alive:{job.pk}").decode() == leases[0], (
            "not the stalled one's to delete"
        )
        if name in PUBLISHED:
            assert [path.name for path in job.results.iterdir()] == ["report.json"]
            assert (job.results / "report.json").read_text() == leases[0]

    def test_what_it_wrote_is_published_once_and_nothing_half_made_stays(self, name: str, job: Any) -> None:
        def fail(attempt: Attempt) -> None:
            attempt.folder.scratch.mkdir(parents=True)
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            perform(doing(name, fail), str(job.pk))
        assert not job.results.exists()
        type(job).objects.update(state=State.QUEUED)
        perform(doing(name), str(job.pk))
        names = {path.name for path in job.results.parent.glob("*")} if job.results.parent.exists() else set()
        assert names == ({str(job.pk)} if name in PUBLISHED else set())

    def test_one_that_lost_its_worker_is_queued_again_once_and_then_fails(
        self, name: str, job: Any, house: Any
    ) -> None:
        kind = kinds.named(name)
        for attempt in range(kind.max_attempts):
            assert lifecycle.take(type(job), job.pk), attempt
            lose_worker(job, house)
        job.refresh_from_db()
        assert (job.state, job.error, job.lease) == (State.FAILED, kind.worker_lost, None)
        assert house.llen(kind.queue) == kind.max_attempts - 1

    def test_a_worker_that_leaves_puts_it_back_and_the_attempt_does_not_count(
        self, name: str, job: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(heartbeat, "is_stopping", lambda: True)
        perform(doing(name), str(job.pk))
        job.refresh_from_db()
        assert (job.state, job.attempts, job.lease, job.started_at) == (State.QUEUED, 0, None, None)

    def test_word_to_stop_cancels_it_where_people_may(self, name: str, job: Any) -> None:
        kind = kinds.named(name)
        if not kind.can_cancel:
            with pytest.raises(Rejected, match="You cannot stop it"):
                kind.cancel(job)
            return
        perform(doing(name, lambda attempt: attempt.progress.stop(Cancelled())), str(job.pk))
        job.refresh_from_db()
        assert (job.state, job.error, job.lease) == (State.CANCELLED, "", None)
        assert not job.results.exists()

    @pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO])
    def test_a_disk_that_takes_nothing_is_told_in_words(self, name: str, job: Any, number: int) -> None:
        def fail(_: Attempt) -> None:
            raise OSError(number, "no")

        with pytest.raises(OSError):
            perform(doing(name, fail), str(job.pk))
        kind = kinds.named(name)
        texts = {errno.EROFS: READ_ONLY, errno.EIO: kind.defect}
        job.refresh_from_db()
        assert (job.state, job.error) == (State.FAILED, texts.get(number, kind.disk_full))

    def test_what_breaks_because_somebody_ended_the_job_is_no_defect(
        self, name: str, job: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.WARNING)

        def end_and_break(_: Attempt) -> None:
            type(job).objects.filter(pk=job.pk).delete()
            raise FileNotFoundError("its folder")

        perform(doing(name, end_and_break), str(job.pk))
        assert caplog.records == []

    def test_a_row_of_an_earlier_version_that_runs_without_a_lease_is_taken_up(
        self, name: str, job: Any, house: Any
    ) -> None:
        type(job).objects.update(state=State.RUNNING, started_at=None)
        lose_worker(job, house)
        job.refresh_from_db()
        assert job.state == State.QUEUED


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_result_that_cannot_get_its_name_settles_nothing_as_done(
    name: str, project: Any, house: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = waiting(name, project)

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr("webapp.journals.disk.durable.rename", full)
    with pytest.raises(OSError):
        perform(doing(name), str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.error) == (State.FAILED, kinds.named(name).disk_full)
    assert {getattr(job, column) for column in COLUMNS[name] if isinstance(getattr(job, column), str)} <= {""}


def test_every_kind_has_its_file_its_task_and_its_texts() -> None:
    from workers.tasks import app

    assert {kind.name for kind in kinds.all_kinds()} == set(COLUMNS)
    for kind in kinds.all_kinds():
        assert kind.task in app.tasks
        assert all(text.endswith(".") for text in (kind.defect, kind.disk_full, kind.worker_lost))
