"""Comparisons, shared links and questions to clusters: none waits for ever for a message or a worker that is gone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from spark.redaction import Options
from webapp import celery_client
from webapp.clusters.models import Cluster, Trial
from webapp.jobs.queues import OLD_QUEUE
from webapp.journals.models import Comparison, Inspection, Journal
from webapp.sharing.models import Share
from webapp.sharing.scopes import Scope
from webapp.sharing.shares import Terms, create_share, revoke
from workers.jobs import housekeeping

pytestmark = pytest.mark.django_db
LONG_AGO = timedelta(minutes=5)
Make = Callable[..., Any]


@pytest.fixture
def make(project: Any, house: Any, owner: Any) -> Make:
    """A job of one kind in a state, asked for long ago."""

    def job(kind: str, state: str, age: timedelta = LONG_AGO) -> Any:
        at = timezone.now() - age
        journal = Journal.objects.create(project=project, name="journal")
        inspection = Inspection.objects.create(journal=journal, state="done", finished_at=at)
        if kind == "comparison":
            return Comparison.objects.create(left=inspection, right=inspection, state=state, requested_at=at)
        if kind == "trial":
            cluster = Cluster.objects.create(
                project=project, name=f"c{Cluster.objects.count()}", bootstrap="b:9092"
            )
            return Trial.objects.create(cluster=cluster, kind="topics", state=state, requested_at=at)
        terms = Terms(timezone.now() + timedelta(days=1), Options(b"").document(), scope=Scope().document())
        share = create_share(inspection, owner, terms)[0]
        Share.objects.filter(pk=share.pk).update(state=state, created_at=at, started_at=at)
        share.refresh_from_db()
        return share

    return job


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids that a task was sent for."""
    found: list[str] = []
    monkeypatch.setattr(celery_client, "send", lambda _, job_id: found.append(job_id))
    return found


KINDS = pytest.mark.parametrize("kind", ["comparison", "trial", "share"])


@KINDS
def test_one_that_lost_its_message_is_sent_again_once(make: Make, sent: list[str], kind: str) -> None:
    lost, fresh = make(kind, "queued"), make(kind, "queued", timedelta(0))
    housekeeping.clean_up()
    housekeeping.clean_up()
    assert sent == [str(lost.pk)]
    fresh.refresh_from_db()
    assert fresh.state == "queued"


@KINDS
def test_one_that_lost_its_worker_is_queued_again_and_fails_the_second_time(
    make: Make, sent: list[str], house: Any, kind: str
) -> None:
    job = make(kind, "running")
    type(job).objects.filter(pk=job.pk).update(attempts=1)
    housekeeping.take_up_abandoned()
    job.refresh_from_db()
    assert (job.state, sent) == ("queued", [str(job.pk)])
    type(job).objects.filter(pk=job.pk).update(state="running", attempts=2)
    housekeeping.take_up_abandoned()
    job.refresh_from_db()
    assert job.state == "failed"
    assert job.error.startswith("The worker stopped during this ")


@KINDS
def test_one_that_a_worker_is_at_is_left_alone(make: Make, sent: list[str], house: Any, kind: str) -> None:
    job = make(kind, "running")
    house.set(f"journalscope:alive:{job.pk}", "a lease")
    housekeeping.take_up_abandoned()
    job.refresh_from_db()
    assert (job.state, sent) == ("running", [])


@KINDS
def test_one_whose_message_waits_behind_others_is_not_sent_again(
    make: Make, sent: list[str], house: Any, kind: str
) -> None:
    job = make(kind, "queued")
    house.lpush(OLD_QUEUE, f'{{"body": "{job.pk}"}}')
    housekeeping.clean_up()
    assert sent == []


def test_a_revoked_share_is_not_made(make: Make, sent: list[str], owner: Any) -> None:
    revoke(make("share", "queued"), owner)
    housekeeping.clean_up()
    assert sent == []
