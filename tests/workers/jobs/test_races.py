"""Two workers at one job, a job that ends while its result is shown: nothing lost, nothing doubled, nothing mixed up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.workers.jobs.racing import PUBLISHED, doing, lose_worker, waiting
from webapp.jobs import lifecycle, progress
from webapp.jobs.models import State
from webapp.journals import deletion
from webapp.journals.models import Inspection
from webapp.sharing.shares import revoke
from workers.jobs import heartbeat, housekeeping, runner
from workers.jobs.runner import Attempt, perform

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_is_cancelled_before_its_result_is_shown_takes_no_other_result_with_it(
    name: str, project: Any, house: Any
) -> None:
    job = waiting(name, project)

    def overtaken(_: Attempt) -> None:
        type(job).objects.filter(pk=job.pk).update(state=State.DONE, lease=None)
        job.results.mkdir(parents=True)
        (job.results / "report.json").write_text("of another attempt")

    perform(doing(name, overtaken), str(job.pk))
    assert (job.results / "report.json").read_text() == "of another attempt"
    assert [path.name for path in job.results.parent.iterdir()] == [str(job.pk)]


def test_the_row_is_settled_before_the_folder_gets_its_name(
    project: Any, house: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So whoever cancels meanwhile waits for the row's lock, and finds it done."""
    job = waiting("inspection", project)
    seen: list[str] = []
    publish = runner.AttemptFolder.publish

    def watched(folder: runner.AttemptFolder) -> None:
        seen.append(Inspection.objects.get(pk=job.pk).state)
        publish(folder)

    monkeypatch.setattr(runner.AttemptFolder, "publish", watched)
    perform(doing("inspection"), str(job.pk))
    assert seen == [State.DONE]


def test_a_share_that_takes_longer_than_fifteen_minutes_is_not_started_twice(
    project: Any, house: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = waiting("share", project)
    begun: list[Attempt] = []

    def long(attempt: Attempt) -> None:
        begun.append(attempt)
        later = timezone.now() + timedelta(minutes=20)
        with monkeypatch.context() as patch:
            patch.setattr(timezone, "now", lambda: later)
            heartbeat.renew(attempt.job, attempt.progress)
            housekeeping.clean_up()
            perform(doing("share", begun.append), str(share.pk))

    perform(doing("share", long), str(share.pk))
    share.refresh_from_db()
    assert (share.state, share.attempts, len(begun)) == (State.DONE, 1, 1)


def test_a_share_revoked_while_it_is_made_is_neither_failed_nor_shown(
    project: Any,
    owner: Any,
    house: Any,
    caplog: pytest.LogCaptureFixture,
    django_capture_on_commit_callbacks: Any,
) -> None:
    share = waiting("share", project)

    def revoked(_: Attempt) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            revoke(share, owner)

    perform(doing("share", revoked), str(share.pk))
    share.refresh_from_db()
    assert (share.state, share.error, share.why_closed) == (State.QUEUED, "", "revoked")
    assert [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []
    assert not share.results.exists()
    assert list(share.results.parent.glob("*")) == []


def test_an_abandoned_job_that_is_cancelled_stays_cancelled_when_its_worker_wakes_up(
    project: Any, house: Any
) -> None:
    job = waiting("inspection", project)

    def cancelled(attempt: Attempt) -> None:
        house.delete(f"journalscope:alive:{job.pk}")
        Inspection.objects.update(started_at=timezone.now() - timedelta(hours=1))
        lifecycle.cancel(Inspection.objects.get(pk=job.pk))

    perform(doing("inspection", cancelled), str(job.pk))
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    assert not job.results.exists()


def test_a_deleted_job_leaves_nothing_of_any_attempt(project: Any, house: Any) -> None:
    job = waiting("inspection", project)
    for name in (str(job.pk), f"{job.pk}.one.partial", f"{job.pk}.partial"):
        (job.results.parent / name).mkdir(parents=True)
    deletion.remove_results(job)
    assert list(job.results.parent.iterdir()) == []


def test_a_capture_whose_folder_a_stalled_process_still_holds_waits(project: Any, house: Any) -> None:
    from workers import kinds

    capture = waiting("capture", project)
    capture.folder.mkdir(parents=True)
    words = "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), 2); print(1, flush=True); input()"
    command = [sys.executable, "-c", words, str(capture.folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        os.kill(other.pid, signal.SIGSTOP)
        perform(kinds.load("capture"), str(capture.pk))
        capture.refresh_from_db()
        assert (capture.state, capture.attempts) == (State.QUEUED, 0)
        other.kill()
    perform(kinds.load("capture"), str(capture.pk))
    capture.refresh_from_db()
    assert (capture.state, capture.attempts) == (State.FAILED, 1)


def test_the_heartbeat_renews_every_attempt_of_the_process_and_hears_the_word_to_stop(
    project: Any, house: Any
) -> None:
    job = waiting("inspection", project)
    heard: list[bool] = []

    def look(attempt: Attempt) -> None:
        house.expire(f"journalscope:alive:{job.pk}", 2)
        progress.ask_to_cancel(job.pk)
        until = time.monotonic() + 30
        while not attempt.progress.shall_stop and time.monotonic() < until:
            time.sleep(0.05)
        heard.append(house.ttl(f"journalscope:alive:{job.pk}") > 2)
        attempt.progress.raise_if_cancelled()

    perform(doing("inspection", look), str(job.pk))
    job.refresh_from_db()
    assert (job.state, heard) == (State.CANCELLED, [True])
    assert not house.exists(f"journalscope:cancel:{job.pk}")


def test_a_successor_s_sign_of_life_is_not_renewed_by_the_first(project: Any, house: Any) -> None:
    job = waiting("inspection", project)

    def stalled(attempt: Attempt) -> None:
        lose_worker(job, house)
        second = lifecycle.take(Inspection, job.pk)
        assert second is not None
        house.set(f"journalscope:alive:{job.pk}", str(second.lease))
        heartbeat.renew(attempt.job, attempt.progress)
        attempt.progress.raise_if_cancelled()

    perform(doing("inspection", stalled), str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.attempts) == (State.RUNNING, 2)
    assert house.get(f"journalscope:alive:{job.pk}").decode() == str(job.lease)
