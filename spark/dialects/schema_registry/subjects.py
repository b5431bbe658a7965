"""Subjects and their versions, as a registry holds them in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]


class Subjects:
    """Versions by subject, and which of them are not marked as deleted: loops of create and delete leave many that are.

    A schema may be another registry's, too: it is replaced, never changed.
    """

    def __init__(self) -> None:
        self.versions: dict[str, dict[int, Schema]] = {}
        self._live: dict[str, set[int]] = {}

    def get(self, subject: str, version: int) -> Schema | None:
        """A version, marked as deleted or not."""
        versions = self.versions.get(subject)
        return versions.get(version) if versions else None

    def put(self, subject: str, version: int, schema: Schema) -> None:
        """Keep a version."""
        if subject not in self.versions:
            self.versions[subject], self._live[subject] = {}, set()
        self.versions[subject][version] = schema
        live = self._live[subject]
        if schema["deleted"]:
            live.discard(version)
        else:
            live.add(version)

    def pop(self, subject: str, version: int) -> Schema | None:
        """Remove a version, and with the last one the subject."""
        versions = self.versions.get(subject)
        schema = versions.pop(version, None) if versions else None
        if schema is None:
            return None
        self._live[subject].discard(version)
        if not versions:
            del self.versions[subject], self._live[subject]
        return schema

    def live(self, subject: str) -> list[int]:
        """Versions that are not marked as deleted, ascending."""
        return sorted(self._live.get(subject, ()))

    def is_live(self, subject: str, version: int) -> bool:
        """Whether the version is there and not marked as deleted."""
        return version in self._live.get(subject, ())

    def mark_deleted(self, subject: str, last: int | None = None) -> Iterator[tuple[int, Schema]]:
        """Mark the live versions up to the last one (None: all) as deleted; gives those."""
        for version in self.live(subject):
            if last is None or version <= last:
                schema = {**self.versions[subject][version], "deleted": True}
                self.versions[subject][version] = schema
                self._live[subject].discard(version)
                yield version, schema
