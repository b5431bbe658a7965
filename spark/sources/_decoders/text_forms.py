"""Output of kafka-dump-log's `--offsets-decoder` and `--transaction-log-decoder` up to 3.x, converted back to bytes.

    key   = "offset_commit::group=" g ",partition=" t "-" n       3.x      | "offset::" g ":" t ":" n          0.9 to 2.1
          | "group_metadata::group=" g                            2.2 on   | `{"metadata":"g"}`                0.11 to 2.1
          | "metadata::" g                                        0.10
          | "transaction_metadata::transactionalId=" id           2.2 on   | "transactionalId=" id             0.11 to 2.1
    value = "offset=" o [ ",metadata=" m ] | o [ ":" m ] | `{"protocolType":..,"protocol":..,"generationId":..,"assignment":..}`
          | protocolType ":" protocol ":" generationId ":{" .. "}"  0.10
          | "producerId:" p ",producerEpoch:" e ",state=" s ",partitions=" [..] ",txnLastUpdateTimestamp=" t ",txnTimeoutMs=" t
          | "<DELETE>"

Not printed: a commit's time (the record's is used), leader epoch and expiry; a group's leader and its members' clients
and timeouts; the start of a transaction. Source: Kafka `DumpLogSegments`, `GroupMetadataManager`
and `TransactionLog` of 0.10, 1.1, 2.8, 3.6.
"""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Any

from spark.codecs.kafka_message.write import Unwritable, write_versioned
from spark.codecs.kafka_topics.consumer_offsets import KEYS, VALUES
from spark.codecs.kafka_topics.transaction_state import KEY as TXN_KEY
from spark.codecs.kafka_topics.transaction_state import STATES
from spark.codecs.kafka_topics.transaction_state import VALUE as TXN_VALUE
from spark.sources._decoders import NotDecoded, Pair
from spark.sources._decoders.json_forms import encoded, parsed

DELETED = "<DELETE>"
COMMIT_KEYS = (
    re.compile(r"offset_commit::group=(?P<group>.*),partition=(?P<topic>.+)-(?P<partition>\d{1,19})", re.S),
    re.compile(r"offset::(?P<group>.*):(?P<topic>[\w.-]+):(?P<partition>\d{1,19})", re.S),
)
GROUP_KEY = re.compile(r"group_metadata::group=(?P<group>.*)", re.S)
OLD_GROUP_KEY = re.compile(r'\{"metadata":".*"\}', re.S)
OLDEST_GROUP_KEY = re.compile(r"metadata::(?P<group>.*)", re.S)
OLDEST_GROUP = re.compile(
    r"(?P<protocolType>[^:]*):(?P<protocol>[^:]*):(?P<generationId>-?\d+):(?P<assignment>\{.*\})", re.S
)
TXN_KEYS = re.compile(r"(?:transaction_metadata::)?transactionalId=(?P<id>.*)", re.S)
COMMITS = (
    re.compile(r"offset=(?P<offset>-?\d{1,19})(?:,metadata=(?P<metadata>.*))?", re.S),
    re.compile(r"(?P<offset>-?\d{1,19})(?::(?P<metadata>.*))?", re.S),
)
TXN = re.compile(
    r"producerId:(?P<producer>-?\d{1,19}),producerEpoch:(?P<epoch>-?\d{1,19}),state=(?P<state>\w+),partitions=(?P<partitions>.*),"
    r"txnLastUpdateTimestamp=(?P<updated>-?\d{1,19}),txnTimeoutMs=(?P<timeout>-?\d{1,19})",
    re.S,
)
ASSIGNED = re.compile(
    r"(?P<member>[^,={}]+)=(?:\[(?P<partitions>[^\]]*)\](?::(?P<user>[0-9A-F]+))?|(?P<bytes>[0-9A-F]*))"
)
COMMIT_MISSING = "commit times (the record's own time stands in), leader epochs and expiry of commits"
GROUP_MISSING = "leaders of groups, and clients, hosts, timeouts and subscriptions of their members"
TXN_MISSING = "when transactions began"
# Bytes of a commit's value beside its metadata: the version is the one that has the printed size.
COMMIT_SIZES = {20: 2, 24: 3, 28: 1}
NEWEST_COMMIT = 3


def pair(key: str, value: str | None, value_size: int, timestamp_ms: int) -> Pair:
    """A record as the old decoders printed it; `value_size`: the printed size of its bytes, -1 for none."""
    is_deleted = value is None or value == DELETED or value_size == -1
    text = "" if value is None or is_deleted else value
    try:
        for pattern in COMMIT_KEYS:
            if match := pattern.fullmatch(key):
                return commit(match.groupdict(), None if is_deleted else text, value_size, timestamp_ms)
        if match := OLDEST_GROUP_KEY.fullmatch(key):
            return group(match["group"], None if is_deleted else text)
        if (match := GROUP_KEY.fullmatch(key)) or OLD_GROUP_KEY.fullmatch(key):
            return group(
                match["group"] if match else str(parsed(key)["metadata"]), None if is_deleted else text
            )
        if match := TXN_KEYS.fullmatch(key):
            return transaction(match["id"], None if is_deleted else text)
    except Unwritable as error:
        raise NotDecoded(str(error)) from error
    raise NotDecoded("not a key of a decoder")


