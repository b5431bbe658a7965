"""The worker's one Spark session: started at boot, shared under FAIR scheduling, built anew when its JVM dies.

Each job of ours has a job group of its own. A watcher thread for each turns Spark's task counts into progress and
cancels the job group once the job shall stop.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from django.conf import settings
from py4j.protocol import Py4JError

from spark.runtime import session as spark_session
from spark.runtime.java import NoJava
from spark.terms.errors import ExecutorFailure
from webapp import tracing
from workers.jobs import heartbeat
from workers.jobs.progress import Progress, Stopped

if TYPE_CHECKING:
    from pyspark import SparkContext

logger = logging.getLogger(__name__)

WATCH_SECONDS = 0.2
SESSIONS_TRIED, PAUSE_SECONDS = 3, 1.0
GONE = (
    "Spark stopped during this work, and again at each new start. The server may have too little memory. Try again, or ask "
    "an admin to look into the worker's log."
)
T = TypeVar("T")
_changing = threading.Lock()


def begin() -> None:
    """Start the session in the background and run a small job that loads what inspections need."""
    threading.Thread(target=_warm_up, name="spark-start", daemon=True).start()


def end() -> None:
    """Stop the JVM, also while it starts."""
    spark_session.kill_jvm()
    with _changing:
        spark_session.discard(at_once=True)


def spark_scratch() -> Path:
    """Folder of Spark's shuffle files; emptied when the worker starts."""
    return Path(settings.SCRATCH_DIR) / "spark"


def context() -> SparkContext:
    with _changing:
        if not spark_session.is_alive():
            spark_session.discard()
            spark_scratch().mkdir(parents=True, exist_ok=True)
        return spark_session.context(settings.SPARK_MASTER, spark_scratch())


def _warm_up() -> None:
    from spark.pipeline import preload  # with all stages: not for processes that never run Spark

    began = time.monotonic()
    try:
        preload(context())
        logger.info("Spark is ready after %.1f s.", time.monotonic() - began)
    except Exception:
        if not heartbeat.is_stopping():
            logger.exception("Spark did not start; the next inspection tries again.")


class SparkGone(Exception):
    """Spark died repeatedly; the message is for the user."""


FAILURES: tuple[type[Exception], ...] = (ExecutorFailure, NoJava, SparkGone)  # each in words for the user


def run(progress: Progress, work: Callable[[Callable[[], SparkContext]], T]) -> T:
    """Run the work, again with a new session if the JVM dies. Raises SparkGone after several attempts."""
    for number in range(1, SESSIONS_TRIED + 1):
        in_spark = threading.Event()
        try:
            return _attempt(progress, work, in_spark)
        except Stopped:
            raise
        except Exception as problem:
            progress.raise_if_cancelled()
            if not in_spark.is_set() or spark_session.is_alive():
                raise
            logger.warning(
                "Spark died under %s, %d of %d (%s).", progress.job_id, number, SESSIONS_TRIED, problem
            )
        time.sleep(PAUSE_SECONDS)
    raise SparkGone(GONE)


def _attempt(
    progress: Progress, work: Callable[[Callable[[], SparkContext]], T], in_spark: threading.Event
) -> T:
    """Sets `in_spark` once the work asks for Spark: only then can it have failed for Spark's sake."""
    group = str(progress.job_id)

    def grouped_context() -> SparkContext:
        in_spark.set()
        living = context()
        described = f"{group} for request {tracing.request_id() or '-'}"
        living.setJobGroup(group, described, interruptOnCancel=True)
        living.setLocalProperty("journalscope.request_id", tracing.request_id())
        living.setLocalProperty("spark.scheduler.pool", group)
        return living

    with _watched(progress, group):
        return work(grouped_context)


@contextmanager
def _watched(progress: Progress, group: str) -> Iterator[None]:
    """Report progress of the job group while the block runs."""
    over = threading.Event()
    watcher = threading.Thread(
        target=_watch, args=(progress, group, over), name=f"watch-{group}", daemon=True
    )
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _watch(progress: Progress, group: str, over: threading.Event) -> None:
    counted = _Counted(group)
    while not over.wait(WATCH_SECONDS):
        try:
            if spark_session.is_alive():
                _follow(progress, counted, group)
        except (Py4JError, OSError):
            logger.debug("A check of %s failed.", group, exc_info=True)


def _follow(progress: Progress, counted: _Counted, group: str) -> None:
    """Cancel repeatedly: a stage may have started after the last call."""
    living: Any = context()
    if progress.shall_stop:
        living.cancelJobGroup(group)
    else:
        progress.tasks(*counted.tasks(living.statusTracker(), progress.current))


class _Counted:
    """Task counts of Spark jobs that began since the current stage started."""

    def __init__(self, group: str) -> None:
        self._group = group
        self._stage: str | None = None
        self._jobs_before: set[int] = set()

    def tasks(self, tracker: Any, stage: str | None) -> tuple[int, int]:
        """Tasks done and tasks in all, as far as they are known yet."""
        jobs = set(tracker.getJobIdsForGroup(self._group))
        if stage != self._stage:
            self._stage, self._jobs_before = stage, {job for job in jobs if not _is_running(tracker, job)}
        done = total = 0
        for job in jobs - self._jobs_before:
            for info in filter(
                None, map(tracker.getStageInfo, getattr(tracker.getJobInfo(job), "stageIds", []))
            ):
                done, total = done + info.numCompletedTasks, total + info.numTasks
        return done, total


def _is_running(tracker: Any, job: int) -> bool:
    info = tracker.getJobInfo(job)
    return info is not None and info.status == "RUNNING"
