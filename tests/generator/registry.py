"""Apicurio Registry 2.5.8 with KafkaSQL storage, as far as its journal shows it: calls in, records out.

    Key   => type:1 JSON             Value => null | type:1 JSON | 02 action:1 canonical_hash content references
    canonical_hash, content, references => length:4 bytes

Every record carries a header `req`. Source: `KafkaSqlSubmitter`, `KafkaSqlKeySerializer`, `KafkaSqlValueSerializer`,
`KafkaSqlProtobufCanonicalizerUpgrader` of the release 2.5.8.Final.
"""

from __future__ import annotations

import struct
import uuid
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from tests.generator.journal import Journal, Stored
from tests.generator.schemas import Schema, compact
from tests.generator.segment import SOME_TIME_MS, Record

if TYPE_CHECKING:
    from collections.abc import Mapping

TOPIC = "kafkasql-journal"
BOOTSTRAP, GLOBAL_RULE, CONTENT, ARTIFACT, ARTIFACT_RULE, ARTIFACT_VERSION, GROUP = range(7)
GLOBAL_ID, CONTENT_ID, CONFIG_PROPERTY, OWNER, COMMENT_ID, COMMENT = 8, 9, 13, 14, 15, 16
CREATE, UPDATE, DELETE, IMPORT, RESET = 1, 2, 3, 5, 6
RULE_TYPES = ("VALIDITY", "COMPATIBILITY", "INTEGRITY")

Place = tuple[str | None, str]  # group id (None: the default group) and artifact id


@dataclass
class Version:
    """A version that the running registry knows."""

    schema: Schema
    number: str
    global_id: int
    content_id: int
    offset: int  # of the Artifact record that made it
    key: bytes  # of that record


