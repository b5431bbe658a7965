"""The trial of a repair: the journal with it lives through starts and compactions, and must hold the same at every start.

What a start writes is part of the trial: a null record under the key of a record that failed takes that record and its
copies with the next compaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from spark.dialects import Dialect, Entity, LogRecord, ReleaseCannotStart, State
from spark.difference import StateChanges, changes_between
from spark.difference.members import Attributes, meets
from spark.simulation import starts
from spark.simulation.log import SimulatedLog
from spark.simulation.starts import LIVES, Lived, Step, lived, start

Required = Mapping[Entity, Attributes]
INTERRUPTED: tuple[Step, ...] = ("start", "compaction", "start")
STARTS_OF_PREFIX = 5
MAX_PREFIX_RECORDS = 2_000_000  # that the starts on interrupted appends replay
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
        return not (self.lacks or self.returns or self.differs or self.why_not)

    def as_json(self) -> dict[str, Any]:
        """As docs/repair.md describes it."""
        return {
            "release": self.release, "steps": list(self.steps), "holds": self.holds, "lacks": list(self.lacks),
            "returns": list(self.returns), "differs": list(self.differs), "why_not": self.why_not,
        }  # fmt: skip


def releases_of(dialect: Dialect, log: SimulatedLog) -> tuple[str, ...]:
    releases = starts.releases_of(log, dialect)
    return releases if len(log) <= MAX_RECORDS_EVERY_RELEASE else releases[-1:]


def every_start(
    log: SimulatedLog, dialect: Dialect, releases: Sequence[str] = ()
) -> Iterator[tuple[str, Lived]]:
    """Each start of each life by each release, with the release; without `releases` by those of a trial. Raises CannotStart."""
    for release in releases or releases_of(dialect, log):
        for steps in LIVES:
            for life in lived(log, dialect, release, steps):
                yield release, life


def tried(
    log: SimulatedLog, dialect: Dialect, required: Required, releases: Sequence[str] = ()
) -> list[TrialOutcome]:
    """What comes of a log, one outcome per start."""
    try:
        return [
            compared(dialect, release, life.steps, life.started.state, required)
            for release, life in every_start(log, dialect, releases)
        ]
    except ReleaseCannotStart as problem:
        return [TrialOutcome("", ("start",), why_not=str(problem))]


def tried_elsewhere(
    log: SimulatedLog, dialect: Dialect, required: Callable[[], Mapping[str, Required]]
) -> dict[str, TrialOutcome]:
    """By its title what other services make of a log: the first start that is not as it should be, else the last."""
    if len(log) > MAX_RECORDS_EVERY_RELEASE:
        return {}
    outcomes = {service: tried(log, dialect, entities, [service]) for service, entities in required().items()}
    return {
        dialect.service(service): next((outcome for outcome in starts if not outcome.holds), starts[-1])
        for service, starts in outcomes.items()
    }


@dataclass(frozen=True)
class PrefixTrial:
    """What comes of an append that is interrupted. Numbers of records written.

    tried      where it was interrupted in the trial; of many records some are left out
    losing     where something is missing then that is there without the repair, with what it is
    broken     where the rest, written after a start, does not complete the repair
    """

    tried: tuple[int, ...] = ()
    losing: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    broken: tuple[int, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As docs/repair.md describes it."""
        losing = [{"records": number, "lacks": list(names)} for number, names in self.losing.items()]
        return {"tried": list(self.tried), "losing": losing, "broken": list(self.broken)}


def tried_prefixes(
    log: SimulatedLog, records: Sequence[LogRecord], dialect: Dialect, required: Required
) -> PrefixTrial:
    """An append that ends after each of its records: what a start, a compaction and another start leave, and whether the
    rest, written after that start, completes it."""
    numbers = prefix_numbers(len(records), len(log))
    try:
        without = lacking_after(log, dialect, required)
        losing = {
            number: names
            for number in numbers
            if (names := lacking_after(log.appended(records[:number]), dialect, required) - without)
        }
        broken = [number for number in numbers if not completes(log, records, number, dialect, required)]
    except ReleaseCannotStart:
        return PrefixTrial()
    sorted_names = {number: tuple(sorted({name for _, name in names})) for number, names in losing.items()}
    return PrefixTrial(tuple(numbers), sorted_names, tuple(broken))


def prefix_numbers(count: int, log_length: int) -> Sequence[int]:
    """Where an append is interrupted: after each record but the last; of many, evenly chosen."""
    most = max(1, MAX_PREFIX_RECORDS // (STARTS_OF_PREFIX * max(1, log_length + count)))
    return range(1, count, max(1, -(-count // most)))


def lacking_after(log: SimulatedLog, dialect: Dialect, required: Required) -> set[tuple[int, str]]:
    """What is missing or changed after a start, and after a compaction and another start, with the number of steps. Raises
    ReleaseCannotStart."""
    release = releases_of(dialect, log)[-1]
    outcomes = [
        compared(dialect, release, life.steps, life.started.state, required)
        for life in lived(log, dialect, release, INTERRUPTED)
    ]
    return {(len(outcome.steps), name) for outcome in outcomes for name in (*outcome.lacks, *outcome.differs)}


def completes(
    log: SimulatedLog, records: Sequence[LogRecord], number: int, dialect: Dialect, required: Required
) -> bool:
    """Whether the rest of the records completes the repair behind what a start on the first of them writes."""
    started = start(log.appended(records[:number]), dialect, releases_of(dialect, log)[-1])
    return not lacking_after(started.log.appended(records[number:]), dialect, required)


def compared(
    dialect: Dialect, release: str, steps: tuple[Step, ...], state: State, required: Required
) -> TrialOutcome:
    """A state after some steps beside the required one."""
    changes = changes_of(state, required, dialect)
    return TrialOutcome(
        dialect.service(release) if dialect.profiles else release,
        steps,
        named(changes.lost),
        named(changes.revived),
        named(changes.changed),
    )


def changes_of(state: State, required: Required, dialect: Dialect) -> StateChanges[Entity]:
    """From the required state to this one, in the types and members that the dialect compares."""
    types = dialect.compared

    def is_same(entity: Entity, attributes: Attributes, text: str) -> bool:
        return meets(attributes, orjson.loads(text), types[entity[0]])

    return changes_between(
        {entity: attributes for entity, attributes in required.items() if entity[0] in types},
        {entity: text for entity, text in state.items() if entity[0] in types},
        is_same,
    )


def named(entities: Iterable[Entity]) -> tuple[str, ...]:
    """Entities as texts, in order."""
    return tuple(sorted(" ".join(entity) for entity in entities))
