"""Journals full of marks, inspected for real: what detectors, dialects and sources say of them leaks nothing either."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark.redaction import Options, Selection, redact
from tests.generator.segment import Record, segment, segment_name
from tests.webapp.sharing.marked import found_in
from tests.webapp.sharing.planted.answers import stored_in
from tests.workers.commands import manage

pytestmark = [pytest.mark.spark, pytest.mark.slow]
MARKS = tuple(
    f"Zq7{name}Mark"
    for name in (
        "Key",
        "Value",
        "HeaderName",
        "HeaderValue",
        "Subject",
        "Schema",
        "Member",
        "Secret",
        "Topic",
        "Copy",
    )
)
KEY, VALUE, HEADER_NAME, HEADER_VALUE, SUBJECT, SCHEMA, MEMBER, SECRET, TOPIC, COPY = MARKS


def schema_key(version: int, subject: str = SUBJECT) -> bytes:
    return json.dumps({"keytype": "SCHEMA", "subject": subject, "version": version, "magic": 1}).encode()


def schema_value(version: int, identity: int, **more: object) -> bytes:
    text = json.dumps({"type": "record", "name": SCHEMA, "fields": [{"name": MEMBER, "type": "string"}]})
    plain = {"subject": SUBJECT, "version": version, "id": identity, "schema": text, "deleted": False}
    return json.dumps(plain | more).encode()


def schemas() -> list[Record]:
    """Ids used twice, references that lead nowhere, values that cannot be read, versions written over, a gap."""
    lost = [{"name": f"{SCHEMA}.proto", "subject": f"{SUBJECT}-lost", "version": 7}]
    return [
        Record(schema_key(1), schema_value(1, 1)),
        Record(schema_key(2), schema_value(2, 1, schema=f'"{SCHEMA}"')),
        Record(schema_key(2), schema_value(2, 9, schema=f'{{"{SCHEMA}')),
        Record(schema_key(5), schema_value(5, 3, references=lost)),
        Record(schema_key(6), b'{"subject": "' + SUBJECT.encode() + b'", "' + MEMBER.encode()),
        Record(json.dumps({"keytype": MEMBER, "subject": SUBJECT, "magic": 1}).encode(), b"{}"),
        Record(f"{KEY} no json".encode(), VALUE.encode()),
        Record(schema_key(1, f"{SUBJECT}-gone"), None),
        Record(None, VALUE.encode()),
    ]


def plain() -> list[Record]:
    """Keys, values and headers of a topic that no service owns, with secrets in it."""
    headers = [(HEADER_NAME.encode(), HEADER_VALUE.encode())]
    secret = json.dumps({"password": SECRET, "aws": "AKIAIOSFODNN7EXAMPLE", MEMBER: VALUE}).encode()
    return [
        *(Record(f"{KEY}-{n % 3}".encode(), f"{VALUE} {n}".encode(), headers=headers) for n in range(20)),
        Record(KEY.encode(), secret),
        Record(KEY.encode(), b""),
        Record(KEY.encode(), None),
    ]


def connect() -> list[Record]:
    """A connector without its tasks, a task that failed with a trace."""
    trace = {"state": "FAILED", "trace": f"java.lang.Error: {VALUE}\n at {SCHEMA}", "worker_id": HEADER_VALUE}
    config = {"properties": {"name": KEY, "connection.password": SECRET, MEMBER: VALUE}}
    return [
        Record(f"connector-{KEY}".encode(), json.dumps(config).encode()),
        Record(f"task-{KEY}-0".encode(), json.dumps(config).encode()),
        Record(f"status-task-{KEY}-0".encode(), json.dumps(trace).encode()),
        Record(f"commit-{KEY}".encode(), b'{"tasks": 3}'),
    ]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The result folder of an inspection of all of them, one with a rotten byte and one cut short."""
    folder = tmp_path_factory.mktemp("marked")
    whole = {"_schemas": schemas(), TOPIC: plain(), "connect-configs": connect()}
    for topic, records in whole.items():
        home = folder / COPY / f"{topic}-0"
        home.mkdir(parents=True)
        data = bytearray(segment(records, records_per_batch=3))
        if topic == TOPIC:
            data[data.index(f"{VALUE} 7".encode())] ^= 1
            data = data[:-20]
        (home / segment_name(0)).write_bytes(data)
    (folder / COPY / f"{VALUE}.txt").write_text(f"{VALUE} is no journal")
    out = folder / "out"
    told = manage("inspect", "--json", "--out", out, folder / COPY)
    assert json.loads(told.stdout)["findings"], told.stderr
    return out


def test_the_report_itself_is_full_of_marks(results: Path) -> None:
    found = {one.split(" as ")[0] for _, data in stored_in(results) for one in found_in(data, MARKS)}
    assert set(MARKS) - found <= {HEADER_NAME, COPY}


def test_a_share_of_them_holds_none(results: Path, tmp_path: Path) -> None:
    options = Options(b"salt", names=False)
    redact(results, tmp_path / "share", options, Selection())
    leaks = [
        (where, found) for where, data in stored_in(tmp_path / "share") if (found := found_in(data, MARKS))
    ]
    assert leaks == []


def test_with_payloads_and_keys_shown_the_secrets_are_still_masked(results: Path, tmp_path: Path) -> None:
    options = Options(b"salt", payloads=True, keys=True, headers=True)
    redact(results, tmp_path / "share", options, Selection())
    told = list(stored_in(tmp_path / "share"))
    assert [where for where, data in told if found_in(data, (SECRET,))] == []
    assert any(found_in(data, (VALUE,)) for _, data in told)