@dataclass
class Registry:
    """A running registry and the journal it writes. The same seed and calls give the same bytes."""

    seed: int
    tenant: str = "_"
    start_ms: int = SOME_TIME_MS
    next_content_id: int = 1
    next_global_id: int = 1
    next_comment_id: int = 1
    stored: list[Stored] = field(default_factory=list)
    contents: dict[str, int] = field(default_factory=dict)  # content hash -> content id
    content_offsets: dict[int, int] = field(default_factory=dict)  # content id -> offset of the content
    artifacts: dict[Place, list[Version]] = field(default_factory=dict)
    groups: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.rng = Random(self.seed)
        self.now_ms = self.start_ms
        self.next_offset = 0

    def wait(self, least_ms: int, most_ms: int) -> None:
        """Let time pass."""
        self.now_ms += self.rng.randint(least_ms, most_ms)

    def uuid(self) -> str:
        """A random UUID of this registry's seed."""
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def produce(self, key: bytes, value: bytes | None) -> int:
        """Append one record; gives its offset."""
        self.wait(18, 140)
        offset, self.next_offset = self.next_offset, self.next_offset + 1
        headers = [(b"req", self.uuid().encode())]
        self.stored.append(Stored(offset, Record(key, value, self.now_ms, headers, offset)))
        return offset

    def key(self, type: int, **members: object) -> bytes:
        """A key: absent members are those that are None."""
        whole = {"tenantId": self.tenant, **members}
        return bytes([type]) + compact({k: v for k, v in whole.items() if v is not None}).encode()

    def write(self, type: int, members: Mapping[str, object], value: Mapping[str, object] | None) -> int:
        """Append a record with a JSON value, or null."""
        document = None if value is None else {k: v for k, v in value.items() if v is not None}
        encoded = None if document is None else bytes([type]) + compact(document).encode()
        return self.produce(self.key(type, **members), encoded)

    def create_group(self, group: str, description: str) -> int:
        """POST /groups."""
        self.groups.add(group)
        self.wait(30, 300)
        members: dict[str, object] = {"action": CREATE, "description": description, "createdBy": ""}
        members |= {"createdOn": self.now_ms, "modifiedOn": 0, "onlyArtifacts": False}
        return self.write(GROUP, {"groupId": group}, members)

    def add(self, schema: Schema) -> Version:
        """POST /groups/{group}/artifacts, or another version of an artifact there is already."""
        content_id = self._ensure_content(schema)
        self._ensure_group(schema.group)
        self.write(GLOBAL_ID, {"uuid": self.uuid()}, {"action": CREATE})
        versions = self.artifacts.setdefault((schema.group, schema.artifact), [])
        global_id, self.next_global_id = self.next_global_id, self.next_global_id + 1
        value: dict[str, Any] = {
            "action": UPDATE if versions else CREATE,
            "metaData": {"name": schema.title} if schema.title else {},
            "globalId": global_id,
            "artifactType": schema.type,
            "contentHash": schema.content_hash,
            "createdBy": "",
            "createdOn": self.now_ms,
        }
        return self._keep(schema, versions, global_id, content_id, value)

    def _keep(
        self, schema: Schema, versions: list[Version], global_id: int, content_id: int, value: dict[str, Any]
    ) -> Version:
        members = {"groupId": schema.group, "artifactId": schema.artifact, "uuid": self.uuid()}
        offset = self.write(ARTIFACT, members, value)
        version = Version(
            schema, str(len(versions) + 1), global_id, content_id, offset, self.key(ARTIFACT, **members)
        )
        versions.append(version)
        return version

    def _ensure_content(self, schema: Schema) -> int:
        if schema.content_hash not in self.contents:
            self.write(CONTENT_ID, {"uuid": self.uuid()}, {"action": CREATE})
            self.contents[schema.content_hash] = self.next_content_id
            self.next_content_id += 1
            self._content(schema, CREATE, schema.canonical_hash, schema.content)
        return self.contents[schema.content_hash]

    def _content(self, schema: Schema, action: int, canonical_hash: str, content: bytes) -> int:
        content_id = self.contents[schema.content_hash]
        key = self.key(CONTENT, contentHash=schema.content_hash, contentId=content_id)
        blocks = (canonical_hash.encode(), content, schema.reference_bytes)
        sized = b"".join(struct.pack(">i", len(block)) + block for block in blocks)
        offset = self.produce(key, bytes([CONTENT, action]) + sized)
        if content:
            self.content_offsets[content_id] = offset
        return offset

    def _ensure_group(self, group: str | None) -> None:
        if group is not None and group not in self.groups:
            self.groups.add(group)
            value: dict[str, object] = {"action": CREATE, "createdBy": "", "createdOn": 0, "modifiedBy": ""}
            self.write(GROUP, {"groupId": group}, value | {"modifiedOn": 0, "onlyArtifacts": False})

    def import_artifact(self, schema: Schema, content_id: int, global_id: int) -> None:
        """POST /admin/import of an artifact that keeps its ids; the sequences then go on after them."""
        self.contents[schema.content_hash] = content_id
        self._content(schema, IMPORT, schema.canonical_hash, schema.content)
        self._ensure_group(schema.group)
        value: dict[str, Any] = {
            "action": IMPORT,
            "state": "ENABLED",
            "metaData": {"name": schema.title} if schema.title else {},
            "globalId": global_id,
            "version": "1",
            "artifactType": schema.type,
            "createdBy": "",
            "createdOn": self.now_ms,
            "versionId": 1,
            "contentId": content_id,
            "latest": True,
        }
        versions = self.artifacts.setdefault((schema.group, schema.artifact), [])
        self._keep(schema, versions, global_id, content_id, value)
        for sequence in (GLOBAL_ID, CONTENT_ID):
            self.write(sequence, {"uuid": self.uuid()}, {"action": RESET})
        self.next_content_id = max(self.next_content_id, content_id + 1)
        self.next_global_id = max(self.next_global_id, global_id + 1)

    def _members(self, version: Version, /, **more: object) -> dict[str, object]:
        return {"groupId": version.schema.group, "artifactId": version.schema.artifact, **more}

    def comment(self, version: Version, text: str) -> int:
        """POST .../versions/{version}/comments."""
        self.write(COMMENT_ID, {"uuid": self.uuid()}, {"action": CREATE})
        comment_id, self.next_comment_id = self.next_comment_id, self.next_comment_id + 1
        members = self._members(version, version=version.number, commentId=str(comment_id), uuid=self.uuid())
        value = {"action": CREATE, "globalId": -1, "createdBy": "", "createdOn": self.now_ms, "value": text}
        return self.write(COMMENT, members, value)

    def describe(self, version: Version, description: str, state: str = "ENABLED") -> int:
        """PUT .../meta, or .../state: the whole of both is written."""
        meta_data = {"name": version.schema.title or version.schema.artifact, "description": description}
        value: dict[str, object] = {"action": UPDATE, "state": state, "metaData": meta_data}
        return self.write(ARTIFACT_VERSION, self._members(version, version=version.number), value)

    def set_owner(self, version: Version, owner: str) -> int:
        """PUT .../owner."""
        return self.write(OWNER, self._members(version), {"action": UPDATE, "owner": owner})

    def create_rule(self, version: Version, rule: str, configuration: str) -> int:
        """POST .../rules."""
        value: dict[str, object] = {"action": CREATE, "config": {"configuration": configuration}}
        return self.write(ARTIFACT_RULE, self._members(version, ruleType=rule), value)

    def create_global_rule(self, rule: str, configuration: str) -> int:
        """POST /admin/rules."""
        value: dict[str, object] = {"action": CREATE, "config": {"configuration": configuration}}
        return self.write(GLOBAL_RULE, {"ruleType": rule}, value)

    def set_property(self, name: str, value: str) -> int:
        """PUT /admin/config/properties/{name}."""
        return self.write(CONFIG_PROPERTY, {"propertyName": name}, {"action": UPDATE, "value": value})

    def delete_artifact(self, place: Place) -> None:
        """DELETE .../artifacts/{artifact}: the artifact, then null for each of its versions and rule types."""
        versions = self.artifacts.pop(place)
        first = versions[0]
        self.write(ARTIFACT, self._members(first, uuid=self.uuid()), {"action": DELETE})
        for version in versions:
            self.write(ARTIFACT_VERSION, self._members(version, version=version.number), None)
        for rule in RULE_TYPES:
            self.write(ARTIFACT_RULE, self._members(first, ruleType=rule), None)

    def start(self) -> int:
        """A (re)start: gives the offset of its Bootstrap record."""
        key = bytes([BOOTSTRAP]) + compact({"bootstrapId": self.uuid()}).encode()
        offset = self.produce(key, None)
        self.wait(3_000, 9_000)
        return offset

    def upgrade_canonical_hashes(self) -> list[tuple[Version, int]]:
        """The canonical-hash upgrader of this start: a Content UPDATE without content per stale Protobuf version."""
        updates = []
        for version in [each for versions in self.artifacts.values() for each in versions]:
            schema = version.schema
            if schema.type == "PROTOBUF" and schema.canonical_hash != schema.legacy_canonical_hash:
                updates.append((version, self._content(schema, UPDATE, schema.legacy_canonical_hash, b"")))
        return updates

    def drop_at_replay(self, lost_hashes: set[str]) -> list[Version]:
        """What a replay without these contents answers: null under the key of each version that found no artifact."""
        dropped = []
        for content_hash in lost_hashes:
            del self.contents[content_hash]
        for place, versions in list(self.artifacts.items()):
            if versions[0].schema.content_hash in lost_hashes:
                for orphan in versions[1:]:
                    self.produce(orphan.key, None)
                dropped += self.artifacts.pop(place)
        return dropped

    def journal(self) -> Journal:
        """What has been written so far."""
        return Journal(TOPIC, 0, list(self.stored))
