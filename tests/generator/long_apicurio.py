"""A long life of an Apicurio Registry 2.5.8 with KafkaSQL storage: artifacts made, changed, described, deleted.

Every artifact has a text of its own, cut from one of a few templates; hashes, ids and the order of the records are
those that the registry would give.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING

from tests.generator import registry as types
from tests.generator.schemas import JSON_PROPERTIES, Schema, avro, json_schema, protobuf
from tests.generator.segment import SOME_TIME_MS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.generator.long_log import KeyValue

GROUPS = 40
ARTIFACTS_BETWEEN_RESTARTS = 20_000
NUMBER = b"00000000"  # stands in a template for the artifact's number
ALIVE = 10_000  # artifacts; each new one takes the place of the oldest
COMMENTED = 3  # each third artifact has a comment, with ids from 1
HEAD = b'{"tenantId":"_",'


def journal(record_count: int) -> Iterator[KeyValue]:
    """The first records of such a life."""
    return islice(life(), record_count)


def life() -> Iterator[KeyValue]:
    """Records without end."""
    running = Registry()
    for number in range(10**8):
        if number % ARTIFACTS_BETWEEN_RESTARTS == 0:
            yield key(types.BOOTSTRAP, b'"bootstrapId":"%b"}' % running.uuid(), head=b"{"), None
        if number < GROUPS:
            yield running.group(number)
        yield from running.artifact(number)
        if number >= ALIVE:
            yield from running.deleted(number - ALIVE)


def place_of(number: int) -> bytes:
    """Group and id of an artifact, as they stand in keys."""
    return b'"groupId":"team-%02d","artifactId":"event-%08d"' % (number % GROUPS, number)


def key(type: int, rest: bytes, head: bytes = HEAD) -> bytes:
    """A key: its type and JSON."""
    return bytes([type]) + head + rest


def template(version: int, place: int) -> Schema:
    """What stands in an artifact's version, with zeros for its number."""
    name, kept = f"Event{NUMBER.decode()}", version + 2
    fields = [{"name": f"field{each}", "type": "string"} for each in range(kept + 3)][::-1]
    properties = dict(list(JSON_PROPERTIES.items())[:kept])
    document = {"title": name, "type": "object", "properties": properties}
    match place:
        case 0:
            return json_schema("group", "a", "JSON", document, name)
        case 1:
            return protobuf("group", "a", {name: [f"string field_{each}" for each in range(kept)]})
    return avro("group", "a", name, fields)


@dataclass(frozen=True)
class Text:
    """A template's bytes."""

    type: bytes
    content: bytes
    canonical: bytes


def text_of(schema: Schema) -> Text:
    """The template that a schema is."""
    return Text(schema.type.encode(), schema.content, schema.canonical)


TEXTS = [[text_of(template(version, place)) for version in (1, 2)] for place in range(6)]


