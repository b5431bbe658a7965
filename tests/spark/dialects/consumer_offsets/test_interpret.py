"""Keys and values of `__consumer_offsets`: every record of a real journal against the broker's own print; damage."""

from __future__ import annotations

import json
import re
import struct
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from spark.codecs.kafka_topics.consumer_offsets import RECORD_TYPES
from spark.dialects import dialects
from spark.dialects.consumer_offsets import sniff
from spark.dialects.consumer_offsets.interpret import interpret, read_record
from tests.builders import records_table
from tests.spark.transaction_logs import CORPUS, NO_CORPUS, read_logs

CASE = CORPUS / "internal-real" / "consumer-offsets-391"
PRINTED = re.compile(r"offset: (\d+) .*? key: (\{.*?\}\}) payload: (.*)$")


def text(value: bytes) -> bytes:
    return struct.pack(">h", len(value)) + value


def commit_key(group: bytes = b"payments", topic: bytes = b"orders", partition: int = 0) -> bytes:
    return struct.pack(">h", 1) + text(group) + text(topic) + struct.pack(">i", partition)


def commit_value(offset: int = 7, version: int = 3) -> bytes:
    epoch = struct.pack(">i", 2) if version >= 3 else b""
    expiry = struct.pack(">q", 9) if version == 1 else b""
    if version == 4:
        return struct.pack(">hq", 4, offset) + epoch + b"\x01" + struct.pack(">q", 5) + b"\x00"
    return struct.pack(">hq", version, offset) + epoch + text(b"") + struct.pack(">q", 5) + expiry


@pytest.mark.parametrize("version", range(5))
def test_every_version_of_a_commit_is_read(version: int) -> None:
    kind, action, entity, attributes, error, _ = read_record(commit_key(), commit_value(7, version))
    read = json.loads(attributes or "")
    assert (kind, action, entity, error) == ("offset-commit", "commit", "payments/orders/0", None)
    assert (read["offset"], read["metadata"], read["commitTimestamp"]) == (7, "", 5)
    assert ("leaderEpoch" in read, "expireTimestamp" in read) == (version >= 3, version == 1)


def test_bytes_behind_the_last_field_do_not_matter() -> None:
    _, action, _, attributes, error, _ = read_record(commit_key(), commit_value(7) + b"zz")
    assert (action, error, json.loads(attributes or "")["offset"]) == ("commit", None, 7)


def test_a_null_value_is_a_delete() -> None:
    assert read_record(commit_key(), None)[:3] == ("offset-commit", "delete", "payments/orders/0")
    assert read_record(struct.pack(">h", 2) + text(b"g"), None)[:4] == (
        "group",
        "delete",
        "g",
        '{"group":"g"}',
    )


# What a broker (4.1.1) wrote of a member of the classic protocol in a group that was upgraded to the newer one.
CLASSIC_MEMBER = bytes.fromhex(
    "000000000363310b2f3132372e302e302e3102076f726465727301000493e000010060010000afc8030672616e67651d0003000000"
    "0100066f7264657273ffffffff00000000ffffffffffff0013636f6f70657261746976652d737469636b7921000300000001000"
    "66f726465727300000004ffffffff00000000ffffffffffff0000"
)


def test_a_member_of_the_classic_protocol_in_an_upgraded_group_is_read() -> None:
    key = struct.pack(">h", 5) + text(b"upgraded") + text(b"c1-640")
    kind, action, _, attributes, error, _ = read_record(key, CLASSIC_MEMBER)
    classic = json.loads(attributes or "")["classicMemberMetadata"]
    assert (kind, action, error) == ("consumer-group-member", "update", None)
    assert classic["sessionTimeoutMs"] == 45_000
    assert [one["name"] for one in classic["supportedProtocols"]] == ["range", "cooperative-sticky"]


def test_a_commit_may_name_its_topic_by_id() -> None:
    value = commit_value(7, 4)[:-1] + b"\x01\x00\x10" + bytes(range(16))
    _, action, _, attributes, error, _ = read_record(commit_key(), value)
    assert (action, error, json.loads(attributes or "")["topicId"]) == (
        "commit",
        None,
        "AAECAwQFBgcICQoLDA0ODw",
    )


@pytest.mark.parametrize("number", sorted(RECORD_TYPES))
def test_every_record_type_is_named(number: int) -> None:
    fields = {"OffsetCommitKey": text(b"g") + text(b"t") + struct.pack(">i", 1), "GroupMemberKey": text(b"g") * 2,
              "GroupRegularExpressionKey": text(b"g") * 2}  # fmt: skip
    key = struct.pack(">h", number) + fields.get(RECORD_TYPES[number].key.name, text(b"g"))
    assert read_record(key, None)[:2] == (RECORD_TYPES[number].entry_type, "delete")


