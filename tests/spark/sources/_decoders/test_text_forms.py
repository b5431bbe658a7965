"""What the decoders of 0.9 to 3.x print, against the dialects that read the bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.dialects.consumer_offsets.interpret import read_record as read_group_record
from spark.dialects.transaction_state import read_record as read_transaction
from spark.sources._decoders import NotDecoded
from spark.sources._decoders.text_forms import pair

AT = 1_700_000_000_000


def attributes(read: tuple[Any, ...]) -> dict[str, Any]:
    assert read[4] is None
    found: dict[str, Any] = json.loads(read[3])
    return found


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("offset_commit::group=my-group,partition=a-topic-3", "offset=17,metadata=here, there"),
        ("offset::my-group:a-topic:3", "17:here, there"),
    ],
    ids=["2.2 on", "up to 2.1"],
)
@pytest.mark.parametrize(("size", "version"), [(20, 2), (24, 3), (28, 1)])
def test_a_committed_offset_has_the_version_that_its_size_tells(
    key: str, value: str, size: int, version: int
) -> None:
    found = pair(key, value, size + len("here, there"), AT)
    assert found.value is not None
    assert (len(found.value), found.value[1]) == (size + len("here, there"), version)
    kind, action, entity, text, _, _ = read_group_record(found.key, found.value)
    assert (kind, action, entity) == ("offset-commit", "commit", "my-group/a-topic/3")
    told = json.loads(text or "")
    assert (told["offset"], told["metadata"], told["commitTimestamp"]) == (17, "here, there", AT)


@pytest.mark.parametrize(
    "key", ["group_metadata::group=g,1", '{"metadata":"g,1"}'], ids=["2.2 on", "up to 2.1"]
)
def test_a_group_has_its_members_and_what_they_are_assigned(key: str) -> None:
    value = {"protocolType": "consumer", "protocol": "range", "generationId": 4}
    assignment = "{c-1-aa=[a-b-0, a-b-1, c-2],c-2-bb=[]:0F}"
    found = pair(key, json.dumps({**value, "assignment": assignment}), 257, AT)
    told = attributes(read_group_record(found.key, found.value))
    assert (told["group"], told["generation"], told["protocol"]) == ("g,1", 4, "range")
    assert [member["memberId"] for member in told["members"]] == ["c-1-aa", "c-2-bb"]
    assert told["members"][0]["assignment"]["assignedPartitions"] == [
        {"topic": "a-b", "partitions": [0, 1]},
        {"topic": "c", "partitions": [2]},
    ]
    assert "leaders" in found.missing


def test_a_group_of_another_protocol_keeps_its_bytes() -> None:
    value = {"protocolType": "connect", "protocol": "sessioned", "generationId": 1, "assignment": "{w-1=102}"}
    found = pair("group_metadata::group=workers", json.dumps(value), 90, AT)
    told = attributes(read_group_record(found.key, found.value))
    assert told["members"][0]["assignment"] == "AQI="


@pytest.mark.parametrize(
    ("text", "kind", "generation", "protocol", "members"),
    [("consumer:range:1:{c-1=[t-0, t-1]}", "consumer", 1, "range", ["c-1"]), (":null:2:{}", "", 2, None, [])],
    ids=["stable", "empty"],
)  # fmt: skip
def test_groups_as_0_10_prints_them(
    text: str, kind: str, generation: int, protocol: str | None, members: list[str]
) -> None:
    found = pair("metadata::g:1", text, 90, AT)
    _, _, entity, attributes, error, _ = read_group_record(found.key, found.value)
    told = json.loads(attributes or "")
    assert (entity, error, told["protocolType"], told["generation"]) == ("g:1", None, kind, generation)
    assert (told["protocol"], [member["memberId"] for member in told["members"]]) == (protocol, members)


@pytest.mark.parametrize("key", ["transaction_metadata::transactionalId=tx", "transactionalId=tx"])
@pytest.mark.parametrize(
    "partitions", ["[a-b-0,a-b-7,c-2]", "Set(a-b-0, a-b-7, c-2)", "HashSet(a-b-0, a-b-7, c-2)"]
)
def test_a_transaction_has_its_state_and_partitions(key: str, partitions: str) -> None:
    text = f"producerId:5,producerEpoch:2,state=Ongoing,partitions={partitions},txnLastUpdateTimestamp={AT},txnTimeoutMs=900"
    found = pair(key, text, 70, AT)
    kind, state, entity, told, _, _ = read_transaction(found.key, found.value)
    assert (kind, state, entity) == ("transaction", "Ongoing", "tx")
    members = json.loads(told or "")
    assert members["partitions"] == ["a-b-0", "a-b-7", "c-2"]
    assert (members["producerId"], members["producerEpoch"], members["timeoutMs"]) == (5, 2, 900)
    assert (members["lastUpdateTimestamp"], found.missing) == (AT, "when transactions began")


@pytest.mark.parametrize(
    "key",
    [
        "offset_commit::group=g,partition=t-0", "offset::g:t:0", "group_metadata::group=g", '{"metadata":"g"}',
        "transaction_metadata::transactionalId=x", "transactionalId=x",
    ],
)  # fmt: skip
@pytest.mark.parametrize(("value", "size"), [("<DELETE>", -1), (None, -1)])
def test_a_deletion_is_a_tombstone(key: str, value: str | None, size: int) -> None:
    found = pair(key, value, size, AT)
    assert (found.value, found.missing) == (None, "")
    read = read_transaction if "transactionalId" in key else read_group_record
    assert read(found.key, None)[1] == "delete"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("plain", "offset=1"), ("offset_commit::group=g,partition=t-0", "what"), ("offset_commit::group=g", "offset=1"),
        ("group_metadata::group=g", "{"), ("group_metadata::group=g", '{"assignment":"{m=[t]}","protocolType":"consumer"}'),
        ("transactionalId=x", "producerId:1"), ("transactionalId=x", "producerId:1,producerEpoch:1,state=Odd,partitions=[],txnLastUpdateTimestamp=1,txnTimeoutMs=1"),
        ("offset::g:t:99999999999", "1"), ("offset_commit::group=g,partition=t-0", "offset=99999999999999999999"),
    ],
)  # fmt: skip
def test_what_no_decoder_prints_is_refused(key: str, value: str) -> None:
    with pytest.raises(NotDecoded):
        pair(key, value, 24, AT)
