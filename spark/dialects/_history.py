"""The result of a replay: the intervals of every entity, and the rejected records.

Closed intervals are passed on immediately, so that a journal of millions of entries only needs memory for current entities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import orjson
import pyarrow as pa

from spark.tables import REJECTIONS, STATE
from spark.tables.replica import PartitionReplica

FLUSH_ROWS = 50_000
Write = Callable[[str, pa.Table], None]


# An entity as it is from one offset on: attributes, that offset, the offset of the record that set it. Millions of them
# come and go, so it is a bare tuple.
Entity = tuple[str, str]
Interval = tuple[str, int, int]
CLOSED = ("entity_type", "entity_id", "attributes", "valid_from_offset", "origin_offset", "valid_to_offset")
REFUSED = ("offset", "entity_type", "entity_id", "reason", "needs", "available_from_offset")


@dataclass(frozen=True)
class ReplayRun:
    """One replay: of which log, by whose rules, after which compaction."""

    replica: PartitionReplica
    profile: str = ""
    is_own: bool = True
    view: str = "log"

    @property
    def columns(self) -> dict[str, Any]:
        topic, partition, replica = self.replica
        return {
            "topic": topic,
            "partition": partition,
            "replica": replica,
            "profile": self.profile,
            "is_own": self.is_own,
            "view": self.view,
        }


class History:
    """The intervals of every entity, open and closed, of one replay.

    `write` takes STATE and REJECTIONS rows by table name, in portions. `heeds_deletions`: whether the state would be
    another one without the tombstones and restarts among the entries; a dialect that has watched may deny it, and what
    is left without them need not be replayed. `nulled`: offsets of records that the service rejects so that it writes a
    null record under their keys at each start.
    """

    def __init__(self, run: ReplayRun, write: Write) -> None:
        self.run = run
        self.heeds_deletions = True
        self.nulled: list[int] = []
        self._write = write
        self._handed_on = 0
        self._open: dict[Entity, Interval] = {}
        self._closed: list[tuple[Entity, Interval, int | None]] = []
        self._refused: list[tuple[int, str, str, str, str | None, int | None]] = []

    def put(
        self,
        entity_type: str,
        entity_id: str,
        attributes: Mapping[str, Any] | str,
        offset: int,
        origin: int | None = None,
    ) -> None:
        """The entity is so from this offset on; `origin`: the record that set it, where that is another one.
        Attributes may come as JSON text: an entry's own, where nothing is to be added."""
        key = (entity_type, entity_id)
        open_rows = self._open
        row = open_rows.pop(key, None)
        if row is not None:
            self._closed.append((key, row, offset))
            if len(self._closed) >= FLUSH_ROWS:
                self._flush_closed()
        text = attributes if isinstance(attributes, str) else text_of(attributes)
        open_rows[key] = text, offset, offset if origin is None else origin

    def end(self, entity_type: str, entity_id: str, offset: int) -> None:
        key = (entity_type, entity_id)
        row = self._open.pop(key, None)
        if row is not None:
            self._close(key, row, offset)

    def note(
        self, entity_type: str, entity_id: str, attributes: Mapping[str, Any] | str | None, offset: int
    ) -> None:
        """What is known of the entity from this offset on; None: it does not exist."""
        if attributes is None:
            self.end(entity_type, entity_id, offset)
        else:
            self.put(entity_type, entity_id, attributes, offset)

    def amend(self, entity_type: str, entity_id: str, attributes: Mapping[str, Any]) -> None:
        """Corrects what is known of the entity without a new version of it."""
        key = (entity_type, entity_id)
        row = self._open.get(key)
        if row is not None:
            self._open[key] = text_of(attributes), row[1], row[2]

    def attributes(self, entity_type: str, entity_id: str) -> dict[str, Any]:
        """The entity's current attributes; empty if it does not exist."""
        row = self._open.get((entity_type, entity_id))
        return dict(orjson.loads(row[0])) if row else {}

    @property
    def state(self) -> dict[Entity, str]:
        """Every current entity with its attributes as JSON text."""
        return {key: row[0] for key, row in self._open.items()}

    @property
    def origins(self) -> dict[Entity, int]:
        """The offset of the record that set each current entity."""
        return {key: row[2] for key, row in self._open.items()}

    @property
    def extent(self) -> tuple[int, int]:
        """Changes whenever an interval begins or ends, or a record is rejected."""
        return self._handed_on + len(self._closed) + len(self._refused), len(self._open)

    def refuse(
        self,
        offset: int,
        entity_type: str,
        entity_id: str,
        reason: str,
        needs: str | None = None,
        available_from_offset: int | None = None,
    ) -> None:
        """Records that the service rejects the record at this offset. `reason` is an id that the dialect's page explains."""
        self._refused.append((offset, entity_type, entity_id, reason, needs, available_from_offset))
        if len(self._refused) >= FLUSH_ROWS:
            self._flush_refused()

    def take(self, closed: pa.Table) -> None:
        """Adds intervals computed elsewhere (columns CLOSED), for entities that this history does not know."""
        if closed.num_rows:
            self._hand_on("state", STATE.schema, CLOSED, closed.columns)

    def finish(self) -> None:
        """Hands on the remaining rows at the end of the journal."""
        for key, row in self._open.items():
            self._close(key, row, None)
        self._open.clear()
        self._flush_closed()
        self._flush_refused()

    def _close(self, key: Entity, row: Interval, to_offset: int | None) -> None:
        self._closed.append((key, row, to_offset))
        if len(self._closed) >= FLUSH_ROWS:
            self._flush_closed()

    def _flush_closed(self) -> None:
        if self._closed:
            keys, rows, ends = zip(*self._closed, strict=True)
            columns = [*zip(*keys, strict=True), *zip(*rows, strict=True), ends]
            self._hand_on("state", STATE.schema, CLOSED, columns)
        self._closed = []

    def _flush_refused(self) -> None:
        if self._refused:
            self._hand_on("refusals", REJECTIONS.schema, REFUSED, list(zip(*self._refused, strict=True)))
        self._refused = []

    def _hand_on(self, table: str, schema: pa.Schema, names: tuple[str, ...], closed: list[Any]) -> None:
        count = len(closed[0])
        self._handed_on += count
        columns = {
            name: pa.repeat(pa.scalar(value, schema.field(name).type), count)
            for name, value in self.run.columns.items()
        }
        for name, values in zip(names, closed, strict=True):
            is_ready = isinstance(values, pa.ChunkedArray)
            columns[name] = values if is_ready else pa.array(values, schema.field(name).type)
        self._write(table, pa.table([columns[name] for name in schema.names], schema=schema))


