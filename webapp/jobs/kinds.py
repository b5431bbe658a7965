"""Kinds of jobs: what pages, queues and housekeeping know of each. Apps register theirs when they are ready."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime
from operator import attrgetter
from typing import Any, ClassVar

from webapp.jobs.models import Job
from webapp.jobs.queues import Queue
from webapp.rejected import Rejected

DEFECT = "The {what} failed because of a bug in Journalscope. Ask an admin to check the worker's log."
DISK_FULL = (
    "The server's disk is full, so the {what} could not be finished. Ask an admin to make room, then {again}."
)
WORKER_LOST = (
    "The worker stopped during this {what}, and again at the second attempt. Try again, or ask an admin to look into the "
    "worker's log."
)
REPLACED = "The worker stopped before this {what} was finished. A user restarted it."


class Kind(ABC):
    """A kind of job: its model, task, queue and texts, and what users may do with it."""

    name: ClassVar[str]
    model: ClassVar[type[Job]]
    task: ClassVar[str]
    queue: ClassVar[Queue]
    stages: ClassVar[tuple[str, ...]] = ()
    max_attempts: ClassVar[int] = 2

    defect: ClassVar[str]
    disk_full: ClassVar[str]
    worker_lost: ClassVar[str]
    replaced: ClassVar[str] = ""

    to_project: ClassVar[str]  # from a row, as a query spells it
    related: ClassVar[tuple[str, ...]]
    asked_column: ClassVar[str] = "created_at"
    asker: ClassVar[str] = "requested_by"
    can_cancel: ClassVar[bool] = True
    is_listed: ClassVar[bool] = True  # on the page of jobs

    to_title: ClassVar[str]  # from a row, as a query spells it: the name of the journal

    def title(self, row: Any) -> str:
        """Name of the journal."""
        return str(_followed(row, self.to_title))

    def project(self, row: Any) -> Any:
        return _followed(row, self.to_project)

    @abstractmethod
    def url(self, row: Any) -> str:
        """URL of the job's page."""

    def started_at(self, row: Any) -> datetime:
        """When a worker took it; before that, when it was requested."""
        return row.started_at or getattr(row, self.asked_column)

    def may_start_again(self, row: Any) -> bool:
        """It ended without a result or lost its worker, and its input still exists."""
        return False

    def cancel(self, row: Any) -> None:
        """Raises Rejected."""
        raise Rejected(f"A {self.name} ends automatically within seconds. You cannot stop it.", 409)

    def start_again(self, row: Any, user: Any) -> None:
        """Run the job once more. Raises Rejected."""
        raise Rejected(f"A {self.name} cannot be restarted here.", 409)

    def clean_up(self) -> None:  # noqa: B027  most kinds have nothing to clean up
        """Work of housekeeping for this kind, besides lost jobs."""


def _followed(row: Any, path: str) -> Any:
    return attrgetter(path.replace("__", "."))(row)


_registered: dict[str, Kind] = {}


def register(*kinds: Kind) -> None:
    _registered.update({kind.name: kind for kind in kinds})


def all_kinds() -> list[Kind]:
    return list(_registered.values())


def find(name: str) -> Kind | None:
    """Of the kinds that the page of jobs lists."""
    kind = _registered.get(name)
    return kind if kind and kind.is_listed else None


def named(name: str) -> Kind:
    """Raises KeyError."""
    return _registered[name]


def of(job: Job) -> Kind:
    return next(kind for kind in _registered.values() if kind.model is type(job))


def queue_of(task: str) -> Queue:
    """Queue of a task; tasks that are no jobs take seconds and go to `quick`."""
    return next((kind.queue for kind in _registered.values() if kind.task == task), "quick")