@pytest.mark.parametrize("key", [None, b"", b"\x00", struct.pack(">h", 99), commit_key() + b"x"], ids=repr)
def test_a_key_of_another_kind_is_refused(key: bytes | None) -> None:
    read = read_record(key, commit_value())
    assert read[1] is None
    assert read[4]


def test_any_cut_is_an_error_in_words() -> None:
    for whole in (commit_value(), commit_value(version=4)):
        for size in range(len(whole)):
            assert read_record(commit_key(), whole[:size])[4]


def test_a_flipped_bit_never_raises() -> None:
    for record in real_records():
        value = record["value"] or b""
        for bit in range(0, len(value) * 8, 7):
            flipped = bytearray(value)
            flipped[bit // 8] ^= 1 << bit % 8
            assert len(read_record(record["key"], bytes(flipped))) == 6


def real_records() -> list[dict[str, Any]]:
    if not CASE.is_dir():
        return [{"key": commit_key(), "value": commit_value()}]
    return [row for row in read_logs(CASE)["records"].to_pylist() if row["control_type"] is None][:60]


@pytest.mark.skipif(not CASE.is_dir(), reason=NO_CORPUS)
@pytest.mark.parametrize("partition", range(3))
def test_a_real_journal_is_read_as_its_broker_printed_it(partition: int) -> None:
    records = read_logs(CASE)["records"]
    told = {
        entry["offset"]: entry for entry in interpret(records).to_pylist() if entry["partition"] == partition
    }
    compared = 0
    for offset, key, value in printed(CASE / f"__consumer_offsets-{partition}.decoded.txt"):
        attributes = json.loads(told[offset]["attributes"])
        assert told[offset]["decode_error"] is None
        if value is None:
            assert told[offset]["entry_action"] == "delete"
        else:
            assert {**key, **as_printed(attributes)} == {**key, **value}
        compared += 1
    assert compared == len(told)


def printed(path: Path) -> list[tuple[int, dict[str, Any], dict[str, Any] | None]]:
    found = []
    for line in path.read_text().splitlines():
        if match := PRINTED.search(line):
            value = None if match[3].startswith("<DELETE>") else json.loads(match[3])["data"]
            found.append((int(match[1]), json.loads(match[2])["data"], value))
    return found


def as_printed(attributes: dict[str, Any]) -> dict[str, Any]:
    """The broker prints null bytes as empty text and names tagged fields that are not set."""
    for member in attributes.get("members", ()):
        for part in ("subscription", "assignment"):
            member[part]["userData"] = b64decode(member[part]["userData"] or "").decode()
    if "subscribedTopicNames" in attributes:
        attributes.setdefault("classicMemberMetadata", None)
    return attributes


def test_it_is_told_by_its_records_and_by_its_name() -> None:
    rows = records_table({"key": commit_key(), "value": commit_value()}, {"key": commit_key(), "value": None})
    assert sniff("__consumer_offsets", rows).score == 100
    assert sniff("copy", rows).score > dialects()["plain"].sniff("copy", rows).score
    assert sniff("orders", records_table({}, {})).score == 0
    assert sniff("orders", records_table()).score == 0


def test_records_of_another_make_between_do_not_hide_it() -> None:
    rows = [{"key": commit_key(partition=n), "value": commit_value()} for n in range(19)]
    assert sniff("copy", records_table(*rows, {"key": struct.pack(">h", 77)})).score == 80
    assert sniff("copy", records_table(*rows[:4], {"key": struct.pack(">h", 77)})).score == 0


@pytest.mark.parametrize(
    ("key", "value", "effect"),
    [
        (commit_key(), commit_value()[:9], "fatal"),
        (commit_key(), struct.pack(">h", 9) + commit_value()[2:], "fatal"),
        (commit_key()[:-1], commit_value(), "fatal"),
        (None, b"x", "fatal"),
        (struct.pack(">h", 99) + text(b"g"), b"x", "skipped"),
    ],
)
def test_a_coordinator_passes_over_unknown_types_only(key: bytes | None, value: bytes, effect: str) -> None:
    *_, attributes, error, _ = read_record(key, value)
    assert error is not None
    assert json.loads(attributes or "")["effect"] == effect


def test_a_record_whose_key_the_dump_does_not_show_is_no_unreadable_entry() -> None:
    records = records_table({"key": None, "key_is_null": False, "value": None}, {"key": None, "value": None})
    hidden, null = interpret(records).to_pylist()
    assert (hidden["entry_type"], hidden["decode_error"]) == (None, None)
    assert null["decode_error"] is not None
