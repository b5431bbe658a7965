"""Repair: from an inspected journal, and what else still holds what it lost, to records that mend it.

    apicurio_v2  which records to write, and which to leave out, in a journal of Apicurio Registry 2.x
    schema_registry  the same in a journal of a schema registry (`_schemas`)
    journal      an inspected journal as a planner asks for it: records and entries by offset
    envelopes    the repaired journal, or the records to append, in layouts that tools produce from
    result       the plan tried: journal and records are replayed and inspected again
    nothing      why a journal gets no repair
    alarms       grave findings of its inspection

Nothing here writes to a broker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spark.dialects import LogRecord

Header = tuple[str, str | None]


@dataclass(frozen=True)
class Added(LogRecord):
    """A record that the repair writes: what it is in words, and where its bytes come from. Without a timestamp it
    takes the time at which it is produced. `stays_deleted`: it keeps deleted what somebody deleted."""

    headers: tuple[Header, ...]
    timestamp_ms: int | None
    what: str
    source: str
    stays_deleted: bool = False


@dataclass(frozen=True)
class MissingEntity:
    """What cannot be mended with what is there: the entity, who needs it, and what to look for."""

    entity: str
    needed_by: tuple[str, ...]
    sought: str


@dataclass(frozen=True)
class AddedSchemaFile:
    """A file that a user adds: it may hold the text of a schema."""

    name: str
    path: Path


@dataclass(frozen=True)
class RequestedSchema:
    """A schema id that a user asks for, of which data was written; its subject and version, where the user gives them,
    and the file with its text."""

    schema_id: int
    subject: str = ""
    version: int = 0
    file: AddedSchemaFile | None = None


@dataclass(frozen=True)
class Measure:
    """What needs no record: a setting, or a call of the service's REST interface. `is_alternative`: instead of the records."""

    title: str
    steps: tuple[str, ...]
    is_alternative: bool = False


StepsOf = Callable[[str, str, str], list[str]]  # id of the way, topic, new topic -> steps with their commands


@dataclass(frozen=True)
class Plan:
    """What to do with one partition of a journal.

    recovered names of what will be there again, or will stay
    at_risk   of these what is still there: the service would lose it at a start or compaction
    settled   what else would change at a compaction, and how the repair keeps it as it is
    corrected what else is no longer as it was, and how the repair sets it right: the service answers otherwise after it
    required  what the service must hold after the repair, with the attributes that are known
    appended  records to produce to the topic, in this order
    before    records that a repaired copy has before the record of this offset
    after     records that a repaired copy has after the record of this offset
    left_out  offsets of records that a repaired copy does without, and why
    missing   what is still missing
    refused   what the repair leaves as it is, with the reason; the rest does it no harm
    measures  what is to be done without records
    ways      ids of the ways to try
    nouns     what `recovered` names: of one, and of several
    steps_of  the steps of a way, where they are not those of Apicurio Registry
    required_elsewhere  gives the same as `required` for other services that read such journals, by id; they decide nothing
    reasons   why what is corrected is no longer as it was, as sentences, where an older dump proves it
    bears_old_alarms  findings of the journal before the repair may stay: they tell its history, or what stays lost
    """

    recovered: tuple[str, ...] = ()
    at_risk: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    corrected: tuple[str, ...] = ()
    required: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    appended: tuple[Added, ...] = ()
    before: Mapping[int, Sequence[Added]] = field(default_factory=dict)
    after: Mapping[int, Sequence[Added]] = field(default_factory=dict)
    left_out: Mapping[int, str] = field(default_factory=dict)
    missing: tuple[MissingEntity, ...] = ()
    refused: tuple[MissingEntity, ...] = ()
    measures: tuple[Measure, ...] = ()
    ways: tuple[str, ...] = ("append", "copy")
    nouns: tuple[str, str] = ("artifact version", "artifact versions")
    steps_of: StepsOf | None = None
    bears_old_alarms: bool = False
    reasons: tuple[str, ...] = ()
    required_elsewhere: Callable[[], Mapping[str, Mapping[tuple[str, str], Mapping[str, Any]]]] = dict

    @property
    def is_idle(self) -> bool:
        """Nothing to do, and nothing to tell."""
        return self.is_empty and not (self.missing or self.refused or self.measures)

    @property
    def is_empty(self) -> bool:
        """Nothing to write and nothing to leave out."""
        return not (self.appended or self.before or self.after or self.left_out)
