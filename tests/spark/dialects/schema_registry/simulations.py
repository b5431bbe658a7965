"""Simulated registries that write legal journals: each knows what it would answer, by rules of its own.

Confluent   one leader; deletes are tombstones; a schema registered again takes its deleted version's place
Karapace    one master; deletes are values of zero length; ids are remembered as long as the process lives
Redpanda    nodes that guess the next offset; who loses a race reads again and tries again
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tests.spark.dialects.schema_registry.journals import Parts, compact, hash_of, key

SUBJECTS = ("orders-value", "orders-key", "users-value", "größe", ":.team:orders-value")
LEVELS = ("BACKWARD", "FULL", "NONE", "FORWARD_TRANSITIVE")
Version = tuple[str, int]


class Registry:
    """What every simulated registry holds, and what it does to it. Subclasses say how that is written."""

    def __init__(self, random: Random):
        self.random = random
        self.log: list[Parts] = []
        self.versions: dict[Version, dict[str, Any]] = {}
        self.levels: dict[str, str] = {}
        self.next_ids: dict[str, int] = {}

    def write(self, key: bytes, value: bytes | None) -> None:
        """Append a record."""
        self.log.append((key, value))

    def of(self, subject: str) -> dict[int, dict[str, Any]]:
        """A subject's versions."""
        return {number: row for (name, number), row in sorted(self.versions.items()) if name == subject}

    def live(self, subject: str) -> dict[int, dict[str, Any]]:
        """Those not marked as deleted."""
        return {number: row for number, row in self.of(subject).items() if not row["deleted"]}

    def id_of(self, subject: str, text: str) -> int:
        """The id that a text has in the context, or the next one."""
        context = subject.rpartition(":")[0]
        known = [
            row["id"]
            for (name, _), row in self.versions.items()
            if row["text"] == text and name.rpartition(":")[0] == context
        ]
        if known:
            return int(known[0])
        self.next_ids[context] = self.next_ids.get(context, 0) + 1
        return self.next_ids[context]

    def text(self) -> str:
        """One of a few schemas, so that subjects share some."""
        number = self.random.randrange(12)
        return compact({"type": "record", "name": f"R{number}", "fields": []}).decode()

    def step(self) -> None:
        """One call of a client that is legal now."""
        calls: list[Callable[[str], None]] = [
            self.register, self.register, self.register, self.soft_delete_version, self.soft_delete_subject,
            self.hard_delete, self.configure, self.clear_config,
        ]  # fmt: skip
        self.random.choice(calls)(self.random.choice(SUBJECTS))

    def answers(self) -> dict[str, tuple[int, bool, str]]:
        """subject/version -> id, whether it is marked as deleted, hash of its text."""
        return {
            f"{subject}/{number}": (row["id"], row["deleted"], hash_of(row["text"]))
            for (subject, number), row in self.versions.items()
        }

    def register(self, subject: str) -> None:
        raise NotImplementedError

    def soft_delete_version(self, subject: str) -> None:
        """Mark one version as deleted."""
        if live := self.live(subject):
            number = self.random.choice([*live])
            self.versions[subject, number]["deleted"] = True
            self.write_version(subject, number)

    def write_version(self, subject: str, number: int) -> None:
        """The version as it is now."""
        row = self.versions[subject, number]
        value = {"subject": subject, "version": number, "id": row["id"], "schema": row["text"],
                 "deleted": row["deleted"]}  # fmt: skip
        self.write(key("SCHEMA", subject, number), compact(value))

    def soft_delete_subject(self, subject: str) -> None:
        raise NotImplementedError

    def hard_delete(self, subject: str) -> None:
        raise NotImplementedError

    def configure(self, subject: str) -> None:
        """Set a level where there are versions."""
        if self.live(subject):
            self.levels[subject] = self.random.choice(LEVELS)
            self.write(key("CONFIG", subject), compact({"compatibilityLevel": self.levels[subject]}))

    def clear_config(self, subject: str) -> None:
        """Take it back."""
        if subject in self.levels:
            del self.levels[subject]
            self.write(key("CONFIG", subject), self.nothing)

    nothing: bytes | None = None


class Confluent(Registry):
    """One leader."""

    def register(self, subject: str) -> None:
        text = self.text()
        live = self.live(subject)
        if any(row["text"] == text for row in live.values()):
            return
        number = max(self.of(subject), default=0) + 1
        schema_id = self.id_of(subject, text)
        for old, row in self.of(subject).items():
            if row["id"] == schema_id:
                del self.versions[subject, old]
                self.write(key("SCHEMA", subject, old), None)
        self.versions[subject, number] = {"id": schema_id, "text": text, "deleted": False}
        self.write_version(subject, number)

    def soft_delete_subject(self, subject: str) -> None:
        live = self.live(subject)
        if live:
            for row in live.values():
                row["deleted"] = True
            value = {"subject": subject, "version": max(self.of(subject))}
            self.write(key("DELETE_SUBJECT", subject), compact(value))

    def hard_delete(self, subject: str) -> None:
        if self.of(subject) and not self.live(subject):
            for number in self.of(subject):
                del self.versions[subject, number]
                self.write(key("SCHEMA", subject, number), None)
            if self.levels.pop(subject, None):
                self.write(key("CONFIG", subject), None)

    def step(self) -> None:
        if self.random.random() < 0.03:
            self.write(key("NOOP"), None)
        super().step()


