"""Records of every dialect as its service writes them, and what chance makes of them."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from random import Random
from typing import Any

from tests.generator import remote_log as remote
from tests.generator import share_state as share
from tests.generator import streams
from tests.generator.journal import Stored
from tests.spark import controller_records as controller
from tests.spark.detectors.groups.coordinator_logs import commit, consumer_group, group, text
from tests.spark.dialects.schema_registry import journals as schemas
from tests.spark.read_journals import call
from tests.spark.registry_histories import Clients

Record = dict[str, Any]
DEEP = "[" * 600 + "]" * 600
STRANGE: list[Any] = [
    None, True, -1, 1 << 63, 10**30, 1.5, 1e308, "", "null", "a/b/c", "\x00", "é\U0001f600", "9" * 5000, "²", [], [1], {}, {"a": []},
]  # fmt: skip


def as_json(key: Any, value: Any) -> Record:
    """A key and a value as JSON; text and null as they are."""
    return {
        name: part.encode() if isinstance(part, str) else part if part is None else json.dumps(part).encode()
        for name, part in (("key", key), ("value", value))
    }


def transaction() -> list[Record]:
    """Versions 0 and 1 of a transaction's state, and its tombstone."""
    key = struct.pack(">hh", 0, 4) + b"till"
    head, tail = struct.pack(">qhib", 7, 2, 60_000, 1), struct.pack(">qq", 2000, 1000)
    old = b"\x00\x00" + head + struct.pack(">ih", 1, 1) + b"t" + struct.pack(">ii", 1, 3) + tail
    new = (
        b"\x00\x01"
        + head
        + b"\x02\x02t\x02"
        + struct.pack(">i", 3)
        + b"\x00"
        + tail
        + b"\x01\x00\x08"
        + b"\x00" * 8
    )
    return [{"key": key, "value": value} for value in (old, new, None)]


def mirror() -> list[Record]:
    """A checkpoint, an offset sync, a heartbeat."""
    return [
        {"key": text("billing") + text("east.orders") + b"\0\0\0\3", "value": struct.pack(">hqq", 0, 120, 80) + text("")},
        {"key": text("orders") + b"\0\0\0\3", "value": struct.pack(">qq", 120, 80)},
        {"key": text("east") + text("west"), "value": struct.pack(">hq", 0, 1_700_000_000_000)},
    ]  # fmt: skip


def apicurio_2() -> list[Record]:
    """What clients of a registry 2.x bring about."""
    stored: list[Stored] = Clients(1, careful=False).live(60)
    return [{"key": one.record.key, "value": one.record.value} for one in stored]


def apicurio_3() -> list[Record]:
    """Calls of a registry 3.x."""
    body = {
        "groupId": "g",
        "artifactId": "a",
        "artifactType": "AVRO",
        "content": '"string"',
        "references": [],
    }
    return [
        call("Bootstrap", 0),
        call("CreateArtifact11Message", 1, **body),
        call("CreateArtifactVersion10Message", 2, **body, version="2"),
        call("CreateGlobalRule2Message", 3, ruleType="VALIDITY", config={"configuration": "FULL"}),
        call("DeleteArtifact2Message", 4, groupId="g", artifactId="a"),
    ]  # fmt: skip


def connect() -> list[Record]:
    """A connector's settings, its task, its offsets, its status."""
    pairs: list[tuple[str, Any]] = [
        ("connector-a", {"properties": {"connector.class": "x", "tasks.max": "1"}}), ("task-a-0", {"properties": {"a": "b"}}),
        ("commit-a", {"tasks": 1}), ("target-state-a", {"state": "PAUSED", "state.v2": "STOPPED"}), ("tasks-fencing-a", {"task-count": 2}),
        ('["a",{"db":"x"}]', {"position": 1}), ("status-task-a-0", {"state": "FAILED", "trace": "at x", "worker_id": "w", "generation": 3}),
        ("status-topic-t:connector-a", {"topic": {"name": "t", "connector": "a", "task": 0, "discoverTimestamp": 5}}),
        ("session-key", {"key": "c2VjcmV0", "algorithm": "HmacSHA256", "creation-timestamp": 5}), ("connector-a", None),
    ]  # fmt: skip
    return [as_json(*pair) for pair in pairs]


