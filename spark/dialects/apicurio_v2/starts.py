"""A start of the registry: what it writes, and its state then.

    up to 2.5.8   Bootstrap (no value); nulls; an UPDATE without content per Protobuf version whose canonical hash
                  differs from that of Wire's text without the references
    2.5.9 on      Upgrader BOOTSTRAP; nulls; and where no upgrade was committed to the topic: TRY_LOCK, HEARTBEAT,
                  a ContentV2 for each content with references, Protobuf or Avro whose canonical hash changed, another
                  for each whose content hash changed, COMMIT_AND_UNLOCK

Nulls have the keys of the Artifact records that failed (artifacts.NULLED), in log order. Contents are in order of tenant and
contentId (the query is DISTINCT), empty UPDATEs in order of the versions' globalIds.
Source: KafkaSqlUpgraderManager.java, AbstractReferences{Canonical,Content}HashUpgrader.java, KafkaSqlSink.java,
KafkaSqlProtobufCanonicalizerUpgrader.java; compared with real starts of 2.5.8.Final and 2.6.13.Final.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from spark.dialects import LogRecord, ReadableLog, ReleaseCannotStart, Started, StartWrite
from spark.dialects._history import Rejections, ReplayRun
from spark.dialects.apicurio_v2 import registry as r
from spark.dialects.apicurio_v2.canonical import CanonicalTexts, of_type
from spark.dialects.apicurio_v2.content import content_bytes, content_v2, content_value
from spark.dialects.apicurio_v2.hashes import sha256
from spark.dialects.apicurio_v2.interpret import read_record
from spark.dialects.apicurio_v2.message_types import BOOTSTRAP, CONTENT, UPDATE, UPGRADER, message
from spark.dialects.apicurio_v2.registry import Content, Registry, Version
from spark.dialects.apicurio_v2.releases import Release, release
from spark.dialects.apicurio_v2.replay import apply_entry, read_all, settle
from spark.tables.replica import PartitionReplica

UPGRADE_BOOTSTRAP, TRY_LOCK, COMMIT, HEARTBEAT = 9, 10, 12, 13
TARGET_TOPIC_VERSION = 2
COMPACT_KEY = message(UPGRADER, {"uuid": "compact"})
UPGRADED_TYPES = ("PROTOBUF", "AVRO")  # others only with references
FAILED = "the registry rejects the record at this key and writes a tombstone for its key"


def start(log: ReadableLog, text: str) -> Started:
    """The registry of a release starts on a log. Raises ReleaseCannotStart if it cannot read it."""
    try:
        started = release(text)
    except ValueError as problem:
        raise ReleaseCannotStart(str(problem)) from problem
    history = Rejections(ReplayRun(PartitionReplica("", 0, "")), lambda *_: None)
    registry = Registry(history, started)
    read_all(registry, log.entries())
    if registry.upgrader_at is not None and not started.upgrades:
        raise ReleaseCannotStart(
            f"Apicurio Registry {started} does not read this journal: its consumer stops at the first Upgrader record, "
            "which 2.5.9 or later wrote. Start 2.5.9 or later."
        )
    writes = tuple(Start(registry, log, started).writes())
    for position, write in enumerate(writes, start=len(log)):
        kind, action, _, attributes, _, _ = read_record(write.record.key, write.record.value)
        apply_entry(registry, position, kind, action, attributes)
    settle(registry)
    return Started(writes, history.state, history.rejected)


@dataclass
class Start:
    """One start on a registry that was read."""

    registry: Registry
    log: ReadableLog
    release: Release
    name: str = field(default_factory=lambda: str(uuid.uuid4()))

    def writes(self) -> Iterator[StartWrite]:
        yield (
            self.upgrader(UPGRADE_BOOTSTRAP, "Upgrader BOOTSTRAP")
            if self.release.upgrades
            else self.bootstrap()
        )
        yield from self.nulls()
        if self.release.upgrades and self.registry.topic_version < TARGET_TOPIC_VERSION:
            yield from self.upgrade()
        if self.release.empties_contents:
            yield from self.empty_updates()

    def bootstrap(self) -> StartWrite:
        """The mark that releases before 2.5.9 write at each start."""
        key = message(BOOTSTRAP, {"bootstrapId": self.name})
        return StartWrite(LogRecord(key, None), "Bootstrap", "every start writes it")

    def upgrader(self, action: int, description: str, version: int | None = None) -> StartWrite:
        """A record of the upgrade; all share one key except the commit."""
        key = COMPACT_KEY
        if action == COMMIT:
            key = message(UPGRADER, {"uuid": str(uuid.uuid4())})
        members: dict[str, Any] = {"action": action, "upgraderUUID": self.name}
        if version is not None:
            members["version"] = version
        return StartWrite(LogRecord(key, message(UPGRADER, members)), description, "part of every start")

    def nulls(self) -> Iterator[StartWrite]:
        """A null record for each record that failed with "already exists" or "not found"."""
        for position in self.registry.failed:
            key = self.log.key(position)
            yield StartWrite(LogRecord(key, None), "Artifact null", FAILED, position)

    def upgrade(self) -> Iterator[StartWrite]:
        """The topic's only upgrade, from version 1 to 2."""
        yield self.upgrader(TRY_LOCK, "Upgrader TRY_LOCK", TARGET_TOPIC_VERSION)
        yield self.upgrader(HEARTBEAT, "Upgrader HEARTBEAT")
        upgraded = [content for content in self.used() if self.is_upgraded(content)]
        for used in upgraded:
            if used.gets_canonical_hash:
                yield self.content_v2(used, used.content.content_hash)
        for used in upgraded:
            content_hash = sha256(used.text + used.references)
            if used.references and content_hash != used.content.content_hash:
                yield self.content_v2(used, content_hash)
        yield self.upgrader(COMMIT, "Upgrader COMMIT_AND_UNLOCK", TARGET_TOPIC_VERSION)

    def is_upgraded(self, used: UsedContent) -> bool:
        return bool(used.references) or used.artifact_type in UPGRADED_TYPES

    def content_v2(self, used: UsedContent, content_hash: str) -> StartWrite:
        """A content written again under its id."""
        content = used.content
        key, value = content_v2(
            content.tenant, content.content_id, content_hash, used.canonical_hash, used.text, used.references
        )
        why = f"the hashes of content {content.content_id} are computed differently since 2.5.9"
        return StartWrite(LogRecord(key, value), f"ContentV2 {content.content_id}", why, content.offset)

    def empty_updates(self) -> Iterator[StartWrite]:
        """For each Protobuf version whose canonical hash differs from the computed one: an UPDATE without content."""
        for used in self.of_each_version():
            if used.artifact_type == "PROTOBUF" and used.gets_empty_update:
                yield self.empty_update(used, sha256(of_type("PROTOBUF", used.text).texts[0]))

    def empty_update(self, used: UsedContent, canonical_hash: str) -> StartWrite:
        """A Content UPDATE without content, under the content's key."""
        content = used.content
        references = used.references if self.release.keeps_references else b""
        key = self.log.key(content.offset)
        if key[:1] != bytes([CONTENT]):
            members = {"tenantId": content.tenant, "contentHash": content.content_hash}
            key = message(CONTENT, members | {"contentId": content.content_id})
        record = LogRecord(key, content_value(UPDATE, canonical_hash, b"", references))
        description = f"Content UPDATE {content.content_id} without content"
        why = f"the stored canonical hash of content {content.content_id} is not the hash that {self.release} computes"
        return StartWrite(record, description, why, content.offset)

    def used(self) -> list[UsedContent]:
        """Each content in use, once per artifact type."""
        distinct = {(id(used.content), used.artifact_type): used for used in self.of_each_version()}
        return sorted(
            distinct.values(), key=lambda used: (used.content.tenant, number(used.content.content_id))
        )

    def of_each_version(self) -> Iterator[UsedContent]:
        """The content of each version, by global id."""
        versions = [
            version for artifact in self.registry.artifacts.values() for version in artifact.versions.values()
        ]
        for version in sorted(versions, key=lambda version: number(version.global_id)):
            yield self.content_of(version)

    def content_of(self, version: Version) -> UsedContent:
        content, history = version.content, self.registry.history
        name = r.entity_id(*version.artifact, version.number)
        artifact_type = str(history.attributes("version", name).get("artifactType") or "")
        attributes = history.attributes("content", r.entity_id(content.tenant, content.content_id))
        text, references = content_bytes(self.log.value(content.offset) or b"", content.content_hash)
        canonical_hash = str(attributes.get("canonicalHash") or "")
        return UsedContent(content, artifact_type, text, references, canonical_hash)


