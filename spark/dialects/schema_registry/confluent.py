"""Replay as Confluent Schema Registry does it (7.x).

The first schema with an id keeps it: a record that gives the id to another text in the same context is rejected as
`duplicate-id`. DELETE_SUBJECT marks the existing versions from 1 to its own as deleted.

Source: KafkaStoreReaderThread.java, KafkaStoreMessageHandler.java, InMemoryCache.java; checked against 7.6.5.
"""

from __future__ import annotations

from spark.dialects._history import History
from spark.dialects.schema_registry.keys import Members, is_whole
from spark.dialects.schema_registry.reader import RegistryReplay, Version

DEFAULT_CONTEXT = "."


class ConfluentReader(RegistryReplay):
    """The store, and the holders of each id: context -> id -> subject -> its last version with that id."""

    profile = "confluent"
    empty_deletes = False

    def __init__(self, history: History):
        super().__init__(history)
        self.holders: dict[str, dict[int, dict[str, int]]] = {}
        self.apply = {
            "SCHEMA": self.schema,
            "DELETE_SUBJECT": self.delete_subject,
            "CLEAR_SUBJECT": self.clear_subject,
            "CONFIG": self.setting("config", "compatibility"),
            "MODE": self.setting("mode", "mode"),
            "CONTEXT": self.pass_over,
            "ASSOC": self.pass_over,
        }

    def schema(self, offset: int, action: str, members: Members) -> None:
        subject, version = members["subject"], members["version"]
        if action == "delete":
            self.remove((subject, version), offset)
            return
        # The value's subject names the context in which the id must be free.
        holders = self.holders.get(context_of(members.get("valueSubject") or subject))
        holder = self.first_holder(holders, members["id"]) if holders else None
        if holder and holder["schemaHash"] != members["schemaHash"]:
            self.refuse(offset, "SCHEMA", f"{subject}/{version}", "duplicate-id")
            return
        schema = members["told"]
        self.subjects.put(subject, version, schema)
        self.hold(subject, version, schema["id"])
        self.history.put("schema", f"{subject}/{version}", members["toldText"], offset)

    def first_holder(self, context: dict[int, dict[str, int]], schema_id: int) -> Members | None:
        holders = context.get(schema_id)
        if not holders:
            return None
        subject, version = next(iter(holders.items()))
        return self.subjects.get(subject, version)

    def hold(self, subject: str, version: int, schema_id: int) -> None:
        context = self.holders.setdefault(context_of(subject), {})
        if schema_id in context:
            context[schema_id][subject] = version
        else:
            context[schema_id] = {subject: version}

    def remove(self, key: Version, offset: int) -> None:
        """Removes a version; its id is free once no subject has it."""
        subject, version = key
        schema = self.subjects.pop(subject, version)
        if schema is None:
            return
        self.history.end("schema", f"{subject}/{version}", offset)
        context = self.holders.get(context_of(subject), {})
        subjects = context.get(schema["id"], {})
        if subjects.get(subject) == version:
            del subjects[subject]
            if not subjects:
                del context[schema["id"]]

    def delete_subject(self, offset: int, action: str, members: Members) -> None:
        """Marks the versions up to a number as deleted. A null value has no effect."""
        if action == "delete":
            return
        subject, last = members.get("valueSubject") or members.get("subject") or "", members.get("version")
        if not is_whole(last):
            self.refuse(offset, "DELETE_SUBJECT", subject, "value-unreadable")
            return
        for version, schema in self.subjects.mark_deleted(subject, last):
            self.hold(subject, version, schema["id"])
            self.history.put("schema", f"{subject}/{version}", schema, offset)

    def clear_subject(self, offset: int, action: str, members: Members) -> None:
        """Removes versions marked as deleted in a subject, in a context (`:.ctx:`) or everywhere (no subject)."""
        if action == "delete":
            return
        prefix = members.get("subject") or ""
        is_context = prefix.startswith(":.") and prefix.count(":") == 2 and prefix.endswith(":")
        subjects = self.subjects.versions
        everywhere = not prefix or is_context
        for subject in [name for name in subjects if name.startswith(prefix)] if everywhere else [prefix]:
            versions = subjects.get(subject, {})
            for version in [version for version, schema in versions.items() if schema["deleted"]]:
                self.remove((subject, version), offset)


def context_of(subject: str) -> str:
    return subject[1:].partition(":")[0] if subject.startswith(":.") else DEFAULT_CONTEXT