def debezium() -> list[Record]:
    """A table's life."""
    shape = {
        "columns": [{"name": "id", "typeName": "INT", "typeExpression": "INT"}],
        "primaryKeyColumnNames": ["id"],
    }
    shared = {
        "source": {"server": "s"},
        "position": {"pos": 4},
        "ts_ms": 5,
        "databaseName": "shop",
        "ddl": "CREATE TABLE t",
    }
    changes = [
        {"type": kind, "id": '"shop"."t"', "table": shape, "previousId": '"shop"."s"'}
        for kind in ("CREATE", "ALTER", "DROP")
    ]
    return [as_json(None, {**shared, "tableChanges": [change]}) for change in changes]  # fmt: skip


def ksqldb() -> list[Record]:
    """A stream, a query on it, their ends."""
    orders = {"statement": "CREATE STREAM ORDERS (ID INT)", "version": 12, "streamsProperties": {"a": "b"}}
    totals = {"statement": "CREATE TABLE T AS SELECT", "plan": {"queryPlan": {"queryId": "CTAS_T_1"}}}
    return [
        as_json('"stream/`ORDERS`/create"', orders), as_json('"table/`T`/create"', totals),
        as_json('"stream/`ORDERS`/alter"', {"statement": "ALTER"}), as_json('"terminate/CTAS_T_1/execute"', {"statement": "TERMINATE"}),
        as_json('"stream/`ORDERS`/drop"', {"statement": "DROP STREAM ORDERS"}),
    ]  # fmt: skip


def schema_registry() -> list[Record]:
    """The record types of the three registries."""
    references = [{"name": "m", "subject": "s", "version": 1}]
    pairs = [
        schemas.schema(), schemas.schema("s", 2, 2, "message M {}", schemaType="PROTOBUF", references=references, offset=1, ts=2),
        schemas.config(seq=2, node=1), schemas.delete_subject(seq=3, node=1), schemas.tombstone(), schemas.tombstone(empty=True),
        (schemas.key("MODE"), b'{"mode":"READONLY"}'), (schemas.key("CONTEXT", context=".c"), b'{"context":".c"}'),
    ]  # fmt: skip
    return [{"key": key, "value": value} for key, value, *_ in pairs]


def metadata() -> list[Record]:
    """What controllers write."""
    values = [
        controller.topic(), controller.partition(), controller.new_leader(2), controller.config("a", "b"), controller.broker(),
        controller.unfence(), controller.scram(), controller.BEGIN, controller.END, controller.ABORT, controller.NO_OP,
        controller.remove_topic(),
    ]  # fmt: skip
    return [{"key": None, "value": value} for value in values]


def groups() -> list[Record]:
    """Commits and groups, and their tombstones."""
    records = [
        commit(7),
        group(),
        consumer_group(),
        commit(None),
        group(deleted=True),
        consumer_group(deleted=True),
    ]
    return [{"key": key, "value": value} for key, value, _ in records]  # fmt: skip


def shares() -> list[Record]:
    """A share partition: snapshot, update, tombstone."""
    records = [share.snapshot(1, 5, [(5, 9, 0, 1)]), share.update(1, 6, [(6, 7, 2, 1)]), share.tombstone()]
    return [{"key": one.key, "value": one.value} for one in records]


def remote_segments() -> list[Record]:
    """A segment's life, and a partition's end."""
    records = [
        remote.started(), remote.update(remote.COPY_FINISHED), remote.update(remote.DELETE_STARTED),
        remote.update(remote.DELETE_FINISHED), remote.partition_deletion(remote.MARKED), remote.partition_deletion(remote.FINISHED),
    ]  # fmt: skip
    return [{"key": None, "value": one.value} for one in records]