class Karapace(Registry):
    """One master that never restarts."""

    nothing = b""

    def __init__(self, random: Random):
        super().__init__(random)
        self.ids: dict[str, int] = {}

    def id_of(self, subject: str, text: str) -> int:
        return self.ids.setdefault(text, len(self.ids) + 1)

    def register(self, subject: str) -> None:
        text = self.text()
        if any(row["text"] == text for row in self.live(subject).values()):
            return
        number = max(self.of(subject), default=0) + 1
        self.versions[subject, number] = {"id": self.id_of(subject, text), "text": text, "deleted": False}
        self.write_version(subject, number)

    def soft_delete_subject(self, subject: str) -> None:
        if live := self.live(subject):
            for row in live.values():
                row["deleted"] = True
            self.write(key("DELETE_SUBJECT", subject), compact({"subject": subject, "version": max(live)}))

    def hard_delete(self, subject: str) -> None:
        if self.of(subject) and not self.live(subject):
            self.clear_config(subject)
            for number in self.of(subject):
                del self.versions[subject, number]
                self.write(key("SCHEMA", subject, number), b"")


class Redpanda(Registry):
    """Nodes that write at once. `written` are the keys of a version or a setting; `lost` the offsets of losers."""

    def __init__(self, random: Random, nodes: int = 3):
        super().__init__(random)
        self.nodes = nodes
        self.written: dict[tuple[str, str, int | None], list[bytes]] = {}
        self.lost: list[int] = []

    def sequenced(self, keytype: str, subject: str, number: int | None, value: dict[str, Any]) -> None:
        """Write at the guessed offset; before that, others may have written, so that some guesses are wrong."""
        node = self.random.randrange(self.nodes)
        while self.random.random() < 0.3:
            self.lose(keytype, subject, number, value, (node + 1) % self.nodes)
        where = {"seq": len(self.log), "node": node}
        made = key(keytype, subject, number, **where)
        self.written.setdefault((keytype, subject, number), []).append(made)
        self.write(made, compact(value))

    def lose(self, keytype: str, subject: str, number: int | None, value: dict[str, Any], node: int) -> None:
        """A node with the same idea or another one is late: what it guessed is the offset of the record before."""
        if not self.log:
            return
        if keytype == "SCHEMA":
            value = {**value, "schema": self.text(), "id": value["id"] + self.random.randrange(2)}
        self.lost.append(len(self.log))
        self.write(key(keytype, subject, number, seq=len(self.log) - 1, node=node), compact(value))

    def register(self, subject: str) -> None:
        text = self.text()
        if any(row["text"] == text for row in self.live(subject).values()):
            return
        number = max(self.of(subject), default=0) + 1
        self.versions[subject, number] = {"id": self.id_of("", text), "text": text, "deleted": False}
        self.write_version(subject, number)

    def id_of(self, subject: str, text: str) -> int:
        known = [row["id"] for row in self.versions.values() if row["text"] == text]
        return int(known[0]) if known else super().id_of("", text)

    def write_version(self, subject: str, number: int) -> None:
        row = self.versions[subject, number]
        value = {"subject": subject, "version": number, "id": row["id"], "schema": row["text"],
                 "deleted": row["deleted"]}  # fmt: skip
        self.sequenced("SCHEMA", subject, number, value)
        if row["deleted"] and not self.live(subject):
            self.clear_config(subject)

    def soft_delete_subject(self, subject: str) -> None:
        if live := self.live(subject):
            for row in live.values():
                row["deleted"] = True
            self.sequenced("DELETE_SUBJECT", subject, None, {"subject": subject})
            self.clear_config(subject)

    def hard_delete(self, subject: str) -> None:
        for number, row in self.of(subject).items():
            if row["deleted"]:
                del self.versions[subject, number]
                self.bury("SCHEMA", subject, number)

    def bury(self, keytype: str, subject: str, number: int | None) -> None:
        """A tombstone for every key that ever won."""
        for made in self.written.pop((keytype, subject, number), []):
            self.write(made, None)

    def configure(self, subject: str) -> None:
        if self.live(subject):
            self.levels[subject] = self.random.choice(LEVELS)
            self.sequenced("CONFIG", subject, None, {"compatibilityLevel": self.levels[subject]})

    def clear_config(self, subject: str) -> None:
        if self.levels.pop(subject, None):
            self.bury("CONFIG", subject, None)
