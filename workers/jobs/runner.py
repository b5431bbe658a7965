"""One attempt at a job: taken from the queue, executed, its outcome kept. The same for every kind.

A kind says in `execute` what is its own. The result is published in the transaction that settles the row, after the row:
whoever cancels or takes over waits for the row's lock, so a folder with the final name is always that of the row.
"""

from __future__ import annotations

import errno
import logging
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from spark.storage.address import refusal_of
from spark.storage.files import listed_files
from spark.storage.stored_path import ResultPath, copy_file, remove_tree
from spark.terms.errors import DISK_FULL
from webapp.database import is_away
from webapp.jobs import kinds, lifecycle, results
from webapp.jobs.models import Job, State
from webapp.journals.disk import durable
from webapp.operations import stage_seconds
from workers.jobs import heartbeat
from workers.jobs.database import retry_while_away
from workers.jobs.progress import Cancelled, LeaseLost, Progress, WorkerStops, unreachable_is_fine

if TYPE_CHECKING:
    from pyspark import SparkContext

logger = logging.getLogger(__name__)
READ_ONLY = (
    "The server cannot write to its data folder. Ask an admin to make the folder writable, then try again."
)


class JobFailed(Exception):
    """The job cannot be done; the message is shown to the user."""


class AttemptFolder:
    """Where one attempt works, and where its result goes. Named for its lease: no two attempts share one.

    `results` takes files that Spark's tasks write: the folder `partial`, or an address where results are in a store. What this process
    writes into `partial` is stored at the end.
    """

    def __init__(self, job: Job) -> None:
        self.final = results.folder_of(job.pk)
        self.partial = self.final.with_name(f"{job.pk}.{job.lease}.partial")
        self.stored = results.stored_folder_of(job.pk)
        self.attempt = str(job.lease)
        self.results: ResultPath = self.stored / self.attempt if self.stored else self.partial
        self._stored_bytes = 0
        self._is_published = False
        self.scratch = Path(settings.SCRATCH_DIR) / f"{job.pk}.{job.lease}"

    def clear(self) -> None:
        for folder in (self.partial, self.scratch):
            shutil.rmtree(folder, ignore_errors=True)
        if self.stored and not self._is_published:
            remove_tree(self.results)
        elif self.stored:
            results.remove_other_attempts(self.stored, self.attempt)

    def sync(self) -> None:
        """Flush to the disk or the store before any row is locked."""
        if self.stored:
            self._stored_bytes = store_files(self.partial, self.results)
        elif self.partial.is_dir():
            durable.sync_all(self.partial)

    def publish(self) -> None:
        """Replace an earlier result atomically."""
        if self.stored and self._stored_bytes:
            results.commit(self.stored, self.attempt, self._stored_bytes)
            self._is_published = True
        elif self.partial.is_dir() and not self.stored:
            shutil.rmtree(self.final, ignore_errors=True)
            durable.rename(self.partial, self.final)


def store_files(folder: Path, target: ResultPath) -> int:
    """Store a folder's files, if it exists; returns the bytes of all stored files."""
    for file in folder.rglob("*") if folder.is_dir() else ():
        if file.is_file():
            copy_file(file, target / file.relative_to(folder).as_posix())
    try:
        return sum(file.size_bytes for file in listed_files(str(target)))
    except FileNotFoundError:
        return 0


class Attempt:
    """One attempt of this worker at a job."""

    context: Callable[[], SparkContext]  # of a kind that uses Spark

    def __init__(self, job: Any, stages: tuple[str, ...]) -> None:
        self.job = job
        self.folder = AttemptFolder(job)
        self.progress = Progress(job.pk, stages)


class JobKind(ABC):
    """How jobs of a kind are done; `kind` is what the web knows of it."""

    name: ClassVar[str]
    related: ClassVar[tuple[str, ...]] = ()  # read with the row
    uses_spark: ClassVar[bool] = False
    expected: ClassVar[tuple[type[Exception], ...]] = (JobFailed,)  # told to the user as they are

    @property
    def kind(self) -> kinds.Kind:
        return kinds.named(self.name)

    @abstractmethod
    def execute(self, attempt: Attempt) -> dict[str, Any]:
        """Do it: files into `attempt.folder.partial`. The columns of the row; `state` among them unless it is done.

        Called anew, with empty folders, if Spark dies.
        """

    def closing_columns(self, job: Any) -> dict[str, Any]:
        """Columns that are set however the job ends."""
        return {}

    def failed_columns(self, problem: Exception) -> dict[str, Any]:
        """Columns that are set if the job ends with an expected error."""
        return {}

    def settled(self, attempt: Attempt) -> None:  # noqa: B027  for most kinds nothing follows
        """Follow-up work after success; its failures do not affect the job."""


