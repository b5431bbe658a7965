"""What the console consumer's formatters print of `__consumer_offsets`, `__transaction_state` and share group state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.dialects.consumer_offsets.interpret import read_record as read_group_record
from spark.dialects.transaction_state import read_record as read_transaction
from spark.sources.coordinator_formatters import source
from tests.spark.sources.prints import read, recognised

NEW = b"[g,1,my-topic,7]::OffsetAndMetadata(offset=1142, leaderEpoch=%s, metadata=a, b, commitTimestamp=1547146285084, expireTimestamp=%s)\n"
OLD = b"[g,t,0]::[OffsetMetadata[35,%s],CommitTime 1502060076305,ExpirationTime 1502146476305]\n"
MEMBER = (
    b"members=Map(c-1-aa -> MemberMetadata(memberId=c-1-aa, groupInstanceId=%s, clientId=c-1, clientHost=/127.0.0.1, "
    b"sessionTimeoutMs=10000, rebalanceTimeoutMs=300000, supportedProtocols=List(range), )))\n"
)
GROUP = (
    b"g::GroupMetadata(groupId=g, generation=4, protocolType=Some(consumer), currentState=Stable, " + MEMBER
)
EMPTY = b"g::GroupMetadata(groupId=g, generation=5, protocolType=None, currentState=Empty, members=Map())\n"
OLD_GROUP = b"g::[g,Some(consumer),Stable,Map(c-1-aa -> [c-1-aa,c-1,/127.0.0.1,30000])]\n"
TXN = (
    b"tx::TransactionMetadata(transactionalId=tx, producerId=2009, producerEpoch=1, txnTimeoutMs=60000, state=%s, pendingState=None, "
    b"topicPartitions=%s, txnStartTimestamp=1663462940166, txnLastUpdateTimestamp=1663462943100)\n"
)
JSON = {
    "key": {"type": 1, "data": {"group": "g", "topic": "t", "partition": 0}},
    "value": {"version": 3, "data": {"offset": 5, "leaderEpoch": 0, "metadata": "", "commitTimestamp": 7}},
}


def entry(content: bytes, folder: Path, number: int = 0) -> dict[str, Any]:
    """What the journal's service reads of a record."""
    found = read(source, content, folder)
    assert found.damage == []
    row = found.records[number]
    reads = read_transaction if row["topic"] == "__transaction_state" else read_group_record
    kind, action, entity, attributes, error, _ = reads(row["key"], row["value"])
    assert error is None
    return {"kind": kind, "action": action, "entity": entity, **json.loads(attributes or "{}")}


@pytest.mark.parametrize(
    ("content", "offset", "metadata", "time", "more"),
    [
        (NEW % (b"Optional[3]", b"None"), 1142, "a, b", 1547146285084, {"leaderEpoch": 3}),
        (NEW % (b"Optional.empty", b"None"), 1142, "a, b", 1547146285084, {"leaderEpoch": -1}),
        (NEW % (b"Optional.empty", b"Some(9)"), 1142, "a, b", 1547146285084, {"expireTimestamp": 9}),
        (
            b"[g,1,my-topic,7]::OffsetAndMetadata(offset=1142, leaderEpoch=OptionalInt[3], metadata=a, b, commitTimestampMs=8, "
            b"expireTimestampMs=OptionalLong.empty, recordOffset=4)\n",
            1142, "a, b", 8, {"leaderEpoch": 3},
        ),
        (OLD % b"NO_METADATA", 35, "", 1502060076305, {"expireTimestamp": 1502146476305}),
        (OLD % b"x", 35, "x", 1502060076305, {"expireTimestamp": 1502146476305}),
        (b"[g,t,0]::OffsetAndMetadata[12,NO_METADATA,1400000000000]\n", 12, "", 1400000000000, {}),
    ],
    ids=["2.1 on", "no epoch", "expiry", "3.9", "0.9 to 2.0", "with metadata", "0.8"],
)  # fmt: skip
def test_committed_offsets_of_all_ages(
    tmp_path: Path, content: bytes, offset: int, metadata: str, time: int, more: dict[str, int]
) -> None:
    found = entry(content, tmp_path)
    assert (found["kind"], found["offset"], found["metadata"], found["commitTimestamp"]) == (
        "offset-commit", offset, metadata, time,
    )  # fmt: skip
    assert {name: found[name] for name in more} == more
    assert found["entity"] in ("g,1/my-topic/7", "g/t/0")


def test_the_line_that_counts_messages_behind_the_last_object_is_no_record(tmp_path: Path) -> None:
    content = json.dumps(JSON) * 2 + "Processed a total of 9 messages\n"
    found = read(source, content.encode(), tmp_path)
    assert (len(found.records), found.damage) == (2, [])


@pytest.mark.parametrize(
    "content", [GROUP % b"None", GROUP % b"Some(null)", OLD_GROUP], ids=["2.3 on", "2.3", "0.10"]
)
def test_groups_have_their_members(tmp_path: Path, content: bytes) -> None:
    found = entry(content, tmp_path)
    assert (found["kind"], found["action"], found["entity"], found["protocolType"]) == (
        "group",
        "Stable",
        "g",
        "consumer",
    )
    [member] = found["members"]
    assert (member["memberId"], member["clientId"], member["clientHost"], member["groupInstanceId"]) == (
        "c-1-aa", "c-1", "/127.0.0.1", None,
    )  # fmt: skip


