"""What each piece of code that only makes Spark start faster is worth: the command line without it against with it.

Nothing in the product switches them off. The class archive is moved aside; without a folder short enough for a socket the fork
server is not there, and Spark's daemon imports for itself; with an empty cache numba compiles.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from bench import inputs
from bench.figures import Figure
from bench.inputs import MB
from bench.inspecting import cold_seconds
from spark.runtime import java
from spark.runtime.in_process import SMALL_BYTES

ROUNDS = 3
SIZE_MB = 2 * SMALL_BYTES // MB  # what is smaller is inspected without a JVM
LONG_NAME = "x" * 110  # a path of a socket has 108 bytes
Environment = Mapping[str, str]


@contextmanager
def as_it_is() -> Iterator[Environment]:
    """All of it."""
    yield {}


@contextmanager
def without_archive() -> Iterator[Environment]:
    """The JVM loads its classes one by one."""
    archive = java.class_archive()
    aside = archive.with_suffix(".aside")
    archive.rename(aside)
    try:
        yield {}
    finally:
        aside.rename(archive)


@contextmanager
def without_fork_server() -> Iterator[Environment]:
    """The daemon of Spark's Python workers imports what the command has imported."""
    with tempfile.TemporaryDirectory() as folder:
        far = Path(folder) / LONG_NAME
        far.mkdir()
        yield {"TMPDIR": str(far)}


@contextmanager
def without_compiled_code() -> Iterator[Environment]:
    """The decoders are compiled anew."""
    with tempfile.TemporaryDirectory() as folder:
        yield {"NUMBA_CACHE_DIR": folder}


WITHOUT: dict[str, tuple[Callable[[], AbstractContextManager[Environment]], float]] = {
    "class archive": (without_archive, 1.1),
    "fork server": (without_fork_server, 1.05),
    "compiled ahead": (without_compiled_code, 1.5),
}


def figures() -> Iterator[Figure]:
    """One for each piece; the rounds take turns, so that a busy moment meets all of them."""
    segments = inputs.segments(SIZE_MB, "none")
    ways = {"": as_it_is, **{name: way for name, (way, _) in WITHOUT.items()}}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    cold_seconds(segments)
    for _ in range(ROUNDS):
        for name, way in ways.items():
            with way() as environment:
                seconds[name].append(cold_seconds(segments, environment))
    whole = min(seconds[""])
    for name, (_, target) in WITHOUT.items():
        detail = f"{min(seconds[name]):.2f} s against {whole:.2f} s"
        yield Figure(
            f"start without {name} / with", min(seconds[name]) / whole, target, at_least=True, detail=detail
        )