def commit(about: dict[str, str], value: str | None, value_size: int, timestamp_ms: int) -> Pair:
    members = {"group": about["group"], "topic": about["topic"], "partition": int(about["partition"])}
    key = write_versioned(KEYS["OffsetCommitKey"], 1, members)
    if value is None:
        return Pair(key, None)
    match = COMMITS[0].fullmatch(value) or COMMITS[1].fullmatch(value)
    if match is None:
        raise NotDecoded("no committed offset")
    metadata = match["metadata"] or ""
    version = COMMIT_SIZES.get(value_size - len(metadata.encode()), NEWEST_COMMIT)
    commit: dict[str, Any] = {
        "offset": int(match["offset"]),
        "metadata": metadata,
        "commitTimestamp": timestamp_ms,
    }
    more = {1: {"expireTimestamp": -1}, 3: {"leaderEpoch": -1}}.get(version, {})
    return Pair(
        key, write_versioned(VALUES["OffsetCommitValue"], version, {**commit, **more}), COMMIT_MISSING
    )


def group(name: str, value: str | None) -> Pair:
    key = write_versioned(KEYS["GroupMetadataKey"], 2, {"group": name})
    if value is None:
        return Pair(key, None)
    group = group_members(value)
    kind = group.get("protocolType") or ""
    members = {
        "protocolType": kind,
        "generation": group.get("generationId"),
        "protocol": group.get("protocol"),
        "leader": None,
        "members": [
            member(match, kind == "consumer") for match in ASSIGNED.finditer(group.get("assignment") or "")
        ],
    }
    return Pair(key, write_versioned(VALUES["GroupMetadataValue"], 0, members), GROUP_MISSING)


def group_members(value: str) -> dict[str, Any]:
    match = OLDEST_GROUP.fullmatch(value)
    if match is None:
        return parsed(value)
    groups: dict[str, Any] = match.groupdict()
    protocol = None if groups["protocol"] == "null" else groups["protocol"]
    return {**groups, "generationId": int(groups["generationId"]), "protocol": protocol}


def member(match: re.Match[str], is_consumer: bool) -> dict[str, Any]:
    """A member; only its name and assignment are printed."""
    assignment = match["bytes"] or ""
    raw = bytes.fromhex(assignment.zfill(len(assignment) + len(assignment) % 2))
    if is_consumer and match["partitions"] is not None:
        data = assigned(match["partitions"], match["user"])
    else:
        data = b64encode(raw).decode()
    return {"memberId": match["member"].strip(), "assignment": data}


def assigned(partitions: str, user: str | None) -> str:
    """A consumer's assignment, version 0, as base64."""
    names = [{"topic": topic, "partitions": numbers} for topic, numbers in by_topic(partitions).items()]
    data = b64encode(bytes.fromhex(user.zfill(len(user) + len(user) % 2))).decode() if user else None
    return encoded("Assignment", 0, {"assignedPartitions": names, "userData": data})


def by_topic(text: str) -> dict[str, list[int]]:
    """`a-0, a-1, b-0` as topics with their partitions."""
    partitions: dict[str, list[int]] = {}
    for name in filter(None, (entry.strip() for entry in text.split(","))):
        topic, _, number = name.rpartition("-")
        if not topic or not number.isdigit():
            raise NotDecoded(f"{name} is no partition")
        partitions.setdefault(topic, []).append(int(number))
    return partitions


def transaction(name: str, value: str | None) -> Pair:
    """The coordinator's state of a transactional id."""
    key = write_versioned(TXN_KEY, 0, {"transactionalId": name})
    if value is None:
        return Pair(key, None)
    match = TXN.fullmatch(value)
    if match is None:
        raise NotDecoded("not a state of a transaction")
    updated = int(match["updated"])
    members = {
        "producerId": int(match["producer"]),
        "producerEpoch": int(match["epoch"]),
        "timeoutMs": int(match["timeout"]),
        "state": state_number(match["state"]),
        "partitions": None if match["state"] == STATES[0] else partitions_of(match["partitions"]),
        "lastUpdateTimestamp": updated,
        "startTimestamp": -1 if match["state"] == STATES[0] else updated,
    }
    return Pair(key, write_versioned(TXN_VALUE, 0, members), TXN_MISSING)


def state_number(name: str) -> int:
    if name not in STATES:
        raise NotDecoded(f"{name} is not a state of a transaction")
    return STATES.index(name)


def partitions_of(text: str) -> list[dict[str, Any]]:
    """`[a-0,a-1]`, `Set(a-0, a-1)` or `HashSet(a-0)` as topics with their partitions."""
    inner = re.fullmatch(r"\w*[\[(](.*)[\])]", text.strip(), re.S)
    if inner is None:
        raise NotDecoded("not a list of partitions")
    return [{"topic": topic, "numbers": numbers} for topic, numbers in by_topic(inner[1]).items()]
