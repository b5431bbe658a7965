"""Groups of the newer protocols as a broker of 4.4 wrote them, against what its own kafka-dump-log printed.

`groups_of_4_4.jsonl`: the records of a streams group with two instances, of a share group and of a consumer group, from their first
members to their deletion; the key and the value in hex, and the print of `--offsets-decoder`.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from spark.dialects.consumer_offsets import dialect
from spark.dialects.consumer_offsets.interpret import interpret, read_record
from spark.sources._decoders.json_forms import coordinator_pair
from tests.builders import records_table
from tests.spark.replays import replayed

LINES = [json.loads(line) for line in Path(__file__).with_name("groups_of_4_4.jsonl").open(encoding="utf-8")]
RECORDS = [
    (bytes.fromhex(line["key"]), None if line["value"] is None else bytes.fromhex(line["value"]))
    for line in LINES
]
ONE, TWO = "app/JEk5PjwsThS0Qrpvnx2ZCw", "app/tJlkt7drRwSagEb_DAfRPQ"


@pytest.mark.parametrize("number", range(len(LINES)))
def test_a_record_is_read_as_its_broker_printed_it(number: int) -> None:
    (key, value), printed = RECORDS[number], LINES[number]["printed"]
    _, action, _, attributes, error, _ = read_record(key, value)
    assert error is None
    if value is None:
        assert (action, printed["value"]) == ("delete", None)
        return
    expected = {**printed["key"]["data"], **printed["value"]["data"]}
    members = json.loads(attributes or "")
    if "classicMemberMetadata" in expected:  # printed without being there
        members.setdefault("classicMemberMetadata", None)
    assert members == expected


@pytest.mark.parametrize("number", range(len(LINES)))
def test_the_print_gives_the_bytes_again(number: int) -> None:
    found = coordinator_pair(LINES[number]["printed"]["key"], LINES[number]["printed"]["value"])
    assert (found.key, found.value) == RECORDS[number]
    assert not found.missing


def story() -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The versions of each entity in order."""
    rows = [{"offset": at, "key": key, "value": value} for at, (key, value) in enumerate(RECORDS)]
    state, refusals = replayed(dialect, interpret(records_table(*rows)))
    assert refusals.num_rows == 0
    versions: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in sorted(state.to_pylist(), key=lambda row: row["valid_from_offset"]):
        found = versions.setdefault((row["entity_type"], row["entity_id"]), [])
        found.append({**json.loads(row["attributes"]), "until": row["valid_to_offset"]})
    return versions


def without_repeats(names: list[Any]) -> list[Any]:
    return [name for before, name in zip([None, *names], names, strict=False) if name != before]


def test_a_streams_group_goes_through_its_states() -> None:
    group = story()["group", "app"]
    assert without_repeats([version.get("state") for version in group]) == [
        "NotReady", "Assigning", "Reconciling", "Stable",
        "Reconciling", "Assigning", "Reconciling", "Stable",  # the second instance joins
        "Assigning", "Reconciling", "Stable",  # and leaves
        "Empty",
    ]  # fmt: skip
    assert (
        group[-1]["type"],
        group[-1]["epoch"],
        group[-1]["topologyEpoch"],
        group[-1]["subtopologies"],
    ) == ("streams", 6, 0, 2)


def test_a_member_of_a_streams_group_has_its_tasks() -> None:
    members = story()
    assert members["group-member", TWO][-1]["activeTasks"] == ["0_1", "1_1"]
    assert members["group-member", TWO][-1]["standbyTasks"] == ["1_0"]
    revoking = [version for version in members["group-member", ONE] if version.get("tasksPendingRevocation")]
    assert [(one["memberState"], one["tasksPendingRevocation"]) for one in revoking] == [
        ("UnrevokedTasks", ["0_1", "1_1"])
    ]
    assert revoking[0]["clientId"] == "app-one-StreamThread-1-consumer"


def test_the_topology_of_a_streams_group_is_an_entity() -> None:
    (topology,) = story()["group-topology", "app"]
    assert [one["subtopologyId"] for one in topology["subtopologies"]] == ["0", "1"]
    assert topology["subtopologies"][0]["sourceTopics"] == ["orders"]


def test_nothing_stays_of_deleted_groups() -> None:
    stays = {key for key, versions in story().items() if versions[-1]["until"] is None}
    assert stays
    assert {entity_id.partition("/")[0] for _, entity_id in stays} == {"billing"}


def text(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()


@pytest.mark.parametrize(
    ("kind", "value", "members"),
    [
        (11, struct.pack(">hi", 0, 7) + b"\0", {"epoch": 7}),
        (11, struct.pack(">hiq", 0, 7, -2) + b"\0", {"epoch": 7, "metadataHash": -2}),
        (15, b"\0\0\1\1\0", {"initializedTopics": [], "deletingTopics": []}),
        (15, b"\0\0\1\1\1\0", {"initializingTopics": [], "initializedTopics": [], "deletingTopics": []}),
        (
            15, b"\0\0\1\2" + bytes(16) + b"\2o\0\0",
            {"initializedTopics": [], "deletingTopics": [{"topicId": "A" * 22, "topicName": "o"}]},
        ),
    ],
    ids=["epoch of 4.0", "epoch", "state of 4.0", "state", "deletion of 4.0"],
)  # fmt: skip
def test_share_groups_have_a_form_of_4_0_and_one_since(
    kind: int, value: bytes, members: dict[str, Any]
) -> None:
    *_, attributes, error, _ = read_record(struct.pack(">h", kind) + text("g"), value)
    assert error is None
    assert json.loads(attributes or "") == {"groupId": "g", **members}


def test_any_cut_is_an_error_in_words() -> None:
    for key, value in RECORDS:
        for size in range(len(value or b"")):
            *_, attributes, error, _ = read_record(key, (value or b"")[:size])
            is_older_form = error is None and struct.unpack_from(">h", key)[0] in (11, 15)
            assert is_older_form or json.loads(attributes or "")["effect"] == "fatal"


def test_a_group_of_4_1_does_not_say_whether_its_topology_is_validated() -> None:
    """Its epoch record has no tagged fields."""
    member = next(record for record in RECORDS if record[0].startswith(b"\0\x13\0\3app"))
    epoch = (struct.pack(">h", 17) + text("app"), struct.pack(">hiq", 0, 4, 9) + b"\0")
    rows = records_table(*({"key": key, "value": value} for key, value in (member, epoch)))
    state, _ = replayed(dialect, interpret(rows))
    newest = [json.loads(row["attributes"]) for row in state.to_pylist() if row["entity_type"] == "group"][-1]
    assert (newest.get("state"), newest["epoch"], newest["members"]) == (None, 4, 1)