def perform(kind: JobKind, job_id: str) -> None:
    """Run a job. Does nothing if it is over or taken by another worker."""
    job = lifecycle.take(kind.kind.model, job_id, *kind.related)
    if job is None:
        return
    attempt = Attempt(job, kind.kind.stages)
    with heartbeat.attempting(job, attempt.progress):
        try:
            is_settled = _outcome(kind, attempt)
        finally:
            attempt.folder.clear()
        if is_settled:
            with unreachable_is_fine():
                stage_seconds.note(attempt.progress.seconds)
            kind.settled(attempt)


def _outcome(kind: JobKind, attempt: Attempt) -> bool:
    """The only broad `except`: stores the outcome and raises unexpected errors again."""
    job = attempt.job
    try:
        return _publish(kind, attempt, _execute(kind, attempt))
    except LeaseLost:
        logger.info("%s %s continues in another attempt; this one ends.", kind.name, job.pk)
    except Cancelled:
        _settle(kind, job, State.CANCELLED)
    except WorkerStops:
        _put_back(job)
    except (RedisError, OperationalError):
        logger.warning("%s %s lost the broker and is queued again.", kind.name, job.pk)
        _put_back(job)
    except kind.expected as problem:
        _settle(kind, job, State.FAILED, error=str(problem), **kind.failed_columns(problem))
    except Exception as problem:
        if is_away(problem):
            logger.warning("%s %s lost the database and is queued again.", kind.name, job.pk)
            _put_back(job)
            return False
        # it broke because somebody ended the job
        if not retry_while_away(job.pk, lifecycle.held(job).exists):
            logger.info("%s %s was cancelled while it ran.", kind.name, job.pk)
            _put_back(job)
            return False
        logger.exception("%s %s failed.", kind.name, job.pk)
        sentence = words_of(problem, kind.kind.disk_full, READ_ONLY, kind.kind.defect)
        _settle(kind, job, State.FAILED, error=sentence)
        raise
    return False


def words_of(problem: Exception, disk_full: str, read_only: str, defect: str) -> str:
    """Sentence for the user about an unexpected error of the disk or the program."""
    number = problem.errno if isinstance(problem, OSError) else None
    if by_store := refusal_of(problem):
        return by_store
    if number in DISK_FULL:
        return disk_full
    return read_only if number in {errno.EROFS, errno.EACCES, errno.EPERM} else defect


def _execute(kind: JobKind, attempt: Attempt) -> dict[str, Any]:
    attempt.progress.raise_if_cancelled()

    def once(context: Any = None) -> dict[str, Any]:
        attempt.folder.clear()
        attempt.context = context
        return kind.execute(attempt)

    if kind.uses_spark:
        from workers.jobs import spark_runner  # not in processes that never run Spark

        columns = spark_runner.run(attempt.progress, once)
    else:
        columns = once()
    if attempt.progress.is_cancelled:
        raise Cancelled
    attempt.progress.finish()
    return columns


def _publish(kind: JobKind, attempt: Attempt, columns: dict[str, Any]) -> bool:
    """Settle first: the row's write lock guards the rename. False where the job is not this attempt's any more."""
    attempt.folder.sync()
    state = columns.pop("state", State.DONE)
    columns |= {"finished_at": timezone.now()}

    def settle_and_publish() -> bool:
        with transaction.atomic():
            is_ours = _settle(kind, attempt.job, state, **columns)
            if is_ours:
                attempt.folder.publish()
        return is_ours

    return retry_while_away(attempt.job.pk, settle_and_publish)


def _settle(kind: JobKind, job: Job, state: str, **columns: Any) -> bool:
    """Where somebody ended the job meanwhile, it waits as before: no failure."""
    columns = {"finished_at": timezone.now(), **kind.closing_columns(job), **columns}
    is_ours = retry_while_away(job.pk, lambda: lifecycle.settle(job, state, **columns))
    if not is_ours:
        _put_back(job)
    return is_ours


def _put_back(job: Job) -> bool:
    return retry_while_away(job.pk, lambda: lifecycle.put_back(job))
