"""Output of the console formatters of 0.8 to 3.x for the coordinators' records (`key::value` by `toString`), converted to bytes.

    OffsetsMessageFormatter
        "[" group "," topic "," partition "]::" value
        value = "OffsetAndMetadata(offset=" o ", leaderEpoch=Optional" e ", metadata=" m ", commitTimestamp=" t ", expireTimestamp=" x ")"
              | "[OffsetMetadata[" o "," m "],CommitTime " t ",ExpirationTime " x "]"  (0.9 to 2.0)
              | "OffsetAndMetadata[" o "," m "," t "]" (0.8)  | "NULL"
    GroupMetadataMessageFormatter
        group "::GroupMetadata(groupId=" g ", generation=" n ", protocolType=" p ", currentState=" s ", members=Map(" member* "))"
        group "::[" g "," p "," s ",Map(" member* ")]"  (0.9 to 0.11)  |  group "::NULL"
    TransactionLogMessageFormatter
        id "::TransactionMetadata(transactionalId=" .. ", producerId" "="? .. ", " ("topicPartitions" | "partitions") "=" .. ", txnLastUpdateTimestamp=" .. ")"  |  id "::NULL"

A group's leader, assignments and, up to 0.11, generation are not printed. Source: Kafka `GroupMetadataManager`,
`OffsetAndMetadata`, `GroupMetadata`, `MemberMetadata`, `TransactionLog`, `TransactionMetadata` of 0.8 to 3.9.
"""

from __future__ import annotations

import re
from typing import Any

from spark.codecs.kafka_message.write import Unwritable, write_versioned
from spark.codecs.kafka_topics.consumer_offsets import KEYS, VALUES
from spark.codecs.kafka_topics.transaction_state import KEY as TXN_KEY
from spark.codecs.kafka_topics.transaction_state import STATES
from spark.codecs.kafka_topics.transaction_state import VALUE as TXN_VALUE
from spark.sources._decoders import NotDecoded, Pair
from spark.sources._decoders.text_forms import partitions_of, state_number

OFFSETS, GROUPS, TRANSACTIONS = "offsets", "groups", "transactions"
COMMIT_KEY = re.compile(r"^\[(?P<group>.*),(?P<topic>[^,\[\]]+),(?P<partition>\d+)\]::(?P<value>.*)$", re.S)
OPTION = r"(?:(?:Optional(?:Int|Long)?|Some)[\[(](?P<{0}>-?\d+)[\])]|Optional(?:Int|Long)?\.empty|None|(?P<{0}_bare>-?\d+))"
COMMITS = (
    re.compile(
        r"^OffsetAndMetadata\(offset=(?P<offset>-?\d+), ?leaderEpoch="
        + OPTION.format("epoch")
        + r", ?metadata=(?P<metadata>.*?), ?"
        r"commitTimestamp(?:Ms)?=(?P<commit>-?\d+), ?expireTimestamp(?:Ms)?="
        + OPTION.format("expire")
        + r"(?:, recordOffset=-?\d+)?(?:, topicId=\S+)?\)$",
        re.S,
    ),
    re.compile(
        r"^\[OffsetMetadata\[(?P<offset>-?\d+),(?P<metadata>.*)\],CommitTime (?P<commit>-?\d+),ExpirationTime (?P<expire_bare>-?\d+)\]$",
        re.S,
    ),
    re.compile(r"^OffsetAndMetadata\[(?P<offset>-?\d+),(?P<metadata>.*),(?P<commit>-?\d+)\]$", re.S),
)
NO_METADATA = "NO_METADATA"
GROUP = re.compile(
    r"^(?P<key>.*?)::GroupMetadata\(groupId=(?P<group>.*?), generation=(?P<generation>-?\d+), "
    r"protocolType=(?:Some\((?P<protocol>[^)]*)\)|None), currentState=(?P<state>\w+), members=\w+\((?P<members>.*)\)\)$",
    re.S,
)
OLD_GROUP = re.compile(
    r"^(?P<key>.*?)::\[(?P<group>.*?),(?:Some\((?P<protocol>[^)]*)\)|None),(?P<state>\w+),\w*Map\((?P<members>.*)\)\]$",
    re.S,
)
MEMBER = re.compile(
    r"-> MemberMetadata\(memberId=(?P<member>.*?), (?:groupInstanceId=(?P<instance>.*?), )?clientId=(?P<client>.*?), "
    r"clientHost=(?P<host>.*?), (?:sessionTimeoutMs=(?P<session>\d+), rebalanceTimeoutMs=(?P<rebalance>\d+), )?"
    r"supportedProtocols=List\((?P<protocols>[^)]*)\)",
    re.S,
)
OLD_MEMBER = re.compile(r"-> \[(?P<member>[^,\]]*),(?P<client>[^,\]]*),(?P<host>[^,\]]*),(?P<session>\d+)\]")
TXN = re.compile(r"^(?P<key>.*?)::TransactionMetadata\(transactionalId=(?P<members>.*)\)$", re.S)
TXN_MEMBER = re.compile(r"(?:^|, )(producerId(?=\d)|\w+(?==))=?((?:\w+\([^)]*\)|\[[^\]]*\]|[^,()\[\]])*)")
NULL = re.compile(r"^(?P<key>[^\n]*)::(?:NULL|null|<DELETE>)$")
GROUP_MISSING = "leaders of groups, and subscriptions and assignments of their members"
OLD_GROUP_MISSING = f"generations and {GROUP_MISSING}"
EXPIRY_VERSION, EPOCH_VERSION, PLAIN_VERSION, GROUP_VERSION = 1, 3, 2, 3