def test_a_group_without_members_is_empty(tmp_path: Path) -> None:
    assert entry(EMPTY, tmp_path)["action"] == "Empty"


@pytest.mark.parametrize(
    ("state", "partitions", "listed"),
    [
        (b"Ongoing", b"HashSet(a-b-0, __consumer_offsets-4)", ["a-b-0", "__consumer_offsets-4"]),
        (b"Empty", b"Set()", []),
        (b"PREPARE_COMMIT", b"[a-b-0]", ["a-b-0"]),
    ],
)
def test_transactions_have_state_and_partitions(
    tmp_path: Path, state: bytes, partitions: bytes, listed: list[str]
) -> None:
    found = entry(TXN % (state, partitions), tmp_path)
    assert (found["entity"], found["producerId"], found["startTimestamp"]) == ("tx", 2009, 1663462940166)
    assert (found["partitions"], found["action"]) == (
        listed,
        "PrepareCommit" if b"_" in state else state.decode(),
    )


def test_the_names_that_some_releases_print_are_the_same_members(tmp_path: Path) -> None:
    printed = TXN % (b"Ongoing", b"[words-0]")
    other = printed.replace(b"producerId=2009", b"producerId2009").replace(
        b"topicPartitions=", b"partitions="
    )
    assert entry(other, tmp_path) == entry(printed, tmp_path)


def test_null_is_a_tombstone_of_what_the_print_is_about(tmp_path: Path) -> None:
    found = read(source, NEW % (b"Optional.empty", b"None") + b"[g,1,my-topic,7]::NULL\n", tmp_path)
    assert found.column("value_is_null") == [False, True]
    assert found.records[0]["key"] == found.records[1]["key"]
    assert entry(EMPTY + b"g::NULL\n", tmp_path, 1)["action"] == "delete"
    assert entry(TXN % (b"Empty", b"Set()") + b"tx::NULL\n", tmp_path, 1)["entity"] == "tx"


@pytest.mark.parametrize(
    "content",
    [json.dumps(JSON), json.dumps(JSON) * 3, json.dumps(JSON, indent=2), json.dumps({**JSON, "key": {"version": "1", "data": JSON["key"]["data"]}})],
    ids=["a line", "one behind the other", "over lines", "of 4.0"],
)  # fmt: skip
def test_json_of_4_x(tmp_path: Path, content: str) -> None:
    found = entry(content.encode(), tmp_path)
    assert (found["entity"], found["offset"]) == ("g/t/0", 5)


def test_json_null_is_a_tombstone_and_the_topics_are_told(tmp_path: Path) -> None:
    transaction = {"key": {"type": 0, "data": {"transactionalId": "x"}}, "value": None}
    share = {
        "key": {"type": 0, "data": {"groupId": "g", "topicId": "AQIDBAUGBwgJCgsMDQ4PEA", "partition": 0}},
        "value": {"version": 0, "data": {}},
    }
    lines = "\n".join(json.dumps(one) for one in ({**JSON, "value": None}, transaction, share))
    found = read(source, lines.encode(), tmp_path)
    assert found.column("topic") == ["__consumer_offsets", "__transaction_state", "__share_group_state"]
    assert found.column("value_is_null") == [True, True, False]
    assert found.records[2]["key"][:5] == b"\0\0\0\1g"
    assert found.column("offset") == [0, 1, 2]


def test_messages_are_passed_over_and_a_cut_line_is_told(tmp_path: Path) -> None:
    whole = OLD % b"x"
    found = read(source, whole + b"Processed a total of 1 messages\n" + whole[:30], tmp_path)
    assert (len(found.records), [row["reason"] for row in found.damage]) == (1, ["truncated"])
    found = read(source, json.dumps(JSON).encode() + b"\n" + json.dumps(JSON)[:50].encode(), tmp_path)
    assert (len(found.records), [row["reason"] for row in found.damage]) == (1, ["truncated"])


@pytest.mark.parametrize(
    "content", [NEW % (b"Optional.empty", b"None"), OLD % b"x", GROUP % b"None", OLD_GROUP, TXN % (b"Empty", b"Set()"), json.dumps(JSON).encode()]
)  # fmt: skip
def test_it_is_this_layout(tmp_path: Path, content: bytes) -> None:
    answers = {
        name: answer.score for name, answer in recognised(content * 3, tmp_path).items() if answer.matches
    }
    assert max(answers, key=lambda name: answers[name]) == source.id


@pytest.mark.parametrize(
    "content", [b"a::b\nc::d\n", b'{"key":"a","value":1}\n', b"[INFO] some::log\n" * 9, b""]
)
def test_other_text_is_not(tmp_path: Path, content: bytes) -> None:
    assert not recognised(content, tmp_path)[source.id].matches


def test_blanks_at_the_end_of_a_line_are_none_of_the_record(tmp_path: Path) -> None:
    content = b"".join(
        line.rstrip(b"\n") + b" \t \r\n" for line in (NEW % (b"Optional[0]", b"None"), GROUP % b"None")
    )
    assert recognised(content, tmp_path)[source.id].matches
    found = read(source, content, tmp_path)
    assert (len(found.records), found.damage) == (2, [])