@dataclass(frozen=True)
class UsedContent:
    """A content in use, with its bytes."""

    content: Content
    artifact_type: str
    text: bytes
    references: bytes
    stored_canonical_hash: str

    @property
    def canonical_hash(self) -> str:
        """As 2.5.9 and later compute it, if it can be computed here."""
        texts = of_type(self.artifact_type, self.text).texts
        return sha256((texts[0] if texts else self.text) + self.references)

    @property
    def gets_canonical_hash(self) -> bool:
        """Whether 2.5.9 and later compute a canonical hash that differs from the stored one. If it cannot be computed here: whether
        the stored one has an outdated form."""
        canonical, stored = of_type(self.artifact_type, self.text), self.stored_canonical_hash
        if stored in {sha256(text + self.references) for text in canonical.texts}:
            return False
        if canonical.is_certain:
            return True
        return self.is_outdated(canonical) or bool(self.references and self.content.is_rehashed)

    @property
    def gets_empty_update(self) -> bool:
        """Whether 2.1.3 to 2.5.8 compute a canonical hash that differs from the stored one. If it cannot be computed here: whether
        the stored one is likely to include the references, which they leave out."""
        canonical, stored = of_type(self.artifact_type, self.text), self.stored_canonical_hash
        if stored in {sha256(text) for text in canonical.texts}:
            return False
        if canonical.is_certain or self.is_outdated(canonical):
            return True
        return bool(self.references and not self.content.is_rehashed)

    def is_outdated(self, canonical: CanonicalTexts) -> bool:
        """Whether the stored hash is of a text that earlier releases computed."""
        return self.stored_canonical_hash in {
            sha256(text + tail) for text in canonical.outdated for tail in (b"", self.references)
        }


def number(identifier: object) -> tuple[int, str]:
    """Sort key: numeric ids as numbers, as a database orders them."""
    return (identifier, "") if isinstance(identifier, int) else (1 << 62, str(identifier))
