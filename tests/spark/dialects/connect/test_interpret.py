"""Keys and values of Connect's topics, secrets, and what a worker ignores."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.dialects.connect.interpret import read_record

CONNECTOR = {"properties": {"connector.class": "x", "name": "a"}}


def read(key: str, value: Any) -> tuple[Any, ...]:
    text = None if value is None else json.dumps(value).encode()
    entry_type, action, entity_id, attributes, error, _ = read_record(key.encode(), text)
    return entry_type, action, entity_id, json.loads(attributes or "null"), error


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("connector-file-src", CONNECTOR, ("connector", "set", "file-src")),
        ("task-file-src-10", CONNECTOR, ("task", "set", "file-src/10")),
        ("commit-file-src", {"tasks": 2}, ("commit", "commit", "file-src")),
        ("target-state-a", {"state": "PAUSED", "state.v2": "STOPPED"}, ("target-state", "set", "a")),
        ("tasks-fencing-a", {"task-count": 2}, ("tasks-fencing", "set", "a")),
        ("restart-connector-a", {"include-tasks": True}, ("restart-connector", "request", "a")),
        ("logger-cluster-org.x", {"level": "DEBUG"}, ("logger", "set", "org.x")),
        ("status-connector-a-b", {"state": "RUNNING"}, ("connector-status", "RUNNING", "a-b")),
        ("status-task-a-b-3", {"state": "FAILED"}, ("task-status", "FAILED", "a-b/3")),
        ("status-topic-t:connector-a", {"topic": {}}, ("topic-status", "set", "a/t")),
        ("connector-a", None, ("connector", "delete", "a")),
    ],
)  # fmt: skip
def test_a_key_says_what_the_record_is_about(key: str, value: Any, expected: tuple[str, ...]) -> None:
    assert read(key, value)[:3] == expected
    assert read(key, value)[4] is None


def test_one_source_partition_is_one_entity_in_whatever_order_its_members_stand() -> None:
    one, other = '["a",{"db":"x","table":"y"}]', '["a", {"table": "y", "db": "x"}]'
    assert read(one, {"position": 1})[:3] == read(other, {"position": 1})[:3]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("orders", {}), ("task-a", CONNECTOR), ("task-a-x", CONNECTOR), ("connector-", CONNECTOR),
        ("status-topic-t", {"topic": {}}), ('["a"]', {}), ('["a", "b"]', {}), ("[", {}),
        ("commit-a", {"tasks": "2"}), ("commit-a", {"tasks": True}), ("connector-a", {}), ("connector-a", [1]),
        ("session-key", {"key": 1}), ("task-a-" + "9" * 5000, CONNECTOR),
        ('["a", {"b": ' + "[" * 300 + "]" * 300 + "}]", {}),
    ],
    ids=lambda part: str(part)[:40],
)  # fmt: skip
def test_what_a_worker_ignores_says_so(key: str, value: Any) -> None:
    _, action, _, marks, error = read(key, value)
    assert action is None
    assert error
    assert marks["effect"] == "skipped"


@pytest.mark.parametrize("key", [None, b"", b"\xff\xfe"], ids=["null", "empty", "no text"])
def test_a_key_that_is_no_text_is_refused(key: bytes | None) -> None:
    assert read_record(key, b"{}")[4] is not None


def test_the_session_key_is_cut_out() -> None:
    entry_type, _, _, members, error = read(
        "session-key", {"key": "c2VjcmV0", "algorithm": "HmacSHA256", "creation-timestamp": 5}
    )
    assert (entry_type, error) == ("session-key", None)
    assert members == {"key": "[redacted]", "algorithm": "HmacSHA256", "creation-timestamp": 5}


def test_secrets_of_a_connector_are_cut_out_and_nothing_else() -> None:
    properties = {
        "connection.password": "hunter2",
        "database.password": "${file:/etc/db.properties:password}",
        "value.converter.basic.auth.user.info": "me:hunter2",
        "aws.secret.access.key": "hunter2",
        "ssl.keystore.key": "hunter2",
        "producer.override.sasl.jaas.config": 'org.x.PlainLoginModule required username="me" password="hunter2";',
        "connection.url": "jdbc:postgresql://me:hunter2@db:5432/x?user=me&password=hunter2&ssl=true",
        "sasl.oauthbearer.token.endpoint.url": "https://issuer/token",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "tasks.max": "3",
        "errors.deadletterqueue.topic.name": "dlq",
    }
    members = read("connector-a", {"properties": properties})[3]["properties"]
    assert "hunter2" not in json.dumps(members)
    kept = {name for name in properties if members[name] == properties[name]}
    assert kept == {
        "database.password", "sasl.oauthbearer.token.endpoint.url", "key.converter", "tasks.max",
        "errors.deadletterqueue.topic.name",
    }  # fmt: skip
    assert (
        members["connection.url"]
        == "jdbc:postgresql://me:[redacted]@db:5432/x?user=me&password=[redacted]&ssl=true"
    )


@pytest.mark.parametrize("value", [b"null", b" null\n"])
@pytest.mark.parametrize("key", [b"connector-a", b"task-a-0", b"commit-a", b"status-connector-a-b"])
def test_the_text_null_is_a_null_to_a_worker(key: bytes, value: bytes) -> None:
    assert read_record(key, value) == read_record(key, None)
    assert read_record(key, b'"null"')[4] is not None
