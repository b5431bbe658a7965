"""Rows of an example's table -> keys and values as the journal's service writes them, by the columns of the row.

subject               `_schemas`: SCHEMA records (version, id, schema, seq, node, value: null or soft-deleted)
entry                 `kafkasql-journal` of Apicurio Registry 2.x: `apicurio`
call                  `kafkasql-journal` of Apicurio Registry 3.x
group                 `__consumer_offsets`: "tombstone of the group", "commit of offset 120 for orders-0", "tombstone of the commit for
                      orders-0", "generation 4: m1 (app, 10.0.0.1) reads orders [0, 1]; m2 (app, 10.0.0.2) reads orders, payments",
                      "generation 5: no members", "epoch 4" or "tombstone of the epoch" of a consumer group, "tombstone of member m1"
transactional id      `__transaction_state`
record, topic id      `__cluster_metadata`
share group           `__share_group_state`: "snapshot 4", "update 4", "tombstone"
checkpoint            MirrorMaker's checkpoints: "billing at us.orders-0", with its upstream and downstream offset
remote segment        `__remote_log_metadata`: a state (COPY_SEGMENT_FINISHED), the minute after the first
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tests.generator import groups
from tests.generator import remote_log as remote
from tests.generator import share_state as share
from tests.generator.segment import Record
from tests.spark import controller_records as controller
from tests.spark.examples.apicurio import apicurio

Row = Mapping[str, str]
Headers = list[tuple[bytes, bytes | None]]
Encoded = tuple[bytes | None, bytes | None, Headers]
STATES = ("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "Dead")
REMOTE_STATES = (
    "COPY_SEGMENT_STARTED",
    "COPY_SEGMENT_FINISHED",
    "DELETE_SEGMENT_STARTED",
    "DELETE_SEGMENT_FINISHED",
)
TIMEOUT_MS = 60_000
COMMIT = re.compile(r"(?:commit of offset (\d+)|tombstone of the commit) for (.+)-(\d+)")
GENERATION = re.compile(r"generation (\d+): (.+)")
CHECKPOINT = re.compile(r"(.+) at (.+)-(\d+)")
MEMBER = re.compile(r"(\S+) \((\S+), (\S+)\) reads ([^\[]+)(?: \[([\d, ]+)\])?")


def is_journal(row: Row) -> bool:
    """Whether the columns are those of a service's journal."""
    return column_of(row) is not None


def column_of(row: Row) -> str | None:
    """The column that says of which journal the rows are."""
    return next((name for name in JOURNALS if name in row), None)


def topic_of(row: Row) -> str:
    """The topic of such rows."""
    column = column_of(row)
    return JOURNALS[column][0] if column else "orders"


def encoded(row: Row) -> Encoded:
    """Key, value and headers of a record."""
    column = column_of(row)
    assert column is not None
    return JOURNALS[column][1](row)


def compact(members: Mapping[str, Any]) -> bytes:
    """JSON as the registries write it."""
    return json.dumps(members, separators=(",", ":")).encode()


def schema(row: Row) -> Encoded:
    """A SCHEMA record, of Redpanda where it has a seq; a NOOP where its subject is NOOP."""
    if row["subject"] == "NOOP":
        return compact({"keytype": "NOOP", "magic": 0}), None, []
    subject, version = row["subject"], int(row["version"])
    key: dict[str, Any] = {"keytype": "SCHEMA", "subject": subject, "version": version, "magic": 1}
    key |= {name: int(row[name]) for name in ("seq", "node") if row.get(name)}
    said = row.get("value", "")
    assert said in {"", "a schema", "null", "soft-deleted"}, said
    if said == "null":
        return compact(key), None, origin(row)
    value: dict[str, Any] = {"subject": subject, "version": version, "id": int(row.get("id") or 1)}
    if row.get("refers to"):
        name, _, its_version = row["refers to"].partition(" version ")
        value["references"] = [{"name": name, "subject": name, "version": int(its_version)}]
    value |= {"schema": schema_text(row), "deleted": said == "soft-deleted"}
    return compact(key), compact(value), origin(row)


