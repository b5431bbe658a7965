"""The trial of a repair: the journal with it lives through starts and compactions, and must hold the same at every start.

What a start writes is part of the trial: a null record under the key of a record that failed takes that record and its
copies with the next compaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from spark.dialects import Dialect, Entity, ReleaseCannotStart, State
from spark.simulation import starts
from spark.simulation.log import SimulatedLog
from spark.simulation.starts import LIVES, Lived, Step, lived

Required = Mapping[Entity, Mapping[str, Any]]  # attributes by entity
MAX_RECORDS_EVERY_RELEASE = 100_000  # of a larger log the newest release alone is tried


@dataclass(frozen=True)
class TrialOutcome:
    """What the service holds after some steps, beside what it should: entities by type and name."""

    release: str
    steps: tuple[Step, ...]
    lacks: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()  # deleted, and here again
    differs: tuple[str, ...] = ()
    why_not: str = ""  # the release does not start

    @property
    def holds(self) -> bool:
        """Whether everything is as it should be."""
        return not (self.lacks or self.returns or self.differs or self.why_not)

    def as_json(self) -> dict[str, Any]:
        """As docs/repair.md describes it."""
        return {
            "release": self.release, "steps": list(self.steps), "holds": self.holds, "lacks": list(self.lacks),
            "returns": list(self.returns), "differs": list(self.differs), "why_not": self.why_not,
        }  # fmt: skip


def releases_of(dialect: Dialect, log: SimulatedLog) -> tuple[str, ...]:
    """The releases that a trial starts."""
    releases = starts.releases_of(log, dialect)
    return releases if len(log) <= MAX_RECORDS_EVERY_RELEASE else releases[-1:]


def every_start(log: SimulatedLog, dialect: Dialect) -> Iterator[tuple[str, Lived]]:
    """Each start of each life by each release, with the release. Raises CannotStart."""
    for release in releases_of(dialect, log):
        for steps in LIVES:
            for one in lived(log, dialect, release, steps):
                yield release, one


def tried(log: SimulatedLog, dialect: Dialect, required: Required) -> list[TrialOutcome]:
    """What comes of a log, one outcome per start."""
    try:
        return [
            compared(dialect, release, one.steps, one.started.state, required)
            for release, one in every_start(log, dialect)
        ]
    except ReleaseCannotStart as problem:
        return [TrialOutcome("", ("start",), why_not=str(problem))]


def compared(
    dialect: Dialect, release: str, steps: tuple[Step, ...], state: State, required: Required
) -> TrialOutcome:
    """A state beside the required one, by the attributes that the dialect compares."""
    types = dialect.compared
    held = {entity: text for entity, text in state.items() if entity[0] in types}
    expected = {entity for entity in required if entity[0] in types}
    differs = (
        entity
        for entity in expected & held.keys()
        if differ(types[entity[0]], orjson.loads(held[entity]), required[entity])
    )
    return TrialOutcome(
        dialect.service(release) if dialect.profiles else release,
        steps,
        named(expected - held.keys()),
        named(held.keys() - expected),
        named(differs),
    )


def differ(names: tuple[str, ...], held: Mapping[str, Any], required: Mapping[str, Any]) -> bool:
    """Whether an attribute that is known is another one."""
    return any(name in required and held.get(name) != required[name] for name in names)


def named(entities: Any) -> tuple[str, ...]:
    """Entities as texts, in order."""
    return tuple(sorted(" ".join(entity) for entity in entities))
