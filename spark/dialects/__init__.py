"""Dialects: one module (or package) per journal language, found by discovery.

A dialect recognises its journal by content, reads records into entries and replays entries into state the way
the real service does. Its module ends in `dialect = Dialect(...)`; its page is docs/dialects/<id>.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from spark.dialects._history import History
from spark.tables.replica import PartitionReplica
from spark.units import declared

if TYPE_CHECKING:
    from spark.tables.store import ResultTables


@dataclass(frozen=True)
class Match:
    """How well a sample fits a dialect, from 0 (not at all) to 100 (certain), and why."""

    score: int
    why: str


@dataclass(frozen=True)
class Profile:
    """A service that reads the journal by rules of its own."""

    id: str
    title: str


Entity = tuple[str, str]  # type and id
State = Mapping[Entity, str]  # attributes as JSON text


@dataclass(frozen=True)
class LogRecord:
    """A record that no input holds: a repair or a start writes it. A null `value` is a tombstone."""

    key: bytes
    value: bytes | None


@dataclass(frozen=True)
class StartWrite:
    """A record that a service writes when it starts: what it is, why, and the position of the record that caused it."""

    record: LogRecord
    what: str
    why: str
    because_of: int | None = None


@dataclass(frozen=True)
class Started:
    """A start: what the service writes, in order; its state then; the records that it rejected, with reasons, by position."""

    writes: tuple[StartWrite, ...]
    state: State
    rejected: Mapping[int, str]


class ReleaseCannotStart(ValueError):
    """The release does not start on this log; the message is a sentence for users. `position`: the record that stops it, if it is one."""

    def __init__(self, sentence: str, position: int | None = None) -> None:
        super().__init__(sentence)
        self.position = position


class ReadableLog(Protocol):
    """A log as a dialect reads it. A record's position is its index in the log."""

    def entries(self) -> Iterable[pa.Table]:
        """ENTRIES columns in log order, in portions; `offset` holds the position."""

    def __len__(self) -> int:
        """How many records it has."""

    def offset(self, position: int) -> int | None:
        """The offset of a record of the input; None for a record that only this log has."""

    def key(self, position: int) -> bytes:
        """The key bytes of a record."""

    def value(self, position: int) -> bytes | None:
        """The value bytes of a record."""


@dataclass(frozen=True)
class Dialect:
    """One journal language.

    sniff         (topic, sample of records: RECORDS rows without the decode stage's columns) -> Match
    interpret     records -> (ENTRIES rows, one per data record, same order as the records without control records)
    replay        all entries of one partition in offset order, in portions (ENTRIES columns), and the history that
                  takes what they do; `history.run` names the profile
    replay_profiles  the same for the histories of several profiles at once; it may walk over the entries again
    family        first entries of a partition -> version family in words
    profiles      services that read it by rules of their own; empty: there is but one
    owner         first entries of a partition -> id of the profile that the journal belongs to
    is_compacted  the service keeps the topic with cleanup.policy=compact: what cleaning leaves is replayed, too
    start         (log, release of the service, or id of a profile) -> what that release writes when it starts on the log,
                  and holds then; raises ReleaseCannotStart
    releases      those that a repair's plan may start, the oldest first; empty where each profile is one
    compared      types of entities that a repair must keep, with the attributes that must stay as they are
    stored        types of entities whose stored bytes others need: an older dump that contains them is worth knowing
    base          (partition, tables) -> the partition whose entries a service loads before those of a log without its
                  head, and the offset that they stand for: the log counts from there on
    snapshot_of   topic -> the topic of the log that it is a snapshot of, and the offset that it ends before
    reads_committed  the service takes entries of a transaction for valid only once it is committed
    """

    id: str
    title: str
    sniff: Callable[[str, pa.Table], Match]
    interpret: Callable[[pa.Table], pa.Table] | None = None
    replay: Callable[[Iterable[pa.Table], History], None] | None = None
    replay_profiles: Callable[[Iterable[pa.Table], Sequence[History]], None] | None = None
    family: Callable[[pa.Table], str | None] | None = None
    profiles: tuple[Profile, ...] = ()
    owner: Callable[[pa.Table], str] | None = None
    start: Callable[[ReadableLog, str], Started] | None = None
    releases: tuple[str, ...] = ()
    compared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stored: tuple[str, ...] = ()
    is_compacted: bool = True
    reads_committed: bool = False
    base: Callable[[PartitionReplica, ResultTables], tuple[PartitionReplica, int] | None] | None = None
    snapshot_of: Callable[[str], tuple[str, int] | None] | None = None

    def service(self, release: str) -> str:
        """The service's name for users: the title without version and form."""
        name = self.title.partition(" (")[0].rpartition(" ")[0]
        return next(
            (profile.title for profile in self.profiles if profile.id == release), f"{name} {release}"
        )


def replay_all(dialect: Dialect, entries: Iterable[pa.Table], histories: Sequence[History]) -> None:
    """Feed the histories of all profiles with the entries."""
    if dialect.replay_profiles:
        dialect.replay_profiles(entries, histories)
        return
    assert dialect.replay is not None
    (history,) = histories  # only a dialect with profiles has several
    dialect.replay(entries, history)


@cache
def dialects() -> dict[str, Dialect]:
    """All dialects by id, in the order of their module names."""
    return declared(__name__, "dialect")