def schema_text(row: Row) -> str:
    """The schema's own text: "record Green" is an Avro record of this name."""
    name = row.get("schema", "record R").removeprefix("record ")
    return compact({"type": "record", "name": name, "fields": []}).decode()


def origin(row: Row) -> Headers:
    """The headers that Karapace writes, where the row names its host."""
    host = row.get("host", "")
    return [(b"X-Registry-Version", b"karapace-3.9.0"), (b"X-Origin-Host", host.encode())] if host else []


def call(row: Row) -> Encoded:
    """A call of Apicurio Registry 3.x; column `value`: its JSON."""
    name = row["call"]
    uuid = hashlib.sha256(repr(sorted(row.items())).encode()).hexdigest()[:32]
    key = {"uuid": uuid, "messageType": name, "partitionKey": "__GLOBAL_PARTITION__"}
    value = None if name == "Bootstrap" else (row.get("value") or "{}").encode()
    return compact(key), value, [(b"req", b"1"), (b"mt", name.encode())]


def text(value: str) -> bytes:
    """A string with its length."""
    return struct.pack(">h", len(value)) + value.encode()


def group(row: Row) -> Encoded:
    """What is written about a group; `{offset}` in its name makes each row of a range another group."""
    group_id = row["group"].replace("{offset}", row["offset"])
    if row["what"] == "tombstone of the group":
        return struct.pack(">h", 2) + text(group_id), None, []
    if row["what"] == "a member joins":
        value = (
            struct.pack(">h", 3)
            + text("consumer")
            + struct.pack(">ih", 1, -1)
            + struct.pack(">hqi", -1, 0, 0)
        )
        return struct.pack(">h", 2) + text(group_id), value, []
    if made := of_members(group_id, row["what"]):
        return *made, []
    committed = COMMIT.fullmatch(row["what"])
    assert committed, row["what"]
    offset, topic, partition = committed.groups()
    at = SOME_COMMIT_MS + 1000 * int(row["offset"])
    if row.get("time"):
        at = int(
            datetime.fromisoformat(f"2024-02-08 {row['time']}"[-19:]).replace(tzinfo=UTC).timestamp() * 1000
        )
    return *groups.commit(group_id, topic, int(partition), int(offset) if offset else None, at, -1), []


def of_members(group_id: str, what: str) -> groups.Pair | None:
    """A generation of a classic group, an epoch of a consumer group, a member's tombstone."""
    if generation := GENERATION.fullmatch(what):
        number, named = generation.groups()
        members = [] if named == "no members" else map(member, named.split("; "))
        return groups.generation(group_id, int(number), *members)
    if what.startswith("tombstone of member "):
        return groups.consumer_member(group_id, what.removeprefix("tombstone of member "))
    if what == "tombstone of the epoch":
        return groups.epoch(group_id, None)
    return groups.epoch(group_id, int(what.removeprefix("epoch "))) if what.startswith("epoch ") else None


def member(said: str) -> groups.Member:
    """`m1 (app, 10.0.0.1) reads orders, payments [0, 1]`: these partitions of the first topic."""
    match = MEMBER.fullmatch(said)
    assert match, said
    id, client, host, topics, partitions = match.groups()
    read = tuple(topics.split(", "))
    assigned = {read[0]: [int(number) for number in partitions.split(", ")]} if partitions else {}
    return groups.Member(id, client, host, read, assigned)


SOME_COMMIT_MS = 1_707_350_400_000


