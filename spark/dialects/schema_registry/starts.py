"""A start of a registry: its state then, or the record that stops it.

Confluent writes two NOOPs at a start, one to find the end of its log and one as it becomes the leader. Redpanda and
Karapace write nothing.
Source: KafkaStore.java, KafkaSchemaRegistry.java (two NOOPs: seen with 7.6.4 and 7.6.5).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from spark.dialects import LogRecord, ReadableLog, ReleaseCannotStart, Started, StartWrite, State
from spark.dialects._history import Entity, Rejections, ReplayRun
from spark.dialects.schema_registry.owner import CONFLUENT, REDPANDA, TITLES
from spark.dialects.schema_registry.reader import run
from spark.dialects.schema_registry.replay import READERS
from spark.tables.replica import PartitionReplica

NOOP_KEY = b'{"keytype":"NOOP","magic":0}'
NOOPS = 2
STOPPED = "reader-stopped"
BEYOND = 1 << 40  # the offset of a record that no input holds: no key's seq names it
WHY = {
    "unknown-keytype": "its key has a keytype that no registry knows",
    "key-unreadable": "its key cannot be read",
    "value-unreadable": "its value cannot be read",
    "unknown-field": "it has a member that this registry does not know",
}


@dataclass(frozen=True)
class Reading:
    """A registry's reading: its state, the position of the record that set each entity, the rejected records, and the one
    that stopped it, by position."""

    state: State
    origins: dict[Entity, int]
    rejected: dict[int, str]
    stopped_at: int | None


def start(log: ReadableLog, release: str) -> Started:
    """The registry of a profile starts on a log. Raises ReleaseCannotStart if a record stops it."""
    if release not in READERS:
        raise ReleaseCannotStart(
            f"{release!r} is no schema registry that can be started: {', '.join(READERS)}."
        )
    reading = read(log, release)
    if reading.stopped_at is not None:
        reason = reading.rejected[reading.stopped_at]
        offset = log.offset(reading.stopped_at)
        culprit = f"The record at offset {offset}" if offset is not None else "A record of the repair"
        raise ReleaseCannotStart(
            f"{TITLES[release]} does not start on this journal. {culprit} stops it: {WHY.get(reason, reason)}.",
            reading.stopped_at,
        )
    noop = StartWrite(LogRecord(NOOP_KEY, None), "NOOP", "part of every start")
    return Started((noop,) * NOOPS if release == CONFLUENT else (), reading.state, reading.rejected)


def read(log: ReadableLog, profile: str) -> Reading:
    """A profile's reading of a log, up to the record that stops it."""
    history = Rejections(ReplayRun(PartitionReplica("", 0, ""), profile), lambda *_: None)
    reader = READERS[profile](history)
    offsets = offsets_of(log) if profile == REDPANDA else np.arange(len(log))
    run([reader], entries(log, offsets))
    positions = dict(zip(offsets.tolist(), range(len(log)), strict=True))
    rejected = {positions[at]: reason for at, reason in history.rejected.items() if reason != STOPPED}
    return Reading(
        history.state,
        {entity: positions[at] for entity, at in history.origins.items()},
        rejected,
        max(rejected) if reader.is_stopped else None,
    )


def offsets_of(log: ReadableLog) -> np.ndarray:
    """Offsets by position: Redpanda compares them with the keys."""
    offsets = [log.offset(position) for position in range(len(log))]
    return np.array(
        [BEYOND + at if offset is None else offset for at, offset in enumerate(offsets)], np.int64
    )


def entries(log: ReadableLog, offsets: np.ndarray) -> Iterator[pa.Table]:
    """The log's entries with these offsets in place of positions."""
    for portion in log.entries():
        positions = portion.column("offset").to_numpy()
        rows = portion.set_column(0, "offset", pa.array(offsets[positions]))
        yield rows.append_column("entity_id", pa.nulls(len(rows), pa.string()))
