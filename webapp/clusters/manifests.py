"""What a capture's manifest says, in words: how much came, what did not and why, what happened meanwhile.

The form of `journalscope-capture.json` is that of docs/captures.md; what is null in it was not asked or not answered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from spark.terms.wording import plural

STOPPED = {
    "limit": "the limit was reached",
    "cancelled": "it was cancelled",
    "paused": "it was paused",
    "broker-gone": "its broker did not answer for a minute",
    "topic-deleted": "the topic was deleted",
    "topic-recreated": "the topic was deleted and created again",
    "truncated": "the log became shorter: records were lost in the cluster",
    "broker-error": "its broker answered with an error",
}
CONFIGS = (
    "cleanup.policy",
    "retention.ms",
    "retention.bytes",
    "segment.bytes",
    "segment.ms",
    "min.cleanable.dirty.ratio",
    "delete.retention.ms",
    "max.compaction.lag.ms",
    "min.compaction.lag.ms",
    "message.format.version",
    "message.timestamp.type",
    "compression.type",
)


@dataclass(frozen=True)
class Line:
    """One partition: start, end, and why it ends early."""

    partition: int
    first_offset: int | None
    next_offset: int | None
    to_offset: int | None
    size_bytes: int
    batches: int
    stopped_by: str
    is_converted: bool

    @property
    def last_asked(self) -> int | None:
        """The last requested offset; None if the range is empty."""
        is_something = self.to_offset is not None and self.to_offset > (self.first_offset or 0)
        return self.to_offset - 1 if is_something and self.to_offset is not None else None

    @property
    def missing(self) -> str:
        """`Offsets 7 to 12 were not captured: the limit was reached.`; empty if the range is complete."""
        if not self.stopped_by:
            return ""
        why = STOPPED.get(self.stopped_by, self.stopped_by)
        reached = self.next_offset if self.next_offset is not None else self.first_offset
        if self.to_offset is None or reached is None:
            return f"Not all of it was captured: {why}."
        if reached >= self.to_offset:
            return ""
        return f"Offsets {reached} to {self.to_offset - 1} were not captured: {why}."


@dataclass(frozen=True)
class ManifestView:
    cluster_id: str
    brokers: list[str]
    configs: list[tuple[str, str]]
    lines: list[Line]
    events: list[tuple[int, str]]
    not_asked: list[str]
    size_bytes: int
    captured_by: str
    started_at_ms: int | None
    finished_at_ms: int | None
    transactions: int = field(default=0)

    @property
    def missing(self) -> list[Line]:
        """Partitions that were not captured completely."""
        return [line for line in self.lines if line.missing]

    @property
    def is_converted(self) -> bool:
        """Whether the broker may have converted the message format."""
        return any(line.is_converted for line in self.lines)

    @property
    def sentence(self) -> str:
        """Summary for the top of a page."""
        batches = sum(line.batches for line in self.lines)
        partitions = len(self.lines)
        captured = f"{plural(batches, 'batch', 'batches')} of {plural(partitions, 'partition')}"
        if not self.missing:
            return f"{captured}: complete."
        return f"{captured}; {len(self.missing)} of the partitions {'is' if len(self.missing) == 1 else 'are'} incomplete."


def manifest_view(manifest: dict[str, Any] | None) -> ManifestView | None:
    """None for a capture without a manifest."""
    if not manifest:
        return None
    lines = [_line(row) for row in manifest.get("partitions") or ()]
    return ManifestView(
        cluster_id=(manifest.get("cluster") or {}).get("id") or "",
        brokers=[_broker(row) for row in manifest.get("brokers") or ()],
        configs=list(_configs(manifest.get("topic") or {})),
        lines=lines,
        events=list(_events(manifest)),
        not_asked=[f"{row.get('question')}: {row.get('why')}" for row in manifest.get("not_asked") or ()],
        size_bytes=sum(line.size_bytes for line in lines),
        captured_by=manifest.get("captured_by") or "",
        started_at_ms=manifest.get("started_at_ms"),
        finished_at_ms=manifest.get("finished_at_ms"),
        transactions=len(manifest.get("transactions") or ()),
    )


def _line(row: dict[str, Any]) -> Line:
    requested, got = row.get("asked") or {}, row.get("got") or {}
    return Line(
        partition=row["partition"],
        first_offset=got.get("first_offset")
        if got.get("first_offset") is not None
        else requested.get("from_offset"),
        next_offset=got.get("next_offset"),
        to_offset=requested.get("to_offset"),
        size_bytes=got.get("size_bytes") or 0,
        batches=got.get("batches") or 0,
        stopped_by=row.get("stopped_by") or "",
        is_converted=bool(row.get("is_converted")),
    )


def _broker(row: dict[str, Any]) -> str:
    rack = f", rack {row['rack']}" if row.get("rack") else ""
    release = f", Kafka {row['release']}" if row.get("release") else ""
    return f"{row.get('node')} ({row.get('host')}:{row.get('port')}{rack}{release})"


def _configs(topic: dict[str, Any]) -> Iterator[tuple[str, str]]:
    configs = topic.get("configs") or {}
    for name in CONFIGS:
        config = configs.get(name)
        if isinstance(config, dict) and config.get("value") is not None:
            is_own = config.get("source") == "topic"
            yield (
                name,
                f"{config['value']}{'' if is_own else ' (' + str(config.get('source') or 'default') + ')'}",
            )


def _events(manifest: dict[str, Any]) -> Iterator[tuple[int, str]]:
    for row in manifest.get("partitions") or ():
        for event in row.get("events") or ():
            yield row["partition"], event.get("says") or event.get("kind") or ""
