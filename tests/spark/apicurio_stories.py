"""A small Apicurio 2.x journal told record by record, with right hashes unless a test wants wrong ones."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pyarrow as pa

from spark.detectors import Detector
from spark.dialects.apicurio_v2 import dialect
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from tests.builders import given_tables, records_table
from tests.generator.segment import SOME_TIME_MS
from tests.spark.apicurio_journals import content_value, json_record
from tests.spark.replays import replayed

REFERENCES = b'[{"groupId":"pay","artifactId":"money.proto","version":"1","name":"pay/money.proto"}]'
UPDATE = 2


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Story:
    """Records in their order. `second` sets the time of those that follow."""

    def __init__(self, first_offset: int = 0, topic: str = "kafkasql-journal") -> None:
        self.rows: list[dict[str, Any]] = []
        self.next = first_offset
        self.now_ms = SOME_TIME_MS
        self.topic = topic

    def second(self, seconds: float) -> Story:
        self.now_ms = SOME_TIME_MS + int(seconds * 1000)
        return self

    def record(self, key: bytes | None, value: bytes | None) -> Story:
        row = {"offset": self.next, "key": key, "value": value, "timestamp_ms": self.now_ms}
        self.rows.append(row)
        self.next += 1
        return self

    def skip(self, offsets: int = 1) -> Story:
        self.next += offsets
        return self

    def restart(self) -> Story:
        return self.record(json_record(0, {"bootstrapId": f"b{self.next}"}), None)

    def global_id(self, action: int = 1) -> Story:
        key = {"tenantId": "_", "uuid": f"g{self.next}"}
        return self.record(json_record(8, key), json_record(8, {"action": action}))

    def group(self, name: str, action: int = 1) -> Story:
        return self.record(
            json_record(6, {"tenantId": "_", "groupId": name}), json_record(6, {"action": action})
        )

    def content(
        self,
        content_id: int,
        content: bytes = b"text",
        references: bytes = b"",
        *,
        action: int = 1,
        content_hash: str | None = None,
        canonical: bytes | None = None,
        empty: bool = False,
    ) -> Story:
        """`canonical`: what the canonical hash is taken of; the content and its references if not said."""
        named = content_hash or sha256(content + references)
        key = json_record(2, {"tenantId": "_", "contentHash": named, "contentId": content_id})
        hashed = sha256(content + references if canonical is None else canonical).encode()
        return self.record(key, content_value(action, b"" if empty else content, references, hashed))

    def content_v2(self, content_id: int, content: bytes = b"text", references: bytes = b"") -> Story:
        value = {
            "action": 8,
            "contentHash": sha256(content + references),
            "canonicalContentHash": sha256(content + references),
            "base64Content": base64.b64encode(content).decode(),
            "serializedReferences": references.decode(),
        }
        return self.record(
            json_record(17, {"tenantId": "_", "contentId": content_id}), json_record(17, value)
        )

    def artifact(
        self, name: str, content: bytes = b"text", global_id: int = 1, *, action: int = 1, uuid: str = "",
        content_hash: str | None = None,
    ) -> Story:  # fmt: skip
        value = {"action": action, "globalId": global_id, "artifactType": "JSON"}
        value["contentHash"] = content_hash or sha256(content)
        return self.record(artifact_key(name, uuid or f"u{self.next}"), json_record(3, value))

    def artifact_null(self, name: str, uuid: str) -> Story:
        return self.record(artifact_key(name, uuid), None)

    def delete_artifact(self, name: str) -> Story:
        return self.record(artifact_key(name, f"u{self.next}"), json_record(3, {"action": 3}))

    def describe_version(self, name: str, version: str) -> Story:
        key = {"tenantId": "_", "groupId": "pay", "artifactId": name, "version": version}
        return self.record(json_record(5, key), json_record(5, {"action": 2, "metaData": {"name": "A name"}}))

    def records(self) -> pa.Table:
        return records_table(*self.rows, topic=self.topic)

    def tables(self, **others: pa.Table) -> ResultTables:
        records = self.records()
        entries = dialect.interpret(records) if dialect.interpret else records
        state, refusals = replayed(dialect, entries)
        return given_tables(
            {"records": records, "entries": entries, "state": state, "refusals": refusals, **others}
        )

    def findings(self, detector: Detector, **others: pa.Table) -> list[Finding]:
        found = [detector.describe(row) for row in detector.find(self.tables(**others))]
        for finding in found:
            assert finding.detector == detector.id
            assert json.dumps(finding.title + finding.explanation + finding.remedy)
        return found


def artifact_key(name: str, uuid: str) -> bytes:
    return json_record(3, {"tenantId": "_", "groupId": "pay", "artifactId": name, "uuid": uuid})
