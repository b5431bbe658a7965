"""Inspections without web, queue or database, for the command line."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings

from spark.runtime.in_process import SMALL_BYTES, in_process
from spark.storage.stored_path import ResultPath, StoredPath, result_path
from spark.terms.errors import UnreadableInput
from workers.management.progress_line import progress_line

if TYPE_CHECKING:
    from pyspark import SparkContext

    from spark.rules.evaluation import PinnedRule
    from spark.runtime.fork_server import ForkServer
    from spark.sources import InputFile
    from spark.stages.older import OlderDump

Report = dict[str, Any]


@contextmanager
def scratch_folder(within: Path | None = None) -> Iterator[Path]:
    """A folder that is gone at the end, with all that Spark and the archives left in it."""
    folder = Path(tempfile.mkdtemp(prefix="journalscope-", dir=within))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Spark:
    """One session for all inputs of this process that are not small, begun in the background so that reading may start meanwhile.

    While the JVM starts, this process imports what its tasks need, and forks the server that Spark's workers come from.
    """

    def __init__(self, master: str, scratch: Path) -> None:
        self._master, self._scratch = master, scratch
        self._tasks: ForkServer | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="spark-start")

    @property
    def is_begun(self) -> bool:
        """Whether an input was too large for this process alone."""
        return self._tasks is not None

    def begin(self) -> None:
        if self._tasks is not None:
            return
        from spark.entry.task_daemon import load
        from spark.runtime.fork_server import ForkServer
        from spark.runtime.session import begin

        self._tasks = ForkServer(self._scratch)
        begun = begin(self._master, self._scratch)
        self._tasks.start(load)
        self._started: Future[SparkContext] = self._pool.submit(begun.context)

    def engine(self, size_bytes: int = 0) -> SparkContext:
        """What runs the tasks of an input: this process for a small one while there is no session, else Spark."""
        if not self.is_begun and size_bytes < SMALL_BYTES:
            return in_process()
        return self.context()

    def _start(self) -> SparkContext:
        from spark.runtime.session import context

        return context(self._master, self._scratch)

    def context(self) -> SparkContext:
        """The context, made anew if its JVM died over an earlier input."""
        from spark.runtime.session import discard, is_alive

        self.begin()
        started = self._started.result()
        if is_alive():
            return started
        discard()
        self._started = self._pool.submit(self._start)
        return self._started.result()

    def __enter__(self) -> Spark:
        return self

    def __exit__(self, *_: object) -> None:
        """Stop at once; the scratch folder takes what Spark leaves."""
        self._pool.shutdown(wait=True)
        if self._tasks is None:
            return
        from spark.runtime.session import discard

        discard(at_once=True)
        self._tasks.close()


@dataclass(frozen=True)
class CommandContext:
    """What one command works with. `read_as`: the dialects that the user chose, topic -> dialect id; `rules`: of a file;
    `older`: dumps of the same journal that were inspected before; `text_format`: how texts of kcat are written, where no command in them says so."""

    spark: Spark
    scratch: Path
    read_as: Mapping[str, str]
    rules: Sequence[PinnedRule] = ()
    older: Sequence[OlderDump] = ()
    text_format: str = ""

    def inspect(self, paths: Sequence[Path | str], results: ResultPath) -> Report:
        """All paths are one input."""
        from workers.inputs import archive_limits, input_files

        with scratch_folder(self.scratch) as unpacked:
            files = input_files(paths, unpacked, archive_limits(), self.spark.engine)
            return self.inspect_files(files, results, self.read_as)

    def inspect_files(
        self, files: list[InputFile], results: ResultPath, read_as: Mapping[str, str]
    ) -> Report:
        """Inspect files as one input."""
        from spark.pipeline import Limits, inspect
        from spark.sources.kcat_format import with_text_format

        files = with_text_format(files, self.text_format) if self.text_format else files
        limits = Limits(settings.MAX_BATCH_BYTES, read_as, self.rules, self.older)
        size_bytes = sum(file.size_bytes for file in files)
        engine = partial(self.spark.engine, size_bytes)
        with progress_line(size_bytes) as watch:
            return inspect(engine, files, results, watch, limits)


def weight(paths: Sequence[Path | str]) -> float:
    """How many bytes lie at and below some paths, as far as that can be told before anything is opened; infinite for an address."""
    local = [path for path in paths if isinstance(path, Path)]
    if len(local) < len(paths):
        return inf
    files = (file for path in local for file in (path.rglob("*") if path.is_dir() else [path]))
    return sum(file.stat().st_size for file in files if file.is_file())


def empty_folder(folder: Path | str) -> ResultPath:
    """The folder or address for results, made if it is not there. Raises UnreadableInput when something is in it."""
    named = result_path(folder)
    try:
        if is_filled(named):
            raise UnreadableInput(
                f"{folder} is not empty. Name a folder for the results that is new or empty."
            )
    except OSError as problem:
        raise UnreadableInput(
            f"{folder} cannot store the results: {problem.strerror}. Name another folder."
        ) from problem
    return named if isinstance(named, StoredPath) else named.resolve()


def is_filled(folder: ResultPath) -> bool:
    """Whether something is in a folder, which is made, or below an address."""
    if isinstance(folder, StoredPath):
        return folder.is_dir()
    folder.mkdir(parents=True, exist_ok=True)
    return any(folder.iterdir())
