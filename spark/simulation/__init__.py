"""Simulation: what a service writes when it starts on a log, and what it holds then; in memory, nothing is written.

    log      a log as it stands, with records put in, left out, appended, or compacted
    starts   a service starts on such a log; starts and compactions one after the other

What a service writes at a start, its dialect knows (`Dialect.start`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

Entity = tuple[str, str]  # type and id
State = Mapping[Entity, str]  # attributes as JSON text


@dataclass(frozen=True)
class LogRecord:
    """A record that no input holds: a repair or a start writes it. A null `value` is a tombstone."""

    key: bytes
    value: bytes | None


@dataclass(frozen=True)
class StartWrite:
    """A record that a service writes when it starts: what it is, why, and the position of the record that made it so."""

    record: LogRecord
    what: str
    why: str
    because_of: int | None = None


@dataclass(frozen=True)
class Started:
    """A start: what the service writes, in this order, what it holds then, and the records that it rejected with
    their reasons, by position."""

    writes: tuple[StartWrite, ...]
    state: State
    rejected: Mapping[int, str]


class ReleaseCannotStart(ValueError):
    """The release does not start on this log; says why in a sentence for a user."""


class ReadableLog(Protocol):
    """A log as a dialect reads it. A record's position is its place in the log, from 0 on."""

    def entries(self) -> Iterable[pa.Table]:
        """ENTRIES columns in log order, in portions; `offset` holds the position."""

    def __len__(self) -> int:
        """How many records it has."""

    def key(self, position: int) -> bytes:
        """The key bytes of a record."""

    def value(self, position: int) -> bytes | None:
        """The value bytes of a record."""
