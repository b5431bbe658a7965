"""What each piece of code that only makes a start faster is worth: of the command line, of a worker, of a web process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

from bench import inputs, without
from bench.figures import Figure
from bench.inputs import MB
from bench.inspecting import ROOT, cold_seconds
from bench.without import Environment, Saving
from spark.runtime import java
from spark.runtime.in_process import SMALL_BYTES

SIZE_MB = 2 * SMALL_BYTES // MB  # what is smaller is inspected without a JVM
LONG_NAME = "x" * 110  # a path of a socket has 108 bytes


def figures() -> Iterator[Figure]:
    yield from without.figures(
        [
            Saving("the class archive", 1.1, large_dump, without_archive),
            # Without a folder short enough for a socket there is no fork server, and Spark's daemon imports for itself.
            Saving("the fork server", 1.05, large_dump, partial(without.empty_folder, "TMPDIR", LONG_NAME)),
            Saving("code compiled ahead", 1.5, large_dump, partial(without.empty_folder, "NUMBA_CACHE_DIR")),
            Saving("bytecode compiled ahead", 1.1, small_dump, without_bytecode),
            Saving("reading small inputs in the command itself", 1.5, small_dump, without_small_inputs),
            Saving("Spark's workers started ahead", 1.2, first_inspection, without_preload),
            Saving("a web server's pages loaded before it forks", 3.0, first_page, without_pages),
            Saving("records touched before they are parsed", 1.05, decoding, without_look_ahead),
            Saving(
                "what a web server has loaded kept from garbage collection", 3.0, collection, without_freeze
            ),
            Saving(
                "what Spark's workers have loaded kept from garbage collection",
                1.05,
                next_inspection,
                without_freeze,
            ),
        ]
    )


def large_dump(environment: Environment) -> float:
    """The command line, with a JVM."""
    return cold_seconds(inputs.segments(SIZE_MB, "none"), environment)


def small_dump(environment: Environment) -> float:
    """The command line, without a JVM."""
    return cold_seconds([inputs.small_dump()], environment)


def first_inspection(environment: Environment) -> float:
    return _said_by("worker", environment)


def first_page(environment: Environment) -> float:
    return _said_by("page", environment)


def next_inspection(environment: Environment) -> float:
    """A worker's later inspections of a small dump, processor time."""
    return _said_by("next", environment)


def decoding(environment: Environment) -> float:
    """Decoding of a segment, processor time, when the decoders are compiled."""
    return _said_by("decoder", environment)


def collection(environment: Environment) -> float:
    return _said_by("collection", environment)


@contextmanager
def without_archive() -> Iterator[Environment]:
    """Without class data sharing in the JVM."""
    archive = java.class_archive()
    aside = archive.with_suffix(".aside")
    archive.rename(aside)
    try:
        yield {}
    finally:
        aside.rename(archive)


@contextmanager
def without_look_ahead() -> Iterator[Environment]:
    """The parser waits for each record that the processor has not loaded."""
    statement = "from spark.sources.log_segment import records; records.LOOK_AHEAD_BYTES = 0"
    with without.at_start(statement) as patched, without.empty_folder("NUMBA_CACHE_DIR") as compiled:
        yield {**patched, **compiled}


def without_bytecode() -> AbstractContextManager[Environment]:
    """Our modules are compiled by each process; those of the environment are not."""
    return without.at_start(
        f"""
import importlib._bootstrap_external as loading
path_of = loading.cache_from_source
def cache_from_source(path, *rest, **options):
    if path.startswith({str(ROOT)!r}) and ".venv" not in path:
        raise NotImplementedError
    return path_of(path, *rest, **options)
loading.cache_from_source = cache_from_source
"""
    )


without_small_inputs = partial(
    without.at_start, "from spark.runtime import in_process; in_process.SMALL_BYTES = 0"
)
without_preload = partial(
    without.at_start, "from spark import pipeline; pipeline.preload = lambda context: None"
)
without_pages = partial(
    without.at_start, "from workers import gunicorn_config; gunicorn_config.when_ready = lambda server: None"
)
without_freeze = partial(without.at_start, "import gc; gc.freeze = lambda: None")


def _said_by(command: str, environment: Environment) -> float:
    with tempfile.TemporaryDirectory(prefix="js-bench-") as data:
        variables = os.environ | {"JOURNALSCOPE_DATA": data} | environment
        done = subprocess.run(
            [sys.executable, "-m", "bench.first", command],
            cwd=ROOT,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        message = f"bench.first {command} ended with {done.returncode}: {done.stderr[-2000:]}"
        raise RuntimeError(message)
    return float(done.stdout.split()[-1])
