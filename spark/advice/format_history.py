"""The history of a log's message format: its ranges, and what their order means.

Words: a fall is a switch to an older format, a rise one to a newer. A log flaps when a rise comes after a fall; it is
downgraded when it ends below its newest format; its tail is old when it ends in format 0 or 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from itertools import groupby, pairwise
from typing import Any

from spark.terms import marked
from spark.terms.typed_wording import moment

NEWEST = 2
NO_EPOCH = -1


@dataclass(frozen=True)
class FormatRange:
    """Row of `formats`."""

    magic: int
    first_offset: int
    last_offset: int
    batches: int
    first_timestamp_ms: int | None
    last_timestamp_ms: int | None
    first_leader_epoch: int
    last_leader_epoch: int

    @property
    def is_old(self) -> bool:
        """Format 0 or 1."""
        return self.magic < NEWEST


@dataclass(frozen=True)
class FormatHistory:
    """The ranges of one partition's copy, in order."""

    topic: str
    partition: int
    replica: str
    ranges: tuple[FormatRange, ...]

    @property
    def name(self) -> str:
        """`topic-partition`, and the replica where there are several."""
        replica = f" (replica {marked.replica(self.replica)})" if self.replica else ""
        return marked.partition(self.topic, self.partition) + replica

    @property
    def tail(self) -> FormatRange:
        return self.ranges[-1]

    @property
    def falls(self) -> list[int]:
        """Numbers of the stretches that an older format begins."""
        return [n for n, (old, new) in enumerate(pairwise(self.ranges), 1) if new.magic < old.magic]

    @property
    def rises(self) -> list[int]:
        """Numbers of the stretches that a newer format begins."""
        return [n for n, (old, new) in enumerate(pairwise(self.ranges), 1) if new.magic > old.magic]

    @property
    def flapping(self) -> tuple[int, int] | None:
        """Numbers of the first range after a fall and of the last one that rises after it."""
        if not self.falls or not self.rises or self.rises[-1] < self.falls[0]:
            return None
        return self.falls[0], self.rises[-1]

    @property
    def downgrade(self) -> int | None:
        """Number of the range from which on the log stays below its newest format."""
        newest = max(format_range.magic for format_range in self.ranges)
        last = max(n for n, format_range in enumerate(self.ranges) if format_range.magic == newest)
        return last + 1 if last + 1 < len(self.ranges) else None

    @property
    def is_upgrade(self) -> bool:
        """Newer formats only, in one or two steps."""
        return bool(self.rises) and not self.falls

    @property
    def old_since(self) -> int | None:
        """Number of the range from which on no batch of format 2 was written; null: the tail is of format 2."""
        if not self.tail.is_old:
            return None
        return max(
            (n + 1 for n, format_range in enumerate(self.ranges) if not format_range.is_old), default=0
        )

    @property
    def epoch_before(self) -> int:
        """The last leader epoch before the old tail; -1: none."""
        before = self.ranges[: self.old_since or 0]
        return next((s.last_leader_epoch for s in reversed(before) if s.last_leader_epoch >= 0), NO_EPOCH)


def histories(rows: Iterable[Mapping[str, Any]]) -> list[FormatHistory]:
    """From rows of `formats`, sorted by partition, replica and number."""
    names = [field.name for field in fields(FormatRange)]
    return [
        FormatHistory(
            *replica, ranges=tuple(FormatRange(**{name: row[name] for name in names}) for row in group)
        )
        for replica, group in groupby(rows, key=lambda row: (row["topic"], row["partition"], row["replica"]))
    ]


def describe_range(format_range: FormatRange) -> str:
    """`message format 1 from offset 48 (2024-06-01 12:00:03 UTC, no leader epoch)`."""
    epoch = format_range.first_leader_epoch
    led = "no leader epoch" if epoch < 0 else f"leader epoch {marked.number(epoch)}"
    time = (
        "no timestamps"
        if format_range.first_timestamp_ms is None
        else moment(format_range.first_timestamp_ms)
    )
    return f"message format {marked.number(format_range.magic)} from offset {marked.offset(format_range.first_offset)} ({time}, {led})"
