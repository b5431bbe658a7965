"""Subjects and their versions in a registry's memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]


class Subjects:
    """Versions by subject, and which of them are live: loops of create and delete leave many deleted ones.

    Several registries may share a schema: it is replaced, never changed.
    """

    def __init__(self) -> None:
        self.versions: dict[str, dict[int, Schema]] = {}
        self._live: dict[str, set[int]] = {}

    def get(self, subject: str, version: int) -> Schema | None:
        """A version, even if marked as deleted; None if it does not exist."""
        versions = self.versions.get(subject)
        return versions.get(version) if versions else None

    def put(self, subject: str, version: int, schema: Schema) -> None:
        if subject not in self.versions:
            self.versions[subject], self._live[subject] = {}, set()
        self.versions[subject][version] = schema
        live = self._live[subject]
        if schema["deleted"]:
            live.discard(version)
        else:
            live.add(version)

    def pop(self, subject: str, version: int) -> Schema | None:
        """Removes a version, and the subject with its last one."""
        versions = self.versions.get(subject)
        schema = versions.pop(version, None) if versions else None
        if schema is None:
            return None
        self._live[subject].discard(version)
        if not versions:
            del self.versions[subject], self._live[subject]
        return schema

    def live(self, subject: str) -> list[int]:
        """Live versions, ascending."""
        return sorted(self._live.get(subject, ()))

    def is_live(self, subject: str, version: int) -> bool:
        return version in self._live.get(subject, ())

    def mark_deleted(self, subject: str, last: int | None = None) -> Iterator[tuple[int, Schema]]:
        """Marks the live versions up to `last` (None: all) as deleted; yields them."""
        for version in self.live(subject):
            if last is None or version <= last:
                schema = {**self.versions[subject][version], "deleted": True}
                self.versions[subject][version] = schema
                self._live[subject].discard(version)
                yield version, schema
