"""Inspections without web, queue or database: what `manage.py inspect` does.

Nothing but results may reach stdout, whatever the JVM and the Python tasks print: `own_stdout` keeps the real one
for us and lets everything else write to stderr.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from django.conf import settings

from spark.errors import UnreadableInput
from spark.java import NoJava
from workers.ingest.limits import ArchiveLimits

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark.sources import InputFile

HEALTHY, ALARMING, UNREADABLE = 0, 1, 2
SIGTERM_EXIT = 143
ALARMS = {"critical", "high"}
FAILED = (
    "The inspection broke off because of a defect in Journalscope, not in the input; stderr has the details."
)

Report = dict[str, Any]


@dataclass(frozen=True)
class Bounds:
    """Limits of the command line, from the settings."""

    archives: ArchiveLimits
    max_batch_bytes: int

    @classmethod
    def of_settings(cls) -> Bounds:
        """As the environment has them."""
        return cls(ArchiveLimits.of_settings(), settings.MAX_BATCH_BYTES)


@contextmanager
def own_stdout() -> Iterator[IO[str]]:
    """The stream for results. From here on, file descriptor 1 is stderr for everybody, children included."""
    sys.stdout.flush()
    results = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace")
    os.dup2(2, 1)
    try:
        yield results
        results.flush()
    finally:
        os.dup2(results.fileno(), 1)
        results.close()


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder that is gone at the end, with all that Spark and the archives left in it."""
    folder = Path(tempfile.mkdtemp(prefix="journalscope-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Spark:
    """One session for all inputs of this process, begun in the background so that reading may start meanwhile."""

    def __init__(self, master: str, scratch: Path) -> None:
        import pyspark.sql  # noqa: F401  (in one thread: two first imports of it trip over each other)

        self._master, self._scratch = master, scratch
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="spark-start")
        self._started: Future[SparkSession] = self._pool.submit(self._start)

    def _start(self) -> SparkSession:
        from spark.session import session

        return session(self._master, self._scratch)

    def session(self) -> SparkSession:
        """The session, made anew if its JVM died over an earlier input."""
        from spark.session import discard, is_alive

        started = self._started.result()
        if is_alive():
            return started
        discard()
        self._started = self._pool.submit(self._start)
        return self._started.result()

    def end(self) -> None:
        """Stop at once; the scratch folder takes what Spark leaves."""
        from spark.session import discard

        self._pool.shutdown(wait=True)
        discard(at_once=True)


def inspect_paths(
    spark: Spark,
    paths: Sequence[Path],
    results: Path,
    scratch: Path,
    bounds: Bounds,
    read_as: Mapping[str, str] | None = None,
) -> Report:
    """Inspect all paths as one input; `read_as`: the dialects that the user chose, by topic."""
    from workers.ingest.inputs import input_files

    return inspect_files(spark, input_files(paths, scratch, bounds.archives), results, read_as)


def inspect_files(
    spark: Spark, files: list[InputFile], results: Path, read_as: Mapping[str, str] | None = None
) -> Report:
    """Inspect files as one input."""
    from spark.pipeline import Limits, Quiet, inspect

    limits = Limits(max_batch_bytes=settings.MAX_BATCH_BYTES, read_as=read_as or {})
    return inspect(spark.session, files, results, Quiet(), limits)


def chosen_dialects(options: Sequence[str]) -> dict[str, str]:
    """What `--dialect NAME` and `--dialect TOPIC=NAME` say: topic ("": every topic) -> dialect id."""
    pairs = (option.rpartition("=") for option in options)
    return {topic: name for topic, _, name in pairs}


def answer(inspect: Callable[[], Report]) -> Report:
    """The report, or `{"error": ...}` with a sentence; a defect's traceback goes to stderr."""
    try:
        return inspect()
    except (UnreadableInput, NoJava) as problem:
        return {"error": str(problem)}
    except OSError as problem:
        return {"error": f"Reading or writing failed: {problem}."}
    except Exception:
        import traceback

        traceback.print_exc()
        return {"error": FAILED}


def exit_code(report: Report) -> int:
    """0 nothing above medium, 1 something critical or high, 2 could not be read."""
    if "error" in report:
        return UNREADABLE
    return ALARMING if any(finding["severity"] in ALARMS for finding in report["findings"]) else HEALTHY


def empty_folder(folder: Path) -> Path:
    """The folder for results, made if it is not there. Raises UnreadableInput when something is in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UnreadableInput(
                f"{folder} is not empty. Name a folder for the results that is new or empty."
            )
    except OSError as problem:
        raise UnreadableInput(f"{folder} cannot take the results: {problem.strerror}. Name another folder.")
    return folder.resolve()
