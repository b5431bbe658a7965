"""What the workers have to do, are doing and could not do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from redis.exceptions import RedisError

from webapp.accounts.models import Project
from webapp.journals import inspections, progress, repairs
from webapp.journals.models import Inspection, Repair, Run

QUEUE = "celery"  # Celery's own name for the list of messages
FAILED_SHOWN = 30
WAITING_SHOWN = 100
KINDS: dict[str, type[Run]] = {"inspection": Inspection, "repair": Repair}
TO_PROJECT = {"inspection": "journal__project", "repair": "inspection__journal__project"}
State = Run.State


@dataclass(frozen=True)
class Job:
    """One inspection or repair, as the page lists it."""

    kind: str
    run: Any
    stage: str = ""
    stage_seconds: float = 0.0
    is_abandoned: bool = False

    @property
    def journal(self) -> Any:
        """What it is about."""
        return self.run.journal if self.kind == "inspection" else self.run.inspection.journal

    @property
    def url(self) -> str:
        """Its own page."""
        if self.kind == "inspection":
            return reverse("inspection", args=[self.run.pk])
        return reverse("report-repair-result", args=[self.run.inspection_id, self.run.pk])

    @property
    def may_start_again(self) -> bool:
        """Over without a result, or its worker is gone; and the files are still there."""
        is_lost = self.run.state in {State.FAILED, State.CANCELLED} or self.is_abandoned
        return is_lost and self.journal.uploads.exclude(blob=None).exists()


@dataclass(frozen=True)
class Jobs:
    """Of the projects one looks after."""

    running: list[Job]
    waiting: list[Job]
    waiting_count: int
    failed: list[Job]
    failed_count: int


def jobs_of(projects: Iterable[Project]) -> Jobs:
    """All that is under way, and the newest that failed."""
    chosen = list(projects)
    running = [job for kind in KINDS for job in _running(kind, chosen)]
    waiting = [Job(kind, run) for kind in KINDS for run in _in_state(kind, chosen, State.QUEUED)]
    failed = [
        Job(kind, run)
        for kind in KINDS
        for run in _in_state(kind, chosen, State.FAILED).order_by("-created_at")[:FAILED_SHOWN]
    ]
    return Jobs(
        sorted(running, key=lambda job: _time(job.run.started_at)),
        sorted(waiting, key=lambda job: _time(job.run.created_at))[:WAITING_SHOWN],
        len(waiting),
        sorted(failed, key=lambda job: _time(job.run.finished_at), reverse=True)[:FAILED_SHOWN],
        sum(_in_state(kind, chosen, State.FAILED).count() for kind in KINDS),
    )


def queue_length() -> int:
    """Messages that no worker has taken yet. Raises RedisError."""
    return int(progress.connection().llen(QUEUE))


def find(kind: str, run_id: UUID, projects: Iterable[Project]) -> Job:
    """The job, or 404."""
    if kind not in KINDS:
        raise Http404
    run = _rows(kind, list(projects)).filter(pk=run_id).first()
    if run is None:
        raise Http404
    return Job(kind, run, is_abandoned=_is_abandoned(kind, run))


def cancel(job: Job) -> None:
    """Stop it. Raises Refused."""
    {"inspection": inspections.cancel, "repair": repairs.cancel}[job.kind](job.run)


def start_again(job: Job, user: Any) -> None:
    """The same once more. Raises Refused."""
    if job.kind == "inspection":
        inspections.retry(job.run, user)
    else:
        repairs.again(job.run, user)


def _running(kind: str, projects: list[Project]) -> Iterable[Job]:
    for run in _in_state(kind, projects, State.RUNNING):
        stage, seconds = _stage(run)
        yield Job(kind, run, stage, seconds, _is_abandoned(kind, run))


def _stage(run: Run) -> tuple[str, float]:
    """As the worker last told it."""
    try:
        told = progress.read(run.pk) or {}
    except RedisError:
        return "", 0.0
    current = next((stage for stage in told.get("stages", ()) if stage["name"] == told.get("stage")), None)
    return (current["name"], float(current["seconds"])) if current else ("", 0.0)


def _is_abandoned(kind: str, run: Any) -> bool:
    return {"inspection": inspections.is_abandoned, "repair": repairs.is_abandoned}[kind](run)


def _in_state(kind: str, projects: list[Project], state: str) -> QuerySet[Any]:
    return _rows(kind, projects).filter(state=state)


def _rows(kind: str, projects: list[Project]) -> QuerySet[Any]:
    rows = KINDS[kind]._default_manager.filter(**{f"{TO_PROJECT[kind]}__in": projects})
    return rows.select_related(TO_PROJECT[kind], "requested_by")


def _time(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0
