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
from collections.abc import Mapping
from typing import Any

from spark.codecs.kafka_message.write import Unwritable, write_versioned
from spark.codecs.kafka_topics.consumer_offsets import KEYS, VALUES
from spark.codecs.kafka_topics.transaction_state import KEY as TXN_KEY
from spark.codecs.kafka_topics.transaction_state import STATES
from spark.codecs.kafka_topics.transaction_state import VALUE as TXN_VALUE
from spark.sources._decoders import NotDecoded, Pair
from spark.sources._decoders.text_forms import partitions_of, state_number
from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.template import row

OFFSETS, GROUPS, TRANSACTIONS, NOTHING = "offsets", "groups", "transactions", "nothing"
COMMIT = r"\[{group:line},{topic:bare},{partition}\]::{}"
MEMBERS = "{members:text})"
ROWS = (
    row(
        COMMIT
        + r"OffsetAndMetadata(offset={offset},[ ]leaderEpoch={epoch:option},[ ]metadata={metadata:text},[ ]commitTimestamp[Ms]={commit:long},"
        r"[ ]expireTimestamp[Ms]={expire:option}[, recordOffset={:long}][, topicId={:token}])",
        OFFSETS,
    ),
    row(
        COMMIT
        + r"\[OffsetMetadata\[{offset},{metadata:text}\],CommitTime {commit:long},ExpirationTime {expire:option}\]",
        OFFSETS,
    ),
    row(COMMIT + r"OffsetAndMetadata\[{offset},{metadata:text},{commit:long}\]", OFFSETS),
    row(COMMIT + r"{:nothing}", OFFSETS),
    row(r"{id:id}::TransactionMetadata({}transactionalId=" + MEMBERS, TRANSACTIONS),
    row(
        r"{id:id}::GroupMetadata({}groupId={group:text}, generation={generation:long}, protocolType={protocol:some}, "
        r"currentState={state:word}, members={:word}(" + MEMBERS + ")",
        GROUPS,
    ),
    row(r"{id:id}::\[{group:text},{protocol:some},{}{state:word},{:map}(" + MEMBERS + r"\]", GROUPS),
    row(r"{id:id}::{:nothing}", NOTHING),
)
COMMIT_ROWS = tuple(form for form in ROWS if form.form == OFFSETS)
MEMBER = row(
    r"-> MemberMetadata(memberId={member:text}, [groupInstanceId={instance:text}, ]clientId={client:text}, clientHost={host:text}, "
    r"[sessionTimeoutMs={session:long}, rebalanceTimeoutMs={rebalance:long}, ]supportedProtocols=List({protocols:inner})"
).segments[0]
OLD_MEMBER = re.compile(rb"-> \[(?P<member>[^,\]]*),(?P<client>[^,\]]*),(?P<host>[^,\]]*),(?P<session>\d+)\]")
TXN_MEMBER = re.compile(r"(?:^|, )(producerId(?=\d)|\w+(?==))=?((?:\w+\([^)]*\)|\[[^\]]*\]|[^,()\[\]])*)")
NUMBER = re.compile(r"-?\d+")
NO_METADATA = "NO_METADATA"
GROUP_MISSING = "leaders of groups, and subscriptions and assignments of their members"
OLD_GROUP_MISSING = f"generations and {GROUP_MISSING}"
EXPIRY_VERSION, EPOCH_VERSION, PLAIN_VERSION, GROUP_VERSION = 1, 3, 2, 3
Fields = dict[str, str]


def pair(reading: RowReading, other: str = GROUPS) -> Pair:
    """A row's record; `other`: the topic of a key in `x::NULL`."""
    fields = decoded(reading.fields)
    kind = other if reading.row.form == NOTHING else reading.row.form
    try:
        if reading.row.form == NOTHING:
            return tombstone(fields["id"], other)
        return {OFFSETS: commit, TRANSACTIONS: transaction, GROUPS: group}[kind](fields)
    except Unwritable as error:
        raise NotDecoded(str(error)) from error
    except (ValueError, KeyError) as error:
        raise NotDecoded("a field is missing or is not a number") from error


def decoded(fields: Mapping[str, bytes | None]) -> Fields:
    return {name: text.decode(errors="replace") for name, text in fields.items() if text is not None}


def tombstone(key: str, other: str) -> Pair:
    """A key whose record has no value."""
    if other == TRANSACTIONS:
        return Pair(write_versioned(TXN_KEY, 0, {"transactionalId": key}), None)
    return Pair(write_versioned(KEYS["GroupMetadataKey"], 2, {"group": key}), None)


def commit(fields: Fields) -> Pair:
    members = {"group": fields["group"], "topic": fields["topic"], "partition": int(fields["partition"])}
    key = write_versioned(KEYS["OffsetCommitKey"], 1, members)
    if "offset" not in fields:
        return Pair(key, None)
    commit: dict[str, Any] = {
        "offset": int(fields["offset"]),
        "metadata": "" if fields["metadata"] == NO_METADATA else fields["metadata"],
        "commitTimestamp": int(fields["commit"]),
    }
    expire, epoch = (number_in(fields.get(name)) for name in ("expire", "epoch"))
    version = EPOCH_VERSION if "epoch" in fields else PLAIN_VERSION
    more = {"leaderEpoch": -1 if epoch is None else epoch} if "epoch" in fields else {}
    if expire is not None:
        version, more = EXPIRY_VERSION, {"expireTimestamp": expire}
    return Pair(key, write_versioned(VALUES["OffsetCommitValue"], version, {**commit, **more}))


def number_in(text: str | None) -> int | None:
    """`3`, `Some(3)`, `Optional[3]`; None for `None` and `Optional.empty`."""
    match = NUMBER.search(text or "")
    return int(match[0]) if match else None


def group(fields: Fields) -> Pair:
    key = write_versioned(KEYS["GroupMetadataKey"], 2, {"group": fields["id"]})
    text = fields["members"].encode()
    printed_members = [decoded(match.groupdict()) for match in MEMBER.finditer(text)]
    old_members = [decoded(match.groupdict()) for match in OLD_MEMBER.finditer(text)]
    protocols = [printed["protocols"].split(",")[0] for printed in printed_members]
    generation = fields.get("generation")
    value = {
        "protocolType": fields["protocol"].removeprefix("Some(").removesuffix(")")
        if fields["protocol"] != "None"
        else "",
        "generation": int(generation or 0),
        "protocol": protocols[0].strip() if protocols else None,
        "leader": None,
        "currentStateTimestamp": -1,
        "members": [member(printed) for printed in (*printed_members, *old_members)],
    }
    missing = GROUP_MISSING if generation else OLD_GROUP_MISSING
    return Pair(key, write_versioned(VALUES["GroupMetadataValue"], GROUP_VERSION, value), missing)


def member(printed: Fields) -> dict[str, Any]:
    instance = re.fullmatch(r"Some\((.*)\)", printed.get("instance", ""))
    return {
        "memberId": printed["member"],
        "groupInstanceId": instance[1] if instance and instance[1] != "null" else None,
        "clientId": printed["client"],
        "clientHost": printed["host"],
        "rebalanceTimeout": int(printed.get("rebalance") or 0),
        "sessionTimeout": int(printed.get("session") or 0),
    }


def transaction(fields: Fields) -> Pair:
    """The coordinator's state of a transactional id."""
    key = write_versioned(TXN_KEY, 0, {"transactionalId": fields["id"]})
    printed = dict(TXN_MEMBER.findall(fields["members"].removeprefix(fields["id"])))
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
