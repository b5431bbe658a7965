"""One attempt at an inspection or a repair: taken from the queue, made, its outcome kept.

Every change of state is one conditional UPDATE, so that a message that comes twice, a page that cancels and a
worker that finishes cannot overwrite each other.
"""

from __future__ import annotations

import errno
import logging
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.db.models import F
from django.utils import timezone
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from spark.runtime.java import NoJava
from spark.terms.errors import UnreadableInput
from webapp.database import is_away
from webapp.journals import durable
from webapp.journals.models import Run
from webapp.journals.progress import STAGES
from webapp.operations import stage_seconds
from workers import spark_runner
from workers.database import outlasting
from workers.progress import Cancelled, Progress, WorkerStops, is_cancelled, say_alive, say_gone

if TYPE_CHECKING:
    from pyspark import SparkContext

logger = logging.getLogger(__name__)
State = Run.State
READ_ONLY = (
    "The server cannot write to its data folder. Ask an admin to make the folder writable, then try again."
)


@dataclass(frozen=True)
class Place:
    """Where a run works and where its result goes."""

    partial: Path
    final: Path
    scratch: Path

    @classmethod
    def of(cls, run: Run) -> Place:
        """The folders of a run."""
        final = run.results
        return cls(final.with_name(f"{final.name}.partial"), final, Path(settings.SCRATCH_DIR) / final.name)

    def clear(self) -> None:
        """Remove whatever is half-made."""
        for folder in (self.partial, self.scratch):
            shutil.rmtree(folder, ignore_errors=True)

    def finish(self) -> None:
        """Show the result, whole."""
        shutil.rmtree(self.final, ignore_errors=True)
        durable.show(self.partial, self.final)


class Attempt:
    """What all attempts share; a kind of run says in `made` what is its own."""

    model: ClassVar[type[Run]]
    stages: ClassVar[Sequence[str]] = STAGES
    defect: ClassVar[str]
    disk_full: ClassVar[str]

    def __init__(self, run: Run) -> None:
        self.run = run
        self.place = Place.of(run)
        self.progress = Progress(run.pk, self.stages)

    def made(self, context: Callable[[], SparkContext]) -> dict[str, Any]:
        """Make the result in `place.partial`; the members of the row that tell of it. Called anew if Spark dies."""
        raise NotImplementedError

    def kept(self) -> None:
        """The result is there for everybody: what else follows from it, and may fail without losing it."""

    @classmethod
    def perform(cls, run_id: str) -> None:
        """What the task does. Nothing when the run is not waiting: it is over, or somebody else's."""
        run = cls._taken(run_id)
        if run is None:
            return
        attempt = cls(run)
        attempt.place.clear()
        try:
            attempt._outcome()
        finally:
            attempt.place.clear()
            say_gone(run.pk)

    @classmethod
    def _taken(cls, run_id: str) -> Run | None:
        waiting = cls.model.objects.filter(pk=run_id, state=State.QUEUED)
        if not waiting.exists():
            return None
        say_alive(run_id)
        mine = waiting.update(
            state=State.RUNNING, started_at=timezone.now(), attempts=F("attempts") + 1, error=""
        )
        return cls.model.objects.get(pk=run_id) if mine else None

    def _mine(self) -> Any:
        """The row, if it is still this attempt's."""
        return self.model.objects.filter(pk=self.run.pk, state=State.RUNNING, attempts=self.run.attempts)

    def _outcome(self) -> None:
        """The one place that catches broadly: to keep the outcome, and raise again what nobody foresaw."""
        try:
            self._keep(self._result())
        except Cancelled:
            self._settle(State.CANCELLED)
        except WorkerStops:
            self._queue_again()
        except (RedisError, OperationalError):
            logger.warning("%s %s lost the broker and is queued again.", self.model.__name__, self.run.pk)
            self._queue_again()
        except (UnreadableInput, NoJava, spark_runner.SparkGone) as problem:
            self._settle(State.FAILED, error=str(problem))
        except Exception as problem:
            if is_away(problem):
                logger.warning(
                    "%s %s lost the database and is queued again.", self.model.__name__, self.run.pk
                )
                self._queue_again()
                return
            logger.exception("%s %s broke off.", self.model.__name__, self.run.pk)
            self._settle(State.FAILED, error=self._why(problem))
            raise

    def _why(self, problem: Exception) -> str:
        """What the user reads."""
        number = problem.errno if isinstance(problem, OSError) else None
        if number in {errno.ENOSPC, errno.EDQUOT}:
            return self.disk_full
        return READ_ONLY if number in {errno.EROFS, errno.EACCES, errno.EPERM} else self.defect

    def _queue_again(self) -> None:
        """This attempt does not count; housekeeping sends the run again."""
        waits = {"state": State.QUEUED, "attempts": F("attempts") - 1, "started_at": None}
        outlasting(self.run.pk, lambda: self._mine().update(**waits))

    def _result(self) -> dict[str, Any]:
        if is_cancelled(self.run.pk):
            raise Cancelled

        def made(context: Callable[[], SparkContext]) -> dict[str, Any]:
            self.place.clear()
            self.place.partial.mkdir(parents=True)
            return self.made(context)

        members = spark_runner.run(self.progress, made)
        self.progress.raise_if_cancelled()
        self.progress.finish()
        return members

    def _keep(self, members: dict[str, Any]) -> None:
        if not outlasting(self.run.pk, self._mine().exists):  # deleted, cancelled or given up meanwhile
            return
        self.place.finish()
        if self._settle(State.DONE, **members):
            with suppress(RedisError):
                stage_seconds.note(self.progress.seconds)
            self.kept()
        else:
            shutil.rmtree(self.place.final, ignore_errors=True)

    def _settle(self, state: str, **members: Any) -> bool:
        """Whether the row was still this attempt's; also when the database took it and went away before it said so."""
        ends = {"state": state, "finished_at": timezone.now()}
        taken = self.model.objects.filter(pk=self.run.pk, **ends)
        return outlasting(self.run.pk, lambda: bool(self._mine().update(**ends, **members)) or taken.exists())
