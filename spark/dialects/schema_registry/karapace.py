"""Replay as Karapace does it.

Differences: an empty value deletes; a record applies to the subject and version in its value, a deletion to those in its
key; a schema with an invalid text is rejected, a Protobuf schema also if a referenced version is missing or marked as
deleted at that moment (`schema-invalid`, `reference-missing`); a subject's setting is removed with its last version.

Source: Karapace `schema_reader.py`, `in_memory_database.py`; checked against 3.9.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from spark.dialects._history import History
from spark.dialects.schema_registry.keys import Members, is_whole
from spark.dialects.schema_registry.reader import RegistryReplay, Version

SCHEMA_TYPES = ("AVRO", "JSON", "PROTOBUF")
LATEST = -1


class KarapaceReader(RegistryReplay):
    """Subjects and versions, and schemas that wait for a schema they refer to."""

    profile = "karapace"

    def __init__(self, history: History):
        super().__init__(history)
        self.waiting: dict[str, list[tuple[int, str]]] = {}
        self.apply = {
            "SCHEMA": self.schema,
            "DELETE_SUBJECT": self.delete_subject,
            "CONFIG": self.config,
        }

    def schema(self, offset: int, action: str, members: Members) -> None:
        if action == "delete":
            self.remove((members["subject"], members["version"]), offset)
            return
        subject = members.get("valueSubject") or members["subject"]
        version = members.get("valueVersion") or members["version"]
        name = f"{subject}/{version}"
        if members.get("isNotJson") or members["schemaType"] not in SCHEMA_TYPES:
            self.refuse(offset, "SCHEMA", name, "schema-invalid")
            return
        lacking = self.lacking(members) if members["schemaType"] == "PROTOBUF" else None
        if lacking:
            self.waiting.setdefault(lacking, []).append((offset, name))
            return
        schema = members["told"]
        self.subjects.put(subject, version, schema)
        self.history.put("schema", name, members["toldText"], offset)
        if name in self.waiting:
            self.settle(name, offset)

    def lacking(self, schema: Members) -> str | None:
        """The first missing version among those referenced, directly or indirectly."""
        visited: set[Version] = set()
        todo = [*read_references(schema)]
        while todo:
            subject, version = todo.pop(0)
            number = max(self.subjects.live(subject), default=LATEST) if version == LATEST else version
            if not self.subjects.is_live(subject, number):
                return f"{subject}/{number}" if number != LATEST else subject
            if (subject, number) not in visited:
                visited.add((subject, number))
                todo += read_references(self.subjects.versions[subject][number])
        return None

    def settle(self, name: str, offset: int | None) -> None:
        """Rejects what waited for this version, which came too late or never."""
        for waited, entity in self.waiting.pop(name):
            self.history.refuse(waited, "schema", entity, "reference-missing", name, offset)

    def remove(self, key: Version, offset: int) -> None:
        """Removes a version; with the last one the subject and its setting."""
        subject, version = key
        if self.subjects.pop(subject, version) is None:
            return
        self.history.end("schema", f"{subject}/{version}", offset)
        if subject not in self.subjects.versions:
            self.history.end("config", subject, offset)

    def delete_subject(self, offset: int, action: str, members: Members) -> None:
        """Mark the versions up to a number as deleted."""
        subject, last = members.get("valueSubject") or members.get("subject") or "", members.get("version")
        if action == "delete" or not is_whole(last):
            self.refuse(offset, "DELETE_SUBJECT", subject, "value-unreadable")
            return
        for version, schema in self.subjects.mark_deleted(subject, last):
            self.history.put("schema", f"{subject}/{version}", schema, offset)

    def config(self, offset: int, action: str, members: Members) -> None:
        """Sets a compatibility level; the global one cannot be removed."""
        subject = members.get("subject") or ""
        if action == "delete":
            if subject:
                self.history.end("config", subject, offset)
        elif members.get("compatibility") is None:
            self.refuse(offset, "CONFIG", subject, "value-unreadable")
        else:
            self.history.put("config", subject, {"compatibility": members["compatibility"]}, offset)

    def end(self) -> None:
        """Rejects what still waits at the end of the journal."""
        for name in list(self.waiting):
            self.settle(name, None)


def read_references(schema: Members) -> Iterator[Version]:
    """Subject and version of each reference; Karapace reads those of Protobuf schemas only."""
    references = schema.get("references") if schema["schemaType"] == "PROTOBUF" else None
    for reference in references if isinstance(references, list) else ():
        if isinstance(reference, dict) and isinstance(reference.get("subject"), str):
            version = reference.get("version")
            yield reference["subject"], version if is_whole(version) and version else LATEST
