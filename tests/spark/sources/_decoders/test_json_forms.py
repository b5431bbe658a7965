"""The JSON of decoders and formatters, against real journals and the prints that the real tool made of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from spark.dialects.cluster_metadata.interpret import read_record as read_metadata
from spark.dialects.consumer_offsets.interpret import read_record as read_group_record
from spark.dialects.transaction_state import read_record as read_transaction
from spark.sources._decoders import NotDecoded, Pair
from spark.sources._decoders.json_forms import coordinator_pair, metadata_value, parsed

CORPUS = Path(__file__).parents[4] / ".." / "shared" / "corpus" / "internal-real"
LINE = re.compile(
    r"^\| offset: (\d+) .* keySize: (-?\d+) valueSize: (-?\d+) .*?(?: key: (\{.*\}))? payload: (.*)$", re.M
)
PRINTS = sorted(CORPUS.glob("c*/*.decoded.txt"))


@pytest.mark.parametrize("path", PRINTS, ids=lambda path: path.name)
def test_every_record_of_a_real_print_has_the_size_of_its_bytes(path: Path) -> None:
    found = LINE.findall(path.read_text())
    assert found
    for offset, key_size, value_size, key, value in found:
        if key:
            read = coordinator_pair(parsed(key), None if value == "<DELETE>" else parsed(value))
        else:
            read = Pair(None, metadata_value(parsed(value)))
        sizes = [-1 if data is None else len(data) for data in (read.key, read.value)]
        assert sizes == [int(key_size), int(value_size)], offset


def test_a_transaction_as_4_x_prints_it() -> None:
    key = {"type": "0", "data": {"transactionalId": "tx"}}
    partitions = [{"topic": "a", "partitionIds": [0, 2]}]
    data = {
        "producerId": 7, "producerEpoch": 1, "transactionTimeoutMs": 60000, "transactionStatus": 1,
        "transactionPartitions": partitions, "transactionLastUpdateTimestampMs": 5, "transactionStartTimestampMs": 4,
        "previousProducerId": 6, "clientTransactionVersion": 2,
    }  # fmt: skip
    found = coordinator_pair(key, {"version": "1", "data": data})
    _, state, entity, text, error, _ = read_transaction(found.key, found.value)
    assert (state, entity, error) == ("Ongoing", "tx", None)
    members = json.loads(text or "")
    assert (members["partitions"], members["startTimestamp"], members["previousProducerId"]) == (
        ["a-0", "a-2"],
        4,
        6,
    )


@pytest.mark.parametrize(("version", "length"), [("0", b"\xff\xff\xff\xff"), ("1", b"\0")])
def test_a_transactional_id_without_a_transaction_has_no_list_of_partitions(
    version: str, length: bytes
) -> None:
    data = {
        "producerId": 7, "producerEpoch": 0, "transactionTimeoutMs": 60000, "transactionStatus": 0,
        "transactionPartitions": None, "transactionLastUpdateTimestampMs": 5, "transactionStartTimestampMs": -1,
    }  # fmt: skip
    found = coordinator_pair(
        {"type": "0", "data": {"transactionalId": "tx"}}, {"version": version, "data": data}
    )
    assert found.value is not None
    assert found.value[17:].startswith(length + b"\0\0\0")


@pytest.mark.parametrize("name", ["type", "version"])
def test_a_key_names_its_type_as_number_or_text_under_either_name(name: str) -> None:
    for number in (1, "1"):
        found = coordinator_pair({name: number, "data": {"group": "g", "topic": "t", "partition": 4}}, None)
        assert read_group_record(found.key, None)[:3] == ("offset-commit", "delete", "g/t/4")


def test_a_members_subscription_is_bytes_again_whatever_its_version() -> None:
    subscription = {
        "topics": ["t"],
        "userData": None,
        "ownedPartitions": [],
        "generationId": 3,
        "rackId": "r",
    }
    member = {
        "memberId": "m", "groupInstanceId": None, "clientId": "c", "clientHost": "/h", "rebalanceTimeout": 1,
        "sessionTimeout": 2, "subscription": subscription, "assignment": {"assignedPartitions": [], "userData": "AQ=="},
    }  # fmt: skip
    data = {
        "protocolType": "consumer", "generation": 1, "protocol": "range", "leader": "m", "currentStateTimestamp": 9,
        "members": [member],
    }  # fmt: skip
    found = coordinator_pair({"type": "2", "data": {"group": "g"}}, {"version": "3", "data": data})
    _, state, _, text, error, _ = read_group_record(found.key, found.value)
    assert (state, error) == ("Stable", None)
    assert json.loads(text or "")["members"][0]["subscription"] == subscription


def test_a_share_groups_epoch_has_a_form_of_4_0_and_one_since() -> None:
    key = {"type": 11, "data": {"groupId": "g"}}
    for members, size_bytes in (({"epoch": 3}, 7), ({"epoch": 3, "metadataHash": 9}, 15)):
        found = coordinator_pair(key, {"version": 0, "data": members})
        assert (len(found.value or b""), found.missing) == (size_bytes, "")
        assert read_group_record(found.key, found.value)[:2] == ("share-group", "update")
    with pytest.raises(NotDecoded):
        coordinator_pair(key, {"version": 0, "data": {"epoch": 3, "x": 9}})


def test_a_type_that_no_release_writes_is_still_an_entry() -> None:
    key = {"type": 18, "data": {"groupId": "g"}}
    found = coordinator_pair(key, {"version": 0, "data": {"topics": []}})
    assert read_group_record(found.key, found.value)[0] == "streams-group-partitions"
    assert found.missing


def test_a_controllers_record_is_framed_again() -> None:
    topic = {"name": "orders", "topicId": "ywkgJzfISRGP0UN2q1Y88A"}
    value = metadata_value({"type": "TOPIC_RECORD", "version": 0, "data": topic})
    assert len(value) == 27
    assert read_metadata(None, value)[:3] == ("Topic", "create", "ywkgJzfISRGP0UN2q1Y88A")


@pytest.mark.parametrize(
    "members",
    [
        {"type": "TOPIC_RECORD", "version": 0, "data": {"name": "t", "topicId": "short"}},
        {"type": "TOPIC_RECORD", "version": 9, "data": {}},
        {"type": "ODD_RECORD", "version": 0, "data": {}},
        {"type": "TOPIC_RECORD", "version": "x", "data": {}},
        {"type": "TOPIC_RECORD", "version": 0, "data": {"other": 1}},
        {"type": "PARTITION_RECORD", "version": 0, "data": {"replicas": [1 << 40]}},
    ],
)
def test_what_no_controller_writes_is_refused(members: dict[str, Any]) -> None:
    with pytest.raises(NotDecoded):
        metadata_value(members)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ({"type": 99, "data": {}}, None),
        ({"type": 1, "data": {"group": "g", "topic": "t", "partition": "many"}}, None),
        (
            {"type": 1, "data": {"group": "g", "topic": "t", "partition": 1}},
            {"version": 3, "data": "unknown"},
        ),
        ({"type": 1, "data": {"group": "g", "topic": "t", "partition": 1}}, {"version": 9, "data": {}}),
    ],
)
def test_what_no_coordinator_writes_is_refused(key: dict[str, Any], value: dict[str, Any] | None) -> None:
    with pytest.raises(NotDecoded):
        coordinator_pair(key, value)