def kind_of(line: str) -> str | None:
    """The formatter that prints such lines; None for `x::NULL` and for lines of no formatter."""
    commit = COMMIT_KEY.match(line)
    if commit and (
        commit["value"] in ("NULL", "null") or any(form.match(commit["value"]) for form in COMMITS)
    ):
        return OFFSETS
    if TXN.match(line):
        return TRANSACTIONS
    return GROUPS if GROUP.match(line) or OLD_GROUP.match(line) else None


def pair(line: str, other: str = GROUPS) -> Pair:
    """A line's record; `other`: the topic of a key in `x::NULL`."""
    kind = kind_of(line)
    try:
        if kind == OFFSETS:
            return commit(COMMIT_KEY.match(line))
        if kind == TRANSACTIONS:
            return transaction(TXN.match(line))
        if kind == GROUPS:
            return group(GROUP.match(line) or OLD_GROUP.match(line))
        return tombstone(NULL.match(line), other)
    except (Unwritable, ValueError, KeyError) as error:
        raise NotDecoded(str(error)) from error


def tombstone(match: re.Match[str] | None, other: str) -> Pair:
    """A key whose record has no value."""
    if match is None:
        raise NotDecoded("not a line of a formatter")
    if other == TRANSACTIONS:
        return Pair(write_versioned(TXN_KEY, 0, {"transactionalId": match["key"]}), None)
    return Pair(write_versioned(KEYS["GroupMetadataKey"], 2, {"group": match["key"]}), None)


def commit(about: re.Match[str] | None) -> Pair:
    assert about is not None
    members = {"group": about["group"], "topic": about["topic"], "partition": int(about["partition"])}
    key = write_versioned(KEYS["OffsetCommitKey"], 1, members)
    match = next(filter(None, (form.match(about["value"]) for form in COMMITS)), None)
    if match is None:
        return Pair(key, None)
    groups = match.groupdict()
    commit: dict[str, Any] = {
        "offset": int(match["offset"]),
        "metadata": "" if groups["metadata"] == NO_METADATA else groups["metadata"],
        "commitTimestamp": int(match["commit"]),
    }
    expire, has_epoch = groups.get("expire") or groups.get("expire_bare"), "epoch" in groups
    version = EXPIRY_VERSION if expire else EPOCH_VERSION if has_epoch else PLAIN_VERSION
    more = {
        EXPIRY_VERSION: {"expireTimestamp": int(expire or -1)},
        EPOCH_VERSION: {"leaderEpoch": int(groups.get("epoch") or -1)},
    }
    return Pair(
        key, write_versioned(VALUES["OffsetCommitValue"], version, {**commit, **more.get(version, {})})
    )


def group(match: re.Match[str] | None) -> Pair:
    assert match is not None
    key = write_versioned(KEYS["GroupMetadataKey"], 2, {"group": match["key"]})
    printed_members = list(MEMBER.finditer(match["members"]))
    members = [member(printed) for printed in (*printed_members, *OLD_MEMBER.finditer(match["members"]))]
    protocols = [printed["protocols"].split(",")[0] for printed in printed_members]
    generation = match.groupdict().get("generation")
    value = {
        "protocolType": match["protocol"] or "",
        "generation": int(generation or 0),
        "protocol": protocols[0].strip() if protocols else None,
        "leader": None,
        "currentStateTimestamp": -1,
        "members": members,
    }
    missing = GROUP_MISSING if generation else OLD_GROUP_MISSING
    return Pair(key, write_versioned(VALUES["GroupMetadataValue"], GROUP_VERSION, value), missing)


def member(match: re.Match[str]) -> dict[str, Any]:
    groups = match.groupdict()
    instance = re.fullmatch(r"Some\((.*)\)", groups.get("instance") or "")
    return {
        "memberId": match["member"],
        "groupInstanceId": instance[1] if instance and instance[1] != "null" else None,
        "clientId": match["client"],
        "clientHost": match["host"],
        "rebalanceTimeout": int(groups.get("rebalance") or 0),
        "sessionTimeout": int(groups.get("session") or 0),
    }


def transaction(match: re.Match[str] | None) -> Pair:
    """The coordinator's state of a transactional id."""
    assert match is not None
    key = write_versioned(TXN_KEY, 0, {"transactionalId": match["key"]})
    printed = dict(TXN_MEMBER.findall(match["members"].removeprefix(match["key"])))
    state = printed["state"]
    if state not in STATES:  # `PREPARE_COMMIT`, as Java's enumeration prints it
        state = "".join(word.capitalize() for word in state.split("_"))
    partitions = printed.get("topicPartitions", printed.get("partitions"))
    if partitions is None:
        raise NotDecoded("no partitions")
    members = {
        "producerId": int(printed["producerId"]),
        "producerEpoch": int(printed["producerEpoch"]),
        "timeoutMs": int(printed["txnTimeoutMs"]),
        "state": state_number(state),
        "partitions": None if state == STATES[0] else partitions_of(partitions),
        "lastUpdateTimestamp": int(printed["txnLastUpdateTimestamp"]),
        "startTimestamp": int(printed["txnStartTimestamp"]),
    }
    return Pair(key, write_versioned(TXN_VALUE, 0, members))
