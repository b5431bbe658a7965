"""What the readers of all three registries share: the loop over entries, and when a reader stops.

Reasons of refusals that all share:

    key-unreadable, unknown-keytype, value-unreadable   the bytes say nothing to this registry
    value-empty                                         a value of zero length, which it does not take for a deletion
    unknown-field                                       a member that it does not know and does not pass over
    reader-stopped                                      everything behind a record that ends this reader's replay
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import orjson
import pyarrow as pa

from spark.dialects._history import History
from spark.dialects.schema_registry.keys import FATAL, SKIPPED, TOMBSTONE

Members = dict[str, Any]
Version = tuple[str, int]
COLUMNS = ("offset", "entry_type", "entry_action", "entity_id", "attributes")
ENTITY_TYPES = {"SCHEMA": "schema", "CONFIG": "config", "MODE": "mode", "DELETE_SUBJECT": "subject"}


class Stop(Exception):
    """The registry does not start with this record in its topic."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


class Reader:
    """A registry at start-up. `apply` takes what an entry does: (offset, action, members)."""

    profile: ClassVar[str]
    # Whether a value of zero length deletes.
    empty_deletes: ClassVar[bool] = True

    def __init__(self, history: History):
        self.history = history
        self.apply: dict[str, Callable[[int, str, Members], None]] = {}

    def read(self, offset: int, kind: str | None, action: str | None, entity: str, members: Members) -> None:
        """Take one entry."""
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
        """The registry passes the record over."""
        self.history.refuse(offset, entity_type_of(kind), entity, reason)

    def pass_over(self, offset: int, action: str, members: Members) -> None:
        """The registry reads the record, and nothing follows from it."""

    def setting(self, entity_type: str, name: str) -> Callable[[int, str, Members], None]:
        """A setting of a subject or of all: set, or cleared."""
        history = self.history

        def apply(offset: int, action: str, members: Members) -> None:
            subject = members.get("subject") or ""
            if action == "delete":
                history.end(entity_type, subject, offset)
            else:
                history.put(entity_type, subject, {name: members.get(name)}, offset)

        return apply

    def end(self) -> None:
        """The journal is at its end."""


def entity_type_of(kind: str | None) -> str:
    """What an entry is about, for a refusal."""
    return ENTITY_TYPES.get(kind or "", (kind or "record").lower())


def run(reader: Reader, entries: Iterable[pa.Table]) -> None:
    """Read a partition's entries, up to the record that stops this reader."""
    stopped = False
    loads, read, known = orjson.loads, reader.read, reader.apply
    for portion in entries:
        columns = [portion.column(name).to_pylist() for name in COLUMNS]
        for offset, kind, action, entity, text in zip(*columns, strict=True):
            if stopped:
                reader.history.refuse(offset, "record", "", "reader-stopped")
                break
            members = loads(text or UNSAYABLE)
            try:
                if kind in known and "effects" not in members and action != "empty":
                    known[kind](offset, action or "", members)
                else:
                    read(offset, kind, action, entity or "", members)
            except Stop as stop:
                reader.refuse(offset, kind, entity or "", stop.reason)
                stopped = True
        else:
            continue
        break
    reader.end()


# Stands for attributes that JSON cannot say (whole numbers beyond 64 bits).
UNSAYABLE = orjson.dumps(
    {
        "reason": "value-unreadable",
        "effects": {"confluent": SKIPPED, "redpanda": FATAL, "karapace": SKIPPED},
    }
).decode()


def schema_attributes(members: Members) -> Members:
    """What is told of one version of a subject."""
    schema = {
        "id": members["id"],
        "deleted": members["deleted"],
        "schemaType": members["schemaType"],
        "schemaHash": members["schemaHash"],
    }
    if "references" in members:
        schema["references"] = members["references"]
    return schema
