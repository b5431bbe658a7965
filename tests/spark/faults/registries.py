"""Histories of an Apicurio Registry 2.5.8 whose clients come minutes apart, and one fault at a random place in each.

The clients are the careful ones: what compaction undoes by the service's own design (deleted versions and groups, rules
changed after their creation) they leave out, and a rule that was deleted is not created again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random

from tests.generator.registry import ARTIFACT, ARTIFACT_RULE, CONTENT, DELETE, GROUP, UPDATE, Version
from tests.generator.segment import Record
from tests.spark.faults.logs import Broken, Log, cleaned, renumbered
from tests.spark.registry_histories import Clients

TOPIC = "kafkasql-journal"
STEPS = 40
Fault = Callable[["History", Random], Broken]


class History(Clients):
    """Clients, and the log they left."""

    def __init__(self, seed: int):
        super().__init__(seed, careful=True)
        for _ in range(STEPS):
            self.running.wait(20_000, 600_000)
            self.rng.choice(self.choices())()
        self.add(self.schema("orders", "last"))
        self.log: Log = renumbered(entry.record for entry in self.running.stored)

    def alive(self) -> list[Version]:
        """Every version at the end."""
        return [version for versions in self.running.artifacts.values() for version in versions]

    def place_of_content(self, version: Version) -> int:
        """Offset of the content that a version has."""
        return self.running.content_offsets[version.content_id]

    def with_record(self, place: int, key: bytes | None, value: bytes | None) -> Log:
        """The log with one more record, which gets this offset."""
        records = [record for _, record in self.log]
        before_ms = records[place - 1].timestamp_ms
        return renumbered([*records[:place], Record(key, value, before_ms + 1), *records[place:]])

    def with_changed(self, place: int, value: bytes | None) -> Log:
        """The log with another value of one record."""
        changed = [*self.log]
        changed[place] = (place, replace(self.log[place][1], value=value))
        return changed


def document(record: Record) -> dict[str, object]:
    """The JSON behind the type byte."""
    return dict(json.loads((record.value or b"\0{}")[1:]))


def coded(type: int, members: dict[str, object]) -> bytes:
    """A value."""
    return bytes([type]) + json.dumps(members, separators=(",", ":")).encode()


def later(history: History, random: Random, offset: int) -> int:
    """A place behind an offset."""
    return random.randrange(offset + 1, len(history.log) + 1)


def empty_update(history: History, random: Random) -> Broken:
    version = random.choice(history.alive())
    key, place = history.log[history.place_of_content(version)][1].key, history.place_of_content(version)
    place = later(history, random, place)
    blocks = (b"0" * 64, b"", version.schema.reference_bytes)
    value = bytes([CONTENT, UPDATE]) + b"".join(len(block).to_bytes(4, "big") + block for block in blocks)
    return Broken(history.with_record(place, key, value), frozenset([place]), "content-null-update")


def content_removed(history: History, random: Random) -> Broken:
    version = random.choice(history.alive())
    gone = history.place_of_content(version)
    log = renumbered(record for offset, record in history.log if offset != gone)
    hash_text = version.schema.content_hash.encode()
    users = [
        offset
        for offset, record in log
        if record.key and record.key[0] == ARTIFACT and hash_text in (record.value or b"")
    ]
    return Broken(log, frozenset(users), "dangling-content-hash")


def rule_without_create(history: History, random: Random) -> Broken:
    version = random.choice(history.alive())
    place = later(history, random, history.running.artifacts[None, "stays"][0].offset)
    members = {
        "groupId": version.schema.group,
        "artifactId": version.schema.artifact,
        "ruleType": "COMPATIBILITY",
    }
    value = coded(ARTIFACT_RULE, {"action": UPDATE, "config": {"configuration": "FULL"}})
    log = history.with_record(place, history.running.key(ARTIFACT_RULE, **members), value)
    return Broken(log, frozenset([place]), "update-without-create")


def foreign(history: History, random: Random) -> Broken:
    place = later(history, random, 0)
    key = random.choice([b"\x63" + b'{"tenantId":"_"}', b"orders-42", b'{"keytype":"NOOP","magic":0}'])
    return Broken(history.with_record(place, key, b'{"a":1}'), frozenset([place]), "foreign-records")


def same_global_id(history: History, random: Random) -> Broken:
    first, second = sorted(random.sample(history.alive(), 2), key=lambda version: version.offset)
    value = document(history.log[second.offset][1]) | {"globalId": first.global_id}
    log = history.with_changed(second.offset, coded(ARTIFACT, value))
    return Broken(log, frozenset([first.offset, second.offset]), "id-collision")


def other_bytes(history: History, random: Random) -> Broken:
    version = random.choice(history.alive())
    place = history.place_of_content(version)
    value = (history.log[place][1].value or b"").replace(b'"type":"string"', b'"type":"double"')
    return Broken(history.with_changed(place, value), frozenset([place]), "content-hash-mismatch")


def unparsable(history: History, random: Random) -> Broken:
    version = random.choice(history.alive())
    place = later(history, random, version.offset)
    members = {
        "groupId": version.schema.group,
        "artifactId": version.schema.artifact,
        "ruleType": "INTEGRITY",
    }
    key = history.running.key(ARTIFACT_RULE, **members)
    value = random.choice([b'\x04{"action":1,"config', b"\x04", b"\x04[1]"])
    return Broken(history.with_record(place, key, value), frozenset([place]), "unreadable-entry")


def group_deleted_and_cleaned(history: History, random: Random) -> Broken:
    """A group was deleted and created again, and then the cleaner came: its artifacts stand before it."""
    group = random.choice([one.schema.group for one in history.alive() if one.schema.group])
    key = history.running.key(GROUP, groupId=group)
    records = [record for _, record in history.log]
    created = next(record for record in records if record.key == key)
    deleted = coded(GROUP, {"action": DELETE, "onlyArtifacts": False})
    users = [place for place, record in enumerate(records) if uses(record, group)]
    end = users[-1] + 1
    now_ms = records[end - 1].timestamp_ms
    again = [Record(key, deleted, now_ms + 500), replace(created, timestamp_ms=now_ms + 900)]
    log = renumbered([*records[:end], *again, *records[end:]])
    return Broken(cleaned(log, len(log)), frozenset([*users, end + 1]), "deletion-compacted-away")


def uses(record: Record, group: str | None) -> bool:
    """Whether it is an artifact of the group."""
    return (record.key or b"")[:1] == bytes([ARTIFACT]) and f'"groupId":"{group}"'.encode() in (
        record.key or b""
    )


FAULTS: dict[str, Fault] = {
    "empty update": empty_update,
    "content removed": content_removed,
    "rule update without create": rule_without_create,
    "foreign record": foreign,
    "one globalId twice": same_global_id,
    "content of another hash": other_bytes,
    "value cut off": unparsable,
    "group deleted and cleaned": group_deleted_and_cleaned,
}