def windows() -> list[Record]:
    """A window, a duplicate in it, a session, and its end."""
    records = [streams.window(), streams.window(sequence=7), streams.session(), streams.session(value=None)]
    return [{"key": one.key, "value": one.value} for one in records]


def buffered() -> list[Record]:
    """Results in a suppress buffer, and one that was sent on."""
    records = [streams.buffered(), streams.buffered(prior=b"40", old=b"41"), streams.sent_on()]
    return [{"key": one.key, "value": one.value, "headers": streams.header_rows(one)} for one in records]


def joins() -> list[Record]:
    """Records that wait for a partner, and one that has found it."""
    records = [streams.waiting(), streams.waiting(b"42", b"43", side=0), streams.waiting(is_joined=True)]
    return [{"key": one.key, "value": one.value} for one in records]


def versions() -> list[Record]:
    """Values of a key by their times."""
    return [
        {"key": b"a", "value": value, "timestamp_ms": time_ms}
        for value, time_ms in ((b"1", 20), (b"2", 10), (None, 30))
    ]


REAL: dict[str, Callable[[], list[Record]]] = {
    "apicurio-v2": apicurio_2, "apicurio-v3": apicurio_3, "cluster-metadata": metadata, "connect": connect,
    "consumer-offsets": groups, "debezium-history": debezium, "ksqldb-commands": ksqldb, "mirror-maker": mirror,
    "remote-log-metadata": remote_segments, "schema-registry": schema_registry, "share-group-state": shares,
    "streams-joins": joins, "streams-suppress": buffered, "streams-versioned": versions, "streams-windows": windows, "transaction-state": transaction,
}  # fmt: skip


def mutant(random: Random, record: Record) -> Record:
    """A record with one of its parts cut, flipped, spliced, or with a strange member."""
    part = random.choice([name for name in ("key", "value") if record[name]] or ["value"])
    return {**record, part: random.choice([cut, flipped, spliced, odd])(random, record[part] or b"{}")}


def cut(random: Random, whole: bytes) -> bytes:
    """The head of it."""
    return whole[: random.randrange(len(whole))]


def flipped(random: Random, whole: bytes) -> bytes:
    """Some bits the other way."""
    content = bytearray(whole)
    for _ in range(random.randrange(1, 4)):
        content[random.randrange(len(whole))] ^= 1 << random.randrange(8)
    return bytes(content)


def spliced(random: Random, whole: bytes) -> bytes:
    """A stretch replaced by what length fields and parsers like least."""
    at = random.randrange(len(whole))
    put = random.choice(
        [b"", b"\xff" * 4, b"\x7f\xff\xff\xff", b"\x80" * 10, b"\x00" * 8, b"{", DEEP.encode()]
    )
    return whole[:at] + put + whole[at + random.randrange(6) :]


def odd(random: Random, whole: bytes) -> bytes:
    """A member, however deep, of another kind or missing; of what is no JSON, a cut."""
    head = 0 if whole[:1] in b'{["' else 1  # Apicurio Registry 2.x puts a byte before it
    try:
        document = json.loads(whole[head:])
    except ValueError:
        return cut(random, whole)
    members = list(places(document))
    if not members:
        return whole[:head] + json.dumps(random.choice(STRANGE)).encode()
    holder, name = random.choice(members)
    if random.random() < 0.2:
        del holder[name]
    else:
        holder[name] = random.choice([*STRANGE, json.loads(DEEP)])
    return whole[:head] + json.dumps(document).encode()


def places(document: Any) -> list[tuple[Any, Any]]:
    """Every member within a document: what holds it, and under which name."""
    names = (
        list(document)
        if isinstance(document, dict)
        else range(len(document) if isinstance(document, list) else 0)
    )
    own = [(document, name) for name in names]
    return own + [place for name in names for place in places(document[name])]  # fmt: skip
