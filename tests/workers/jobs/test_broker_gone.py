"""Redis dies while an inspection runs: the inspection is finished, or queued again; never failed for it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from tests.workers.mortal_redis import MortalRedis
from webapp import celery_client
from webapp.jobs import progress
from webapp.journals.models import Comparison, Inspection, Journal
from workers.jobs import heartbeat, housekeeping, spark_runner
from workers.jobs.progress import Progress
from workers.jobs.runner import Attempt, JobKind, perform
from workers.kinds import load

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def broker(house: Any, settings: Any) -> Iterator[MortalRedis]:
    """In place of the one that all tests share."""
    folder = Path(tempfile.mkdtemp(prefix="js-redis-"))
    mortal = MortalRedis(folder)
    mortal.start()
    settings.REDIS_URL = mortal.url
    progress.connection.cache_clear()
    yield mortal
    mortal.kill()
    progress.connection.cache_clear()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def waiting(project: Any, broker: MortalRedis) -> Inspection:
    """An inspection in the queue."""
    return Inspection.objects.create(journal=Journal.objects.create(project=project, name="journal"))


def attempt(during: Callable[[Attempt], None]) -> JobKind:
    """Inspections that do this in their middle."""

    class Trying(JobKind):
        name = "inspection"

        def execute(self, attempt: Attempt) -> dict[str, Any]:
            attempt.folder.partial.mkdir(parents=True)
            attempt.progress.stage("plan")
            during(attempt)
            attempt.progress.stage("decode")
            attempt.progress.raise_if_cancelled()
            (attempt.folder.partial / "report.json").write_text("{}")
            return {"verdict_level": "healthy"}

    return Trying()


def row(inspection: Inspection) -> tuple[str, int, str]:
    inspection.refresh_from_db()
    return inspection.state, inspection.attempts, inspection.error


def test_an_inspection_during_which_redis_dies_is_finished(waiting: Inspection, broker: MortalRedis) -> None:
    perform(attempt(lambda _: broker.kill()), str(waiting.pk))
    assert row(waiting) == ("done", 1, "")
    assert (waiting.results / "report.json").exists()
    broker.start()


def test_its_progress_is_told_again_once_redis_is_back(waiting: Inspection, broker: MortalRedis) -> None:
    def come_and_go(running: Attempt) -> None:
        broker.kill()
        running.progress.tasks(1, 2)
        broker.start()

    perform(attempt(come_and_go), str(waiting.pk))
    assert row(waiting) == ("done", 1, "")
    told = progress.read(waiting.pk)
    assert told is not None
    assert {stage["name"]: stage["state"] for stage in told["stages"]}["decode"] == "done"


def test_one_that_needs_the_broker_itself_is_queued_again_and_the_attempt_does_not_count(
    waiting: Inspection, broker: MortalRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    monkeypatch.setattr(celery_client, "send", lambda _, job_id: sent.append(job_id))

    def ask(_: Attempt) -> None:
        broker.kill()
        progress.connection().get("anything")

    perform(attempt(ask), str(waiting.pk))
    assert row(waiting) == ("queued", 0, "")
    broker.start()
    Inspection.objects.update(created_at="2024-01-01T00:00Z")
    housekeeping.clean_up()
    assert sent == [str(waiting.pk)]


def test_one_that_is_taken_up_while_redis_is_away_runs_all_the_same(
    waiting: Inspection, broker: MortalRedis
) -> None:
    broker.kill()
    perform(attempt(lambda _: None), str(waiting.pk))
    assert row(waiting) == ("done", 1, "")
    broker.start()


def test_without_redis_nothing_is_told_and_nothing_is_heard(waiting: Inspection, broker: MortalRedis) -> None:
    broker.kill()
    heard = Progress(waiting.pk, ())
    with heartbeat.attempting(waiting, heard):
        assert not heard.shall_stop
    broker.start()
    assert not progress.is_alive(waiting.pk)


def test_a_redis_that_does_not_answer_counts_as_away_within_seconds(settings: Any) -> None:
    """Its network took the packets and gives nothing back."""
    settings.REDIS_URL = "redis://192.0.2.1:6379/0"
    progress.connection.cache_clear()
    limits = progress.connection().connection_pool.connection_kwargs
    progress.connection.cache_clear()
    assert limits["socket_connect_timeout"] <= 2
    assert limits["socket_timeout"] <= 5


def test_a_comparison_during_which_redis_dies_is_finished(
    waiting: Inspection, broker: MortalRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.utils import timezone

    def run(*_: Any) -> dict[str, Any]:
        broker.kill()
        return {"result": {"equal": True}}

    monkeypatch.setattr(spark_runner, "run", run)
    comparison = Comparison.objects.create(left=waiting, right=waiting, requested_at=timezone.now())
    perform(load("comparison"), str(comparison.pk))
    comparison.refresh_from_db()
    assert (comparison.state, comparison.result) == ("done", {"equal": True})
    broker.start()
    with pytest.raises(redis.ResponseError):
        progress.connection().execute_command("NOSUCH")
