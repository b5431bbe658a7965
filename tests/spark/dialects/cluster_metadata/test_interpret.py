"""Values of `__cluster_metadata`: every record of a real journal against the broker's own print; damage; secrets."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from spark.dialects.cluster_metadata import sniff
from spark.dialects.cluster_metadata.interpret import interpret, read_record
from tests.builders import records_table
from tests.spark.controller_records import (
    NO_OP,
    broker,
    config,
    framed,
    new_leader,
    partition,
    scram,
    topic,
)
from tests.spark.transaction_logs import CORPUS, NO_CORPUS, read_logs

CASE = CORPUS / "internal-real" / "cluster-metadata-391"
PRINTED = re.compile(r"offset: (\d+) .*? payload: (\{.*\})$")
SECRETS = ("salt", "storedKey", "serverKey")


@pytest.mark.parametrize(
    ("value", "kind", "action", "entity"),
    [
        (topic(), "Topic", "create", "AAECAwQFBgcICQoLDA0ODw"),
        (partition(3), "Partition", "create", "AAECAwQFBgcICQoLDA0ODw/3"),
        (new_leader(2), "PartitionChange", "update", "AAECAwQFBgcICQoLDA0ODw/0"),
        (config("retention.ms", "5"), "Config", "update", "topic/orders/retention.ms"),
        (config("retention.ms", None), "Config", "delete", "topic/orders/retention.ms"),
        (broker(), "RegisterBroker", "register", "1"),
        (scram(), "UserScramCredential", "update", "alice/SCRAM-SHA-256"),
        (NO_OP, "NoOp", "no-op", None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_record_says_what_it_is_about(value: bytes, kind: str, action: str, entity: str | None) -> None:
    assert (*read_record(None, value)[:3], read_record(None, value)[4]) == (kind, action, entity, None)


# What a broker of 4.4.0 wrote when it registered (its features left out), and when no log directory was cordoned.
REGISTRATION = bytes.fromhex(
    "0100040000000100fc1237161a6948cdb9989c1e18652f0a000000000000000c020a504c41494e544558540a3132372e302e302e317304"
    "00000001000100010011021f780799e43de5af9f17a87c5690a9e9"
)
CHANGE = bytes.fromhex("01110300000001000000000000000c01030101")


def test_a_broker_of_4_3_and_later_registers_with_another_version() -> None:
    kind, action, _, attributes, error, _ = read_record(None, REGISTRATION)
    assert (kind, action, error) == ("RegisterBroker", "register", None)
    assert json.loads(attributes or "")["logDirs"] == ["H3gHmeQ95a-fF6h8VpCp6Q"]
    kind, action, _, attributes, error, _ = read_record(None, CHANGE)
    assert (kind, action, error) == ("BrokerRegistrationChange", "update", None)
    assert json.loads(attributes or "") == {"brokerId": 1, "brokerEpoch": 12, "cordonedLogDirs": []}


def test_secrets_stay_out() -> None:
    credential = json.loads(read_record(None, scram())[3] or "")
    assert [credential[name] for name in SECRETS] == ["[redacted]"] * 3
    assert credential["iterations"] == 4096
    setting = json.loads(read_record(None, config("ssl.keystore.password", "hunter2"))[3] or "")
    assert setting["value"] == "[redacted]"


@pytest.mark.parametrize(
    "value",
    [None, b"", b"\x01", b"\x00\x02\x00", framed(99, b""), framed(2, b"\x00"), topic() + b"x", b"\xff" * 9],
    ids=repr,
)
def test_another_value_is_refused_in_words(value: bytes | None) -> None:
    assert read_record(None, value)[4]


def test_any_cut_and_any_flipped_bit_never_raises() -> None:
    for whole in (topic(), partition(), new_leader(2), broker(), scram(), config("a", "b")):
        for size in range(len(whole)):
            assert read_record(None, whole[:size])[4]
        for bit in range(len(whole) * 8):
            flipped = bytearray(whole)
            flipped[bit // 8] ^= 1 << bit % 8
            assert len(read_record(None, bytes(flipped))) == 6


@pytest.mark.skipif(not CASE.is_dir(), reason=NO_CORPUS)
def test_a_real_journal_is_read_as_its_broker_printed_it() -> None:
    rows = [
        row
        for row in interpret(read_logs(CASE)["records"]).to_pylist()
        if row["topic"] == "__cluster_metadata"
    ]
    told = {row["offset"]: row for row in rows}
    truth = printed(CASE / "__cluster_metadata-0.decoded.txt")
    assert [row["offset"] for row in rows if row["decode_error"]] == []
    for offset, kind, members in truth:
        attributes = json.loads(told[offset]["attributes"])
        for name in SECRETS:
            attributes.pop(name, None)
            members.pop(name, None)
        assert (told[offset]["entry_type"], attributes) == (kind, members)
    rest = told.keys() - {offset for offset, _, _ in truth}
    assert {told[offset]["entry_type"] for offset in rest} == {"NoOp"}
    assert (len(truth), len(told)) == (108, 193)


def printed(path: Path) -> list[tuple[int, str, dict[str, Any]]]:
    found = []
    for line in path.read_text().splitlines():
        if match := PRINTED.search(line):
            payload = json.loads(match[2])
            words = payload["type"].removesuffix("_RECORD").split("_")
            found.append((int(match[1]), "".join(word.capitalize() for word in words), payload["data"]))
    return found


def test_it_is_told_by_its_values_or_by_its_name() -> None:
    rows = records_table({"key": None, "value": topic()}, {"key": None, "value": partition()})
    assert sniff("__cluster_metadata", rows).score == 100
    assert sniff("__cluster_metadata snapshot 59-1", rows).score == 100
    assert sniff("copy", rows).score == 80
    assert sniff("copy", rows.slice(0, 1)).score == 0
    assert sniff("copy", records_table({"value": topic()}, {"value": partition()})).score == 0
    assert sniff("orders", records_table()).score == 0


def test_a_record_that_cannot_be_read_stops_a_node() -> None:
    (row,) = interpret(records_table({"key": None, "value": b"\x01"})).to_pylist()
    assert (row["decode_error"] is not None, json.loads(row["attributes"])) == (True, {"effect": "fatal"})