class Registry:
    """What numbers the registry has given."""

    def __init__(self) -> None:
        self.uuids = 0
        self.content_id = 0
        self.global_id = 0
        self.comment_id = 0

    def uuid(self) -> bytes:
        """Another UUID."""
        self.uuids += 1
        number = self.uuids * 0x9E3779B1 & 0xFFFFFFFF
        return b"%08x-4c1f-4d2e-8a35-%012x" % (number, self.uuids)

    def next_id(self, type: int) -> KeyValue:
        """The record that draws an id."""
        return key(type, b'"uuid":"%b"}' % self.uuid()), b'%c{"action":1}' % type

    def group(self, number: int) -> KeyValue:
        """POST /groups."""
        value = (
            b'{"action":1,"createdBy":"","createdOn":%d,"modifiedBy":"","modifiedOn":0,"onlyArtifacts":false}'
        )
        return (
            key(types.GROUP, b'"groupId":"team-%02d"}' % number),
            bytes([types.GROUP]) + value % SOME_TIME_MS,
        )

    def artifact(self, number: int) -> Iterator[KeyValue]:
        """An artifact with two versions, and what people do with it."""
        place = place_of(number)
        yield from self.version(number, 1, place)
        yield from self.attached(number, place)
        yield from self.version(number, 2, place)
        yield self.described(place, 2)

    def version(self, number: int, version: int, place: bytes) -> Iterator[KeyValue]:
        """A version with a content of its own."""
        text = TEXTS[number % len(TEXTS)][version - 1]
        digits = b"%08d" % number
        content = text.content.replace(NUMBER, digits)
        content_hash = sha256(content).hexdigest().encode()
        yield self.next_id(types.CONTENT_ID)
        self.content_id += 1
        yield self.content(content_hash, content, text.canonical.replace(NUMBER, digits))
        yield self.next_id(types.GLOBAL_ID)
        self.global_id += 1
        value = (
            b'%c{"action":%d,"metaData":{"name":"Event%b"},"globalId":%d,"artifactType":"%b",'
            b'"contentHash":"%b","createdBy":"","createdOn":%d}'
        )
        numbers = (types.ARTIFACT, version, digits, self.global_id, text.type, content_hash, SOME_TIME_MS)
        yield key(types.ARTIFACT, place + b',"uuid":"%b"}' % self.uuid()), value % numbers

    def content(self, content_hash: bytes, content: bytes, canonical: bytes) -> KeyValue:
        """The record that holds a content."""
        canonical_hash = sha256(canonical).hexdigest().encode()
        sized = b"".join(struct.pack(">i", len(block)) + block for block in (canonical_hash, content, b""))
        named = b'"contentHash":"%b","contentId":%d}' % (content_hash, self.content_id)
        return key(types.CONTENT, named), bytes([types.CONTENT, types.CREATE]) + sized

    def attached(self, number: int, place: bytes) -> Iterator[KeyValue]:
        """A rule, a comment, an owner: of some artifacts."""
        if number % 2 == 0:
            level = b"FULL" if number % 4 else b"BACKWARD"
            rule = b'%c{"action":1,"config":{"configuration":"%b"}}' % (types.ARTIFACT_RULE, level)
            yield key(types.ARTIFACT_RULE, place + b',"ruleType":"COMPATIBILITY"}'), rule
        if number % COMMENTED == 0:
            yield self.next_id(types.COMMENT_ID)
            self.comment_id += 1
            named = b',"version":"1","commentId":"%d","uuid":"%b"}' % (self.comment_id, self.uuid())
            said = (
                b'%c{"action":1,"globalId":-1,"createdBy":"","createdOn":%d,"value":"Ready for production."}'
            )
            yield key(types.COMMENT, place + named), said % (types.COMMENT, SOME_TIME_MS)
        if number % 5 == 0:
            yield key(types.OWNER, place + b"}"), b'%c{"action":2,"owner":"platform"}' % types.OWNER

    def described(self, place: bytes, version: int) -> KeyValue:
        """PUT .../meta."""
        value = b'%c{"action":2,"state":"ENABLED","metaData":{"name":"Event","description":"Agreed with checkout"}}'
        named = place + b',"version":"%d"}' % version
        return key(types.ARTIFACT_VERSION, named), value % types.ARTIFACT_VERSION

    def deleted(self, number: int) -> Iterator[KeyValue]:
        """DELETE of the artifact, then null for its versions and each type of rule; before it of its comment, with which it could not go."""
        place, gone = place_of(number), b'%c{"action":3}' % types.ARTIFACT
        if number % COMMENTED == 0:
            named = b',"version":"1","commentId":"%d","uuid":"%b"}' % (number // COMMENTED + 1, self.uuid())
            yield key(types.COMMENT, place + named), b'%c{"action":3,"globalId":-1}' % types.COMMENT
        yield key(types.ARTIFACT, place + b',"uuid":"%b"}' % self.uuid()), gone
        for version in (1, 2):
            yield key(types.ARTIFACT_VERSION, place + b',"version":"%d"}' % version), None
        for rule in types.RULE_TYPES:
            yield key(types.ARTIFACT_RULE, place + b',"ruleType":"%b"}' % rule.encode()), None
