"""A generated journal: records at their offsets, and what compaction leaves of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.generator.segment import Record


@dataclass(frozen=True)
class Stored:
    """A record in its place in the log."""

    offset: int
    record: Record


@dataclass(frozen=True)
class EmptyUpdate:
    """A Content UPDATE without content: what wrote it, what it costs. Offsets are those of this journal."""

    content_id: int
    content_hash: str
    offsets: tuple[int, ...]  # of the UPDATE records still there
    content_offset: int  # of the record that holds, or held, the content
    is_lost: bool
    artifacts: tuple[str, ...]  # `group/artifact`, or the artifact's id alone in the default group
    artifact_offsets: tuple[int, ...]  # of Artifact records that need it and are still there
    restart_offset: int  # of the Bootstrap record of the restart that wrote the first, gone or not


@dataclass(frozen=True)
class Journal:
    """One partition of a topic, with the truth about it."""

    topic: str
    partition: int
    stored: list[Stored]
    empty_updates: list[EmptyUpdate] = field(default_factory=list)

    @property
    def next_offset(self) -> int:
        """The log end offset."""
        return self.stored[-1].offset + 1 if self.stored else 0


def compacted(stored: Sequence[Stored], *, keeps_tombstones: bool = False) -> list[Stored]:
    """What the cleaner leaves once it has passed over all of it: the last record of each key, at its offset.

    Tombstones stay until delete.retention.ms is over.
    """
    last = {entry.record.key: entry.offset for entry in stored}
    return [
        entry
        for entry in stored
        if last[entry.record.key] == entry.offset and (keeps_tombstones or entry.record.value is not None)
    ]
