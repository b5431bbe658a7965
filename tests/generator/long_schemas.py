"""A long life of a `_schemas` topic, as Confluent Schema Registry or Redpanda writes it.

Subjects get versions, settings, soft deletes and hard deletes; so many are alive at once, each new one takes the place of the
oldest, as where every build registers its schemas and deletes them. Redpanda's keys carry the offset they aim at;
some of its writes lose their race and are tried again.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.generator.long_log import KeyValue

Writer = Literal["confluent", "redpanda"]
TOPIC = "_schemas"
NODES = 3
RACE_ONE_IN = 200  # of Redpanda's subjects
SUBJECTS_BETWEEN_RESTARTS = 20_000
ALIVE = 10_000  # subjects
FIELDS = [b'{\\"name\\":\\"field%d\\",\\"type\\":\\"string\\"}' % number for number in range(9)]
AVRO = b'{\\"type\\":\\"record\\",\\"name\\":\\"Event%08d\\",\\"namespace\\":\\"com.example.events\\",\\"fields\\":[%b]}'
PROTOBUF = b'syntax = \\"proto3\\";\\n\\nmessage Event%08d {\\n%b}\\n'
JSON_SCHEMA = b'{\\"title\\":\\"Event%08d\\",\\"type\\":\\"object\\",\\"properties\\":{%b}}'


def journal(record_count: int, writer: Writer) -> Iterator[KeyValue]:
    """The first records of such a life."""
    return islice(Topic(writer).life(), record_count)


def text_of(number: int, version: int) -> tuple[bytes, bytes]:
    """Type and text, escaped for a value, of one version of a subject."""
    match number % 10:
        case 0:
            fields = b"".join(b"  string field_%d = %d;\\n" % (each, each) for each in range(1, version + 2))
            return b'"schemaType":"PROTOBUF",', PROTOBUF % (number, fields)
        case 1:
            members = b",".join(
                b'\\"field%d\\":{\\"type\\":\\"string\\"}' % each for each in range(version + 1)
            )
            return b'"schemaType":"JSON",', JSON_SCHEMA % (number, members)
    return b"", AVRO % (number, b",".join(FIELDS[: version + 2]))


class Topic:
    """The topic and what its registry has given so far."""

    def __init__(self, writer: Writer) -> None:
        self.is_redpanda = writer == "redpanda"
        self.offset = 0
        self.schema_id = 0
        self.number = 0
        # What a hard delete must remove: keys and, in Redpanda's topic, the offsets they aim at.
        self.written: dict[int, list[tuple[int, bytes, bytes, int]]] = {}

    def life(self) -> Iterator[KeyValue]:
        """Records without end."""
        for number in range(10**8):
            if number % SUBJECTS_BETWEEN_RESTARTS == 0 and not self.is_redpanda:
                yield self.write(b'"NOOP"', b"", 0, None)
            if number >= ALIVE:
                self.number = number - ALIVE
                yield from self.hard_deleted()
            self.number = number
            self.written[number] = []
            yield from self.subject(subject_of(number))

    def write(self, keytype: bytes, named: bytes, magic: int, value: bytes | None) -> KeyValue:
        """One record that takes its place in the log."""
        if value is not None:
            self.written[self.number].append((self.offset, keytype, named, magic))
        return self.at(self.offset, keytype, named, magic, value)

    def at(self, seq: int, keytype: bytes, named: bytes, magic: int, value: bytes | None) -> KeyValue:
        """One record that aims at an offset; a tombstone repeats that of the record it removes."""
        self.offset += 1
        sequence = b',"seq":%d,"node":%d' % (seq, self.number % NODES) if self.is_redpanda else b""
        return b'{"keytype":%b,%b"magic":%d%b}' % (keytype, named, magic, sequence), value

    def schema(
        self, subject: bytes, version: int, schema_id: int, text_version: int, is_deleted: bool
    ) -> KeyValue:
        """A version, or its soft delete."""
        type, text = text_of(self.number, text_version)
        value = b'{"subject":"%b","version":%d,"id":%d,%b"schema":"%b","deleted":%b}' % (
            subject, version, schema_id, type, text, b"true" if is_deleted else b"false",
        )  # fmt: skip
        return self.write(b'"SCHEMA"', b'"subject":"%b","version":%d,' % (subject, version), 1, value)

    def setting(self, subject: bytes, level: bytes) -> KeyValue:
        """PUT /config/{subject}."""
        value = b'{"subject":"%b","compatibilityLevel":"%b"}' % (subject, level)
        return self.write(b'"CONFIG"', b'"subject":"%b",' % subject, 0, value)

    def subject(self, subject: bytes) -> Iterator[KeyValue]:
        """Four versions, the second of them deleted; the first is registered under a mirrored name, too."""
        yield self.setting(subject, b"BACKWARD")
        first_id = self.schema_id + 1
        self.schema_id += 4
        yield self.schema(subject, 1, first_id, 1, False)
        if self.is_redpanda and self.number % RACE_ONE_IN == 0:
            yield self.lost_race(subject, first_id + 1)
        yield self.schema(subject, 2, first_id + 1, 2, False)
        yield self.schema(b"mirror." + subject, 1, first_id, 1, False)
        yield self.schema(subject, 3, first_id + 2, 3, False)
        yield self.schema(subject, 2, first_id + 1, 2, True)
        yield self.schema(subject, 4, first_id + 3, 4, False)
        yield self.setting(subject, b"FULL" if self.number % 3 else b"NONE")

    def lost_race(self, subject: bytes, schema_id: int) -> KeyValue:
        """Another node was quicker: the record stands one offset behind the one that it aimed at."""
        self.offset -= 1
        lost = self.schema(subject, 2, schema_id, 2, False)
        self.offset += 1
        return lost

    def hard_deleted(self) -> Iterator[KeyValue]:
        """DELETE /subjects/{subject}, then the same with permanent=true."""
        subject = subject_of(self.number)
        for name, last in ((b"mirror." + subject, 1), (subject, 4)):
            value = b'{"subject":"%b","version":%d}' % (name, last)
            yield self.write(b'"DELETE_SUBJECT"', b'"subject":"%b",' % name, 0, value)
        found = self.written.pop(self.number)
        unique = found if self.is_redpanda else {each[1:]: each for each in found}.values()
        for seq, keytype, named, magic in unique:
            yield self.at(seq, keytype, named, magic, None)


def subject_of(number: int) -> bytes:
    """The name of a subject."""
    return b"team-%02d.event-%08d-value" % (number % 40, number)


JOURNALS: dict[str, Callable[[int], Iterator[KeyValue]]] = {
    "confluent": lambda count: journal(count, "confluent"),
    "redpanda": lambda count: journal(count, "redpanda"),
}
