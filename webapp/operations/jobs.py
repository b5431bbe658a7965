"""What the workers have to do, are doing and could not do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404
from redis.exceptions import RedisError

from webapp import redis_client
from webapp.accounts.models import Project
from webapp.jobs import kinds, lifecycle, progress
from webapp.jobs.kinds import Kind
from webapp.jobs.models import State
from webapp.jobs.queues import OLD_QUEUE, QUEUES
from webapp.operations.heartbeats import alive_workers

FAILED_SHOWN = 30
WAITING_SHOWN = 100


@dataclass(frozen=True)
class ListedJob:
    """A row of the page of jobs."""

    kind: Kind
    run: Any
    stage: str = ""
    stage_seconds: float = 0.0

    @property
    def title(self) -> str:
        return self.kind.title(self.run)

    @property
    def project(self) -> Project:
        return self.kind.project(self.run)

    @property
    def url(self) -> str:
        return self.kind.url(self.run)

    @property
    def asked_at(self) -> datetime:
        return getattr(self.run, self.kind.asked_column)

    @property
    def asked_by(self) -> Any:
        return getattr(self.run, self.kind.asker)

    @property
    def started_at(self) -> datetime:
        return self.kind.started_at(self.run)

    @property
    def ended_at(self) -> datetime:
        """When it ended, or when it was requested if that is unknown."""
        return self.run.finished_at or self.asked_at

    @property
    def is_abandoned(self) -> bool:
        return lifecycle.is_abandoned(self.run)

    @property
    def may_start_again(self) -> bool:
        return self.kind.may_start_again(self.run)


@dataclass(frozen=True)
class Jobs:
    """Jobs of the projects that a user administers."""

    running: list[ListedJob]
    waiting: list[ListedJob]
    waiting_count: int
    failed: list[ListedJob]
    failed_count: int


def jobs_of(projects: Iterable[Project]) -> Jobs:
    """Running and waiting jobs, and the newest failed ones."""
    chosen = list(projects)
    running, waiting, failed = (
        {kind: _rows(kind, chosen).filter(state=state) for kind in kinds.all_kinds() if kind.is_listed}
        for state in (State.RUNNING, State.QUEUED, State.FAILED)
    )
    return Jobs(
        sorted(
            (_running(kind, row) for kind in running for row in running[kind]), key=lambda job: job.started_at
        ),
        _first(waiting, WAITING_SHOWN, newest=False),
        sum(rows.count() for rows in waiting.values()),
        _first(failed, FAILED_SHOWN, newest=True),
        sum(rows.count() for rows in failed.values()),
    )


def queue_length() -> int:
    """Messages in all queues. Raises RedisError."""
    lists = (*QUEUES, OLD_QUEUE)
    return sum(int(redis_client.connection().llen(name)) for name in lists)


def broker_state() -> dict[str, Any]:
    """Workers and queue length; None for both if the broker does not answer."""
    try:
        return {"workers": alive_workers(), "queue_length": queue_length()}
    except RedisError:
        return {"workers": [], "queue_length": None}


def find(name: str, run_id: UUID, projects: Iterable[Project]) -> ListedJob:
    kind = kinds.find(name)
    row = _rows(kind, list(projects)).filter(pk=run_id).first() if kind else None
    if kind is None or row is None:
        raise Http404
    return ListedJob(kind, row)


def _first(rows_by_kind: dict[Kind, QuerySet[Any]], count: int, *, newest: bool) -> list[ListedJob]:
    """The first or last of all kinds by time of request."""
    sign = "-" if newest else ""
    jobs = [
        ListedJob(kind, row)
        for kind, rows in rows_by_kind.items()
        for row in rows.order_by(f"{sign}{kind.asked_column}")[:count]
    ]
    return sorted(jobs, key=lambda job: job.ended_at if newest else job.asked_at, reverse=newest)[:count]


def _running(kind: Kind, row: Any) -> ListedJob:
    """With its current stage."""
    try:
        state = progress.read(row.pk) or {}
    except RedisError:
        state = {}
    current = next((stage for stage in state.get("stages", ()) if stage["name"] == state.get("stage")), None)
    return (
        ListedJob(kind, row, current["name"], float(current["seconds"])) if current else ListedJob(kind, row)
    )


def _rows(kind: Kind, projects: list[Project]) -> QuerySet[Any]:
    rows = kind.model._default_manager.filter(**{f"{kind.to_project}__in": projects})
    return rows.select_related(*kind.related)