def transaction(row: Row) -> Encoded:
    """A state of a transactional id, with one partition while it is under way."""
    status = STATES.index(row["state"])
    partitions = [text("orders") + struct.pack(">ii", 1, 0)] if row["state"] not in {"Empty", "Dead"} else []
    name = row["transactional id"].replace("{offset}", row["offset"])
    at = SOME_COMMIT_MS + 1000 * int(row["offset"])
    epoch = int(row.get("producer_epoch") or 0)
    if row.get("transaction version"):
        version = int(row["transaction version"])
        value = (
            struct.pack(">hqhib", 1, 7, epoch, TIMEOUT_MS, status)
            + b"\x02"
            + groups.compact("orders")
            + struct.pack(">bib", 2, 0, 0)
        )
        value += struct.pack(">qq", at, SOME_COMMIT_MS) + b"\x01\x02\x02" + struct.pack(">h", version)
        return struct.pack(">h", 0) + text(name), value, []
    value = struct.pack(">hqhibi", 0, 7, epoch, TIMEOUT_MS, status, len(partitions)) + b"".join(partitions)
    return (
        struct.pack(">h", 0) + text(name),
        value + struct.pack(">qq", at, SOME_COMMIT_MS),
        [],
    )


def metadata(row: Row) -> Encoded:
    """A record of the controllers: `Topic orders`, `Partition 0`, `Partition 0 on 1 and 3`, `Offline 0`, `Remove`, by the topic's id, `Broker 3`,
    `Unfence 3`, `Unregister 3`, `ZkMigration 1`, `Config orders retention.ms 1000`, `NoOp`."""
    kind, _, name = row["record"].partition(" ")
    id = hashlib.md5(row["topic id"].encode()).digest()
    number, _, brokers = name.partition(" on ")
    on = [int(broker) for broker in brokers.split(" and ")] if brokers else [1]
    incarnation = hashlib.md5(row["offset"].encode()).digest()
    made = {
        "Topic": lambda: controller.topic(name, id),
        "Remove": lambda: controller.remove_topic(id),
        "Partition": lambda: controller.partition(int(number), id, on[0], on),
        "Offline": lambda: controller.new_leader(-1, int(number), id),
        "Broker": lambda: controller.broker(int(number), incarnation=incarnation),
        "Unfence": lambda: controller.unfence(int(number)),
        "Unregister": lambda: controller.unregister(int(number)),
        "Config": lambda: controller.config(*name.split()[1:], name.split()[0]),
        "ZkMigration": lambda: controller.zk_migration(int(number)),
        "NoOp": lambda: controller.NO_OP,
    }
    return None, made[kind](), []


def of_record(record: Record) -> Encoded:
    """Key and value of a generated record."""
    return record.key, record.value, []


def share_group(row: Row) -> Encoded:
    """A snapshot or update of a share partition with its epoch, or its tombstone."""
    what, _, epoch = row["record"].partition(" ")
    made = {"snapshot": share.snapshot, "update": share.update}
    if what == "tombstone":
        return of_record(share.tombstone(row["share group"]))
    return of_record(made[what](int(epoch), group=row["share group"]))


def checkpoint(row: Row) -> Encoded:
    """A group's place in a mirrored partition."""
    named = CHECKPOINT.fullmatch(row["checkpoint"])
    assert named, row["checkpoint"]
    group_id, topic, partition = named.groups()
    value = struct.pack(">hqq", 0, int(row["upstream"]), int(row["downstream"])) + text("")
    return text(group_id) + text(topic) + struct.pack(">i", int(partition)), value, []


def remote_segment(row: Row) -> Encoded:
    """An event of a segment of orders-3."""
    at = SOME_COMMIT_MS + 60_000 * int(row.get("minute") or 0)
    state = REMOTE_STATES.index(row["state"])
    if state == remote.COPY_STARTED:
        return of_record(remote.started(row["remote segment"], timestamp_ms=at))
    return of_record(remote.update(state, row["remote segment"], timestamp_ms=at))


JOURNALS = {
    "share group": ("__share_group_state", share_group),
    "checkpoint": ("us.checkpoints.internal", checkpoint),
    "remote segment": ("__remote_log_metadata", remote_segment),
    "subject": ("_schemas", schema),
    "entry": ("kafkasql-journal", apicurio),
    "call": ("kafkasql-journal", call),
    "group": ("__consumer_offsets", group),
    "transactional id": ("__transaction_state", transaction),
    "topic id": ("__cluster_metadata", metadata),
}
