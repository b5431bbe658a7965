"""What all jobs have in common. Each kind has a table of its own."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from spark.storage.stored_path import ResultPath
from webapp.jobs.results import results_of


class State(models.TextChoices):
    """QUEUED -> RUNNING -> DONE, FAILED or CANCELLED; RUNNING -> QUEUED when its worker is lost or leaves.

    Captures only: QUEUED or RUNNING -> PAUSED -> QUEUED.
    """

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ON_ITS_WAY = (State.QUEUED, State.RUNNING)


class Job(models.Model):
    """Work for a worker. The attempt that runs it holds the lease; the number of attempts is a count only."""

    State = State

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED, db_index=True)
    error = models.TextField(blank=True, help_text="what went wrong and what to do, in words for the user")
    attempts = models.PositiveSmallIntegerField(default=0, help_text="how often a worker took it")
    lease = models.UUIDField(null=True, editable=False, help_text="of the attempt that works on it")
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    @property
    def is_over(self) -> bool:
        """Whether its state is final."""
        return self.state not in {State.QUEUED, State.RUNNING}

    @property
    def results(self) -> ResultPath:
        """Folder of the result, complete when the state is done. Raises OSError if the store is unavailable."""
        return results_of(self.id)

    @classmethod
    def needed(cls) -> models.QuerySet[Job]:
        """Rows whose result is still needed."""
        return cls._default_manager.all()


class SingleJob(Job):
    """At most one pending job per `question`; created by `lifecycle.request`."""

    question = models.CharField(
        max_length=64, null=True, editable=False, help_text="SHA-256 of the parent and of what is asked"
    )

    class Meta:
        abstract = True


def one_on_its_way(name: str) -> models.UniqueConstraint:
    """At most one queued or running job per `question`."""
    return models.UniqueConstraint(
        fields=("question",), condition=models.Q(state__in=ON_ITS_WAY), name=f"one_{name}_on_its_way"
    )
