"""Jobs of every kind that wait, and kinds whose middle is the test's."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from webapp.clusters.models import Capture, Cluster, Trial
from webapp.jobs.models import Job
from webapp.journals.models import Comparison, Inspection, Journal, Repair
from webapp.sharing.models import Share
from workers import kinds
from workers.jobs import housekeeping
from workers.jobs.runner import Attempt, JobKind

COLUMNS: dict[str, dict[str, Any]] = {
    "inspection": {"verdict_level": "healthy"},
    "repair": {"result": {"sentence": "whole"}},
    "comparison": {"result": {"equal": True}},
    "trial": {"result": {"topics": []}},
    "share": {"pinned": {"files": []}},
    "capture": {"manifest": {"partitions": []}},
}
PUBLISHED = ("inspection", "repair", "share")  # their result is a folder
Middle = Callable[[Attempt], None]


def waiting(name: str, project: Any) -> Any:
    """A job in its queue, asked for long ago."""
    journal = Journal.objects.create(project=project, name="journal")
    inspection = Inspection.objects.create(
        journal=journal, state="queued" if name == "inspection" else "done"
    )
    cluster = Cluster.objects.create(project=project, name=uuid.uuid4().hex, bootstrap="127.0.0.1:1")
    now = timezone.now()
    made: dict[str, Callable[[], Job]] = {
        "inspection": lambda: inspection,
        "repair": lambda: Repair.objects.create(inspection=inspection),
        "comparison": lambda: Comparison.objects.create(left=inspection, right=inspection, requested_at=now),
        "trial": lambda: Trial.objects.create(cluster=cluster, kind="topics"),
        "share": lambda: Share.objects.create(
            project=project, inspection=inspection, journal_name="journal", token_sha256=uuid.uuid4().hex, scope={},
            options={}, salt=b"", expires_at=now + timedelta(days=1),
        ),
        "capture": lambda: Capture.objects.create(
            project=project, cluster=cluster, cluster_name="c", topic="orders", asked={"topic": "orders"}
        ),
    }  # fmt: skip
    return made[name]()


def doing(name: str, middle: Middle = lambda _: None) -> JobKind:
    """The kind with another `execute`: the middle, then one file, in which the attempt signs, and columns."""
    real = kinds.load(name)

    class Doing(type(real)):  # type: ignore[misc]
        uses_spark = False

        def execute(self, attempt: Attempt) -> dict[str, Any]:
            if name in PUBLISHED:
                attempt.folder.partial.mkdir(parents=True)
            middle(attempt)
            if name in PUBLISHED:
                (attempt.folder.partial / "report.json").write_text(str(attempt.job.lease))
            return dict(COLUMNS[name])

        def settled(self, attempt: Attempt) -> None:
            """Nothing follows here."""

    return Doing()


def lose_worker(job: Any, house: Any) -> None:
    """No sign of life for an hour, and housekeeping notices."""
    house.delete(f"journalscope:alive:{job.pk}")
    started = timezone.now() - timedelta(hours=1)
    type(job).objects.filter(pk=job.pk).update(started_at=started)
    housekeeping.take_up_abandoned()
