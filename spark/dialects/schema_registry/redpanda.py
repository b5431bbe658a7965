"""Replay as Redpanda's schema registry does it.

A value whose key has a `seq` only counts at that offset: writers guess the offset, and a wrong guess loses the race
(`lost-the-race`; `sequence-ahead`: no writer guesses above the end of the log, so the journal was copied). Deletions are
never checked. Unknown members stop the replay. The last text of an id applies to every version with that id.

Source: Redpanda `pandaproxy/schema_registry/storage.h`, `store.h`, `sharded_store.cc` (2024-12).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spark.dialects._history import History
from spark.dialects.schema_registry.keys import Members, is_whole
from spark.dialects.schema_registry.reader import RegistryReplay, Stop, Version

Text = tuple[Any, ...]
TEXT = ("schemaType", "schemaHash", "references")


class RedpandaReader(RegistryReplay):
    """Subjects, their versions, and the versions of each id."""

    profile = "redpanda"

    def __init__(self, history: History):
        super().__init__(history)
        self.holders: dict[int, set[Version]] = {}
        self.texts: dict[int, Text] = {}
        self.apply = {
            "SCHEMA": self.checked(self.schema),
            "DELETE_SUBJECT": self.checked(self.delete_subject),
            "CONFIG": self.checked(self.subject_setting("config", "compatibility")),
            "MODE": self.checked(self.subject_setting("mode", "mode")),
            "CONTEXT": self.pass_over,
        }

    def checked(self, apply: Callable[[int, str, Members], None]) -> Callable[[int, str, Members], None]:
        """Applies the record after the reader's own checks."""

        def check(offset: int, action: str, members: Members) -> None:
            stop_at_strange(members)
            seq = members.get("seq")
            if seq is None or seq == offset or action == "delete":
                apply(offset, action, members)
                return
            kind = members["keytype"]
            subject = members.get("subject") or ""
            entity = f"{subject}/{members['version']}" if kind == "SCHEMA" else subject
            self.refuse(offset, kind, entity, "lost-the-race" if seq < offset else "sequence-ahead")

        return check

    def schema(self, offset: int, action: str, members: Members) -> None:
        subject, version = members["subject"], members["version"]
        if action == "delete":
            self.remove((subject, version), offset)
        elif members.get("isNotJson"):
            self.refuse(offset, "SCHEMA", f"{subject}/{version}", "schema-invalid")
        else:
            self.upsert((subject, version), members["told"], members["toldText"], offset)

    def upsert(self, key: Version, schema: Members, attributes: str, offset: int) -> None:
        """A version; its text replaces that of every other version with its id."""
        subject, version = key
        schema_id = schema["id"]
        before = self.subjects.get(subject, version)
        if before and before["id"] != schema_id:
            self.let_go(key, before["id"])
        text = schema["schemaType"], schema["schemaHash"], schema.get("references")
        if schema_id not in self.holders:
            self.holders[schema_id], self.texts[schema_id] = {key}, text
        else:
            self.share(key, text, schema, offset)
        self.subjects.put(subject, version, schema)
        self.history.put("schema", f"{subject}/{version}", attributes, offset)

    def share(self, key: Version, text: Text, schema: Members, offset: int) -> None:
        """A further version with an existing id; if its text differs, all versions get it."""
        schema_id = schema["id"]
        holders = self.holders[schema_id]
        if self.texts[schema_id] != text:
            self.texts[schema_id] = text
            self.rewrite(holders - {key}, schema, offset)
        holders.add(key)

    def rewrite(self, holders: set[Version], schema: Members, offset: int) -> None:
        """The versions that share an id get the latest text."""
        for subject, version in sorted(holders):
            versions = self.subjects.versions[subject]
            other = {**versions[version], **{name: schema.get(name) for name in TEXT}}
            versions[version] = other
            self.history.put("schema", f"{subject}/{version}", other, offset)

    def let_go(self, key: Version, schema_id: int) -> None:
        holders = self.holders[schema_id]
        holders.discard(key)
        if not holders:
            del self.holders[schema_id], self.texts[schema_id]

    def remove(self, key: Version, offset: int) -> None:
        """Removes a version; with the last one the subject and its settings. Ignores missing versions."""
        subject, version = key
        schema = self.subjects.pop(subject, version)
        if schema is None:
            return
        self.let_go(key, schema["id"])
        self.history.end("schema", f"{subject}/{version}", offset)
        if subject not in self.subjects.versions:
            self.history.end("config", subject, offset)
            self.history.end("mode", subject, offset)

    def delete_subject(self, offset: int, action: str, members: Members) -> None:
        """Marks all existing versions as deleted, whatever version the value names."""
        if action == "delete":
            return
        subject = members.get("subject") or ""
        for version, schema in self.subjects.mark_deleted(subject):
            self.history.put("schema", f"{subject}/{version}", schema, offset)

    def subject_setting(self, entity_type: str, name: str) -> Callable[[int, str, Members], None]:
        """A setting; the global one cannot be removed."""
        apply_setting = self.setting(entity_type, name)

        def apply(offset: int, action: str, members: Members) -> None:
            if action != "delete" or members.get("subject"):
                apply_setting(offset, action, members)

        return apply


def stop_at_strange(members: Members) -> None:
    """Stops where the registry's parser throws: unknown members, half a sequence, a setting's key with another magic."""
    if members.get("unknownFields"):
        raise Stop("unknown-field")
    if ("seq" in members) != ("node" in members) or not is_whole(members.get("seq", 0)):
        raise Stop("key-unreadable")
    if members.get("magic") != 0 and members["keytype"] in ("CONFIG", "MODE"):
        raise Stop("key-unreadable")
