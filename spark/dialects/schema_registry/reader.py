"""What the readers of all three registries share: the loop over entries, and conditions to stop.

Shared reasons of rejections:

    key-unreadable, unknown-keytype, value-unreadable   this registry cannot parse the bytes
    value-empty                                         an empty value, which it does not read as a deletion
    unknown-field                                       an unknown member that it does not skip
    reader-stopped                                      everything after a record that stops this reader
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import ClassVar

import orjson
import pyarrow as pa

from spark.dialects._history import History, entry_values
from spark.dialects.schema_registry.keys import FATAL, SKIPPED, TOMBSTONE, UNREADABLE, Members
from spark.dialects.schema_registry.subjects import Subjects

Version = tuple[str, int]
Row = tuple[int, str | None, str | None, str, Members]  # COLUMNS, the attributes taken apart
# Taken apart at a time: a thousand take twice as long each, for they leave the processor's cache.
SLICE_ROWS = 100
# What a record may say that cleaning takes away in the end; null: its key cannot be read.
DELETIONS = ("delete", "empty", "restart", None)
COLUMNS = ("offset", "entry_type", "entry_action", "entity_id", "attributes")
# Stands for attributes that JSON cannot say (whole numbers beyond 64 bits).
UNSAYABLE = orjson.dumps({"reason": "value-unreadable", "effects": UNREADABLE}).decode()
ENTITY_TYPES = {"SCHEMA": "schema", "CONFIG": "config", "MODE": "mode", "DELETE_SUBJECT": "subject"}


class Stop(Exception):
    """The registry does not start with this record in its topic."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


class RegistryReplay:
    """A registry at start-up. `apply` handles an entry by its kind: (offset, action, members)."""

    profile: ClassVar[str]
    # Whether a value of zero length deletes.
    empty_deletes: ClassVar[bool] = True

    def __init__(self, history: History):
        self.history = history
        self.subjects = Subjects()
        self.apply: dict[str, Callable[[int, str, Members], None]] = {}
        self.is_stopped = False
        self.is_over = False
        # Only of what the next cleaning leaves it is asked whether deletions matter.
        self.is_watched = history.run.view == "next"
        self.heeds_deletions = False

    def take(self, rows: Iterable[Row]) -> None:
        """Applies entries up to the record that stops this reader."""
        following = iter(rows)
        if not self.is_stopped:
            self.follow(following)
        behind = next(following, None) if self.is_stopped and not self.is_over else None
        if behind:
            self.history.refuse(behind[0], "record", "", "reader-stopped")
            self.is_over = True

    def follow(self, rows: Iterator[Row]) -> None:
        """Applies entries until they end or one stops this reader."""
        read, handlers, is_watched, history = self.read, self.apply, self.is_watched, self.history
        before = history.extent
        try:
            for offset, kind, action, entity, members in rows:
                if is_watched:
                    before = history.extent
                if kind in handlers and "effects" not in members and action != "empty":
                    handlers[kind](offset, action or "", members)
                else:
                    read(offset, kind, action, entity, members)
                if is_watched and action in DELETIONS and history.extent != before:
                    self.heeds_deletions = True
        except Stop as stop:
            self.refuse(offset, kind, entity, stop.reason)
            self.is_stopped = self.heeds_deletions = True

    def read(self, offset: int, kind: str | None, action: str | None, entity: str, members: Members) -> None:
        if "effects" in members:
            effect = members["effects"][self.profile]
            if effect == FATAL:
                raise Stop(members["reason"])
            if effect == SKIPPED:
                self.refuse(offset, kind, entity, members["reason"])
                return
            action = "delete" if effect == TOMBSTONE else action
        if action == "empty":
            if not self.empty_deletes:
                self.refuse(offset, kind, entity, "value-empty")
                return
            action = "delete"
        apply = self.apply.get(kind or "")
        if apply:
            apply(offset, action or "", members)
        elif kind != "NOOP":
            self.refuse(offset, kind, entity, "unknown-keytype")

    def refuse(self, offset: int, kind: str | None, entity: str, reason: str) -> None:
        entity_type = ENTITY_TYPES.get(kind or "", (kind or "record").lower())
        self.history.refuse(offset, entity_type, entity, reason)

    def pass_over(self, offset: int, action: str, members: Members) -> None:
        """The registry reads the record without an effect."""

    def setting(self, entity_type: str, name: str) -> Callable[[int, str, Members], None]:
        """A setting of a subject or the global one: set, or removed."""
        history = self.history

        def apply(offset: int, action: str, members: Members) -> None:
            attributes = None if action == "delete" else {name: members.get(name)}
            history.note(entity_type, members.get("subject") or "", attributes, offset)

        return apply

    def finish(self) -> None:
        self.end()
        self.history.heeds_deletions = self.heeds_deletions or not self.is_watched

    def end(self) -> None:
        """For subclasses: what is decided only at the end of the journal."""


def run(readers: Sequence[RegistryReplay], entries: Iterable[pa.Table]) -> None:
    """Runs the readers over a partition's entries; each entry is parsed once for all."""
    values = entry_values(entries, *COLUMNS)
    while rows := rows_of(islice(values, SLICE_ROWS)):
        for reader in readers:
            reader.take(rows)
    for reader in readers:
        reader.finish()


def rows_of(entries: Iterable[tuple[int, str | None, str | None, str | None, str | None]]) -> list[Row]:
    """Parsed entries; those of schemas with their attributes, as `told` and as JSON text."""
    loads, dumps = orjson.loads, orjson.dumps
    rows: list[Row] = []
    for offset, kind, action, entity, text in entries:
        members = loads(text or UNSAYABLE)
        if "schemaHash" in members:
            attributes = members["told"] = schema_attributes(members)
            members["toldText"] = dumps(attributes).decode()
        rows.append((offset, kind, action, entity or "", members))
    return rows


def schema_attributes(members: Members) -> Members:
    """The attributes of one version of a subject."""
    schema = {
        "id": members["id"],
        "deleted": members["deleted"],
        "schemaType": members["schemaType"],
        "schemaHash": members["schemaHash"],
    }
    if "references" in members:
        schema["references"] = members["references"]
    return schema
