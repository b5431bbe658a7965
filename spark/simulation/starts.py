"""Starts and compactions of a log, one after the other, as a repaired journal lives through them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from spark.dialects import Dialect, Started
from spark.simulation.log import SimulatedLog
from spark.stages._entries import first_entries

Step = Literal["start", "compaction"]
# What a journal may live through. A cleaner may come before the first start as well.
LIVES: tuple[tuple[Step, ...], ...] = (
    ("start", "compaction", "start", "compaction", "start"),
    ("compaction", "start", "compaction", "start"),
)


@dataclass(frozen=True)
class Lived:
    """A start within such a life: the steps before it and itself, the log after it, and what the service did."""

    steps: tuple[Step, ...]
    log: SimulatedLog
    started: Started


def releases_of(log: SimulatedLog, dialect: Dialect) -> tuple[str, ...]:
    """The releases that may start on a log; of a dialect with profiles the one that the journal belongs to."""
    if dialect.releases or dialect.owner is None:
        return dialect.releases
    return (dialect.owner(first_entries(log.inspected.replica, log.inspected.manifest)),)


def start(log: SimulatedLog, dialect: Dialect, release: str) -> Lived:
    """The service starts. Raises CannotStart."""
    assert dialect.start is not None
    started = dialect.start(log, release)
    return Lived(("start",), log.appended(write.record for write in started.writes), started)


def lived(log: SimulatedLog, dialect: Dialect, release: str, steps: tuple[Step, ...]) -> Iterator[Lived]:
    """Each start of a life, in order. Raises CannotStart."""
    for number, step in enumerate(steps, start=1):
        if step == "compaction":
            log = log.compacted()
            continue
        life = start(log, dialect, release)
        log = life.log
        yield Lived(steps[:number], log, life.started)