class Rejections(History):
    """Keeps rejected records and their reasons by position; ignores entities."""

    def __init__(self, run: ReplayRun, write: Write) -> None:
        super().__init__(run, write)
        self.rejected: dict[int, str] = {}

    def refuse(
        self,
        offset: int,
        entity_type: str,
        entity_id: str,
        reason: str,
        needs: str | None = None,
        available_from_offset: int | None = None,
    ) -> None:
        """Note the record; its entity is of no interest here."""
        self.rejected[offset] = reason


def entry_values(entries: Iterable[pa.Table], *columns: str) -> Iterator[tuple[Any, ...]]:
    return chain.from_iterable(
        zip(*(portion.column(name).to_pylist() for name in columns), strict=True) for portion in entries
    )


def replay_newest(entries: Iterable[pa.Table], history: History) -> None:
    """A replay in which the newest value of each key counts. Rejection reasons: `key-missing`; `unreadable`, which stops a
    restore of Kafka Streams."""
    rows = entry_values(entries, "offset", "entry_type", "entry_action", "entity_id", "attributes")
    for offset, entry_type, action, name, attributes in rows:
        if action == "update":
            history.put(entry_type, name, attributes, offset)
        elif action == "delete":
            history.end(entry_type, name, offset)
        else:
            reason = "key-missing" if action else "unreadable"
            history.refuse(offset, entry_type or "unknown", name or "", reason)


def text_of(attributes: Mapping[str, Any] | str) -> str:
    """Attributes as JSON, members that say nothing left out."""
    if isinstance(attributes, str):
        return attributes
    if None in attributes.values():
        attributes = {name: value for name, value in attributes.items() if value is not None}
    return orjson.dumps(attributes).decode()
