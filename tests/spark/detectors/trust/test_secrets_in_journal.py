"""Secrets in plain text: named by member and offset, never shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.detectors.trust import secrets_in_journal
from spark.detectors.trust.secrets_in_journal import detector
from spark.terms.findings import Finding
from tests.builders import entries_table, files_table, other_table, records_table
from tests.spark.read_journals import findings, tables_of

SECRET = "hunter2-very-secret"


def connect(key: bytes, value: Any) -> dict[str, Any]:
    return {"key": key, "value": json.dumps(value).encode()}


def shown(finding: Finding) -> str:
    return " ".join(
        [finding.title, finding.explanation, finding.remedy, str(finding.entity), str(finding.key)]
    )


SESSION = connect(b"session-key", {"key": SECRET, "algorithm": "HmacSHA256"})
CONNECTOR = connect(b"connector-a", {"properties": {"database.password": SECRET}})


@pytest.mark.parametrize(
    ("records", "severity", "name"),
    [
        ([SESSION], "info", "session key of Connect"),
        ([CONNECTOR], "medium", "database.password"),
        ([SESSION, CONNECTOR], "medium", "database.password"),
    ],
    ids=["session key", "password", "both"],
)
def test_connects_own_secrets_are_found_and_not_shown(
    records: list[dict[str, Any]], severity: str, name: str
) -> None:
    (found,) = findings(detector, "connect", *records, topic="connect-configs")
    assert (found.severity, found.first_offset) == (severity, 0)
    assert ("secrets in plain text" in found.title) == (severity == "medium")
    assert name in found.explanation
    assert SECRET not in shown(found)


@pytest.mark.parametrize(
    "name", ["password", "db.password", "clientSecret", "client_secret", "api-key", "access_token"]
)
def test_members_of_any_json_are_found_at_any_depth(name: str) -> None:
    values = [{"id": 1}, {"list": [{"inner": {name: SECRET}}]}]
    (found,) = findings(detector, None, *({"value": json.dumps(value).encode()} for value in values))
    assert found.evidence == [1]
    assert name in found.explanation
    assert SECRET not in shown(found)


@pytest.mark.parametrize(
    "value",
    [
        {"password": "${file:/etc/db.properties:password}"}, {"password": "****"}, {"password": ""}, {"password": None},
        {"password": {"type": "string"}}, {"name": "password", "type": "string"}, {"passwordHint": "my dog"},
        {"nextPageToken": "abc"}, {"schema": '{"fields": [{"name": "password", "type": "string"}]}'},
    ],
)  # fmt: skip
def test_placeholders_masks_and_schemas_are_innocent(value: Any) -> None:
    assert findings(detector, None, {"value": json.dumps(value).encode()}) == []


def test_a_deleted_session_key_and_bytes_that_are_no_text_are_nothing() -> None:
    assert (
        findings(detector, "connect", {"key": b"session-key", "value": None}, topic="connect-configs") == []
    )
    assert findings(detector, None, {"value": b'\xff"password":"x"'}) == []


def test_what_kafka_keeps_by_design_is_a_remark() -> None:
    entries = entries_table({"entry_type": "scram", "entity_id": "alice"}, topic="__cluster_metadata")
    tables = tables_of([], {"entries": entries, "records": records_table({}, topic="__cluster_metadata")})
    (found,) = [detector.describe(row) for row in detector.find(tables)]
    assert found.severity == "info"


def test_only_the_newest_values_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [{"value": b'{"password": "a-real-one"}'}, *({"value": b"{}"} for _ in range(50))]
    assert len(findings(detector, None, *records)) == 1
    narrow = secrets_in_journal.VALUES.replace(str(secrets_in_journal.NEWEST_RECORDS), "10")
    monkeypatch.setattr(secrets_in_journal, "VALUES", narrow)
    assert findings(detector, None, *records) == []


def test_what_to_do_fits_what_was_found() -> None:
    key = connect(b"session-key", {"key": SECRET, "algorithm": "HmacSHA256"})
    password = connect(b"connector-a", {"properties": {"database.password": SECRET}})
    (of_key,) = findings(detector, "connect", key, topic="connect-configs")
    (of_both,) = findings(detector, "connect", key, password, topic="connect-configs")
    assert "The workers replace the session key automatically" in of_key.remedy
    assert "config provider" not in of_key.remedy
    assert "Change them in the systems that they give access to" in of_both.remedy
    assert "config provider" in of_both.remedy


LOGIN = {
    "type": "record",
    "name": "Login",
    "fields": [{"name": "id", "type": "string"}, {"name": "password", "type": "string"}],
}
BCRYPT = "$2b$12$" + "abcdefghijklmnopqrstuv" + "0123456789abcdefghijklmnopqrstu"


def avro(*texts: str) -> bytes:
    return b"".join(encoded_long(len(text)) + text.encode() for text in texts)


def encoded_long(number: int) -> bytes:
    zigzag = number * 2
    return bytes([zigzag]) if zigzag < 0x80 else bytes([zigzag & 0x7F | 0x80, zigzag >> 7])


def uploaded(*schemas: Any) -> dict[str, Any]:
    of = {"topic": "?", "partition": 0, "replica": ""}
    names = [
        of | {"name": f"{n}.avsc", "kind": "companion", "layout": "avro-schema"} for n in range(len(schemas))
    ]
    texts = [of | {"file": n, "name": "x", "value": json.dumps(one)} for n, one in enumerate(schemas)]
    return {"files": files_table(*names), "properties": other_table("properties", *texts)}


@pytest.mark.parametrize("frame", [b"", b"\0\0\0\0\x07"], ids=["bare", "framed"])
def test_members_that_an_uploaded_schema_reads_are_found(frame: bytes) -> None:
    (found,) = findings(detector, None, {"value": frame + avro("a", SECRET)}, extra=uploaded(LOGIN))
    assert (found.severity, found.evidence) == ("medium", [0])
    assert "password" in found.explanation
    assert SECRET not in shown(found)


def test_a_value_that_several_schemas_read_proves_nothing() -> None:
    note = {
        **LOGIN,
        "name": "Note",
        "fields": [{"name": "a", "type": "string"}, {"name": "b", "type": "string"}],
    }
    assert findings(detector, None, {"value": avro("a", SECRET)}, extra=uploaded(LOGIN, note)) == []
    assert findings(detector, None, {"value": avro("a", SECRET)}, extra=uploaded(note)) == []


@pytest.mark.parametrize(
    "value",
    [
        BCRYPT, "{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA",
        "pbkdf2_sha256$260000$salt$hash", "SCRAM-SHA-256$4096:c2FsdA==$stored:server", "5f4dcc3b5aa765d61d8327deb882cf99",
    ],
)  # fmt: skip
def test_a_hash_is_called_a_hash_and_no_secret_in_plain_text(value: str) -> None:
    (found,) = findings(detector, None, {"value": json.dumps({"password": value}).encode()})
    assert found.severity == "low"
    assert "hashes of passwords" in found.title
    assert "password (a hash)" in found.explanation
    assert "plain text" not in f"{found.title} {detector.headline([found])}"
    assert value not in shown(found)


def test_a_stored_key_is_a_hash_and_an_api_key_of_hex_digits_is_none() -> None:
    (stored,) = findings(detector, None, {"value": json.dumps({"stored_key": SECRET}).encode()})
    (key,) = findings(detector, None, {"value": json.dumps({"api_key": "ab" * 16}).encode()})
    (both,) = findings(
        detector, None, {"value": json.dumps({"api_key": "ab" * 16, "password": BCRYPT}).encode()}
    )
    assert [one.severity for one in (stored, key, both)] == ["low", "medium", "medium"]
    assert "password (a hash)" in both.explanation
