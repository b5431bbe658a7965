"""Partitions without a leader, in the output of kafka-topics --describe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.terms.errors import UnreadableInput
from tests.spark.log_folders import write
from tests.spark.sources.prints_of_tools import TOPICS
from tests.spark.whole_pipeline import report_of

ID = "partition-offline"
HEAD = "Topic: orders\tTopicId: MqaC0ZlYQPKFgPeBTMs6HA\tPartitionCount: 3\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
DUMP = b'{"topic":"orders","partition":0,"offset":0,"tstype":"create","ts":1710155643772,"broker":1,"key":"k","payload":"v"}\n'


def line(number: int, leader: str, isr: str, elr: str = "") -> str:
    more = f"\tElr: {elr}\tLastKnownElr: " if elr else ""
    return f"\tTopic: orders\tPartition: {number}\tLeader: {leader}\tReplicas: 4,5,1\tIsr: {isr}{more}\n"


def report(folder: Path, *texts: str, dump: bytes = b"") -> dict[str, Any]:
    files = {f"print-{number}.txt": text.encode() for number, text in enumerate(texts)}
    return report_of(
        write(folder / "input", files | ({"dump.json": dump} if dump else {})), folder / "results"
    )


def found(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in document["findings"] if one["detector"] == ID]


def test_the_output_alone_makes_a_report(tmp_path: Path) -> None:
    document = report(tmp_path, HEAD + line(0, "none", "5") + line(1, "none", "5") + line(2, "1", "1,4"))
    (finding,) = found(document)
    assert (finding["severity"], finding["topic"], finding["partition"]) == ("high", "orders", None)
    assert finding["title"] == "2 partitions of orders are offline: only broker 5 can lead them"
    assert "Broker 5 has the last in-sync replica, and leads and follows no other" in finding["explanation"]
    assert [one["entity_id"] for one in finding["effects"]] == ["orders-0", "orders-1"]
    assert document["verdict"]["sentence"] == (
        "2 partitions are offline: they have no leader. The output of kafka-topics --describe contains no records."
    )
    said = " ".join(document["coverage"]["capture"])
    assert "orders-0 has no leader" in said
    assert "fewer than min.insync.replicas=2" in said
    assert (
        "in-sync replicas 1,4, according to kafka-topics --describe (journal-0/print-0.txt). Not all replicas are in sync."
        in said
    )


def test_checks_that_had_nothing_to_look_at_are_not_counted_as_clean(tmp_path: Path) -> None:
    records = {"crc-mismatch", "null-key", "hanging-transaction"}
    alone = report(tmp_path / "alone", line(0, "none", "5"))
    assert not records.intersection(alone["clean"])
    assert alone["unrun_checks"]["does_not_apply"].endswith("; the input contains no records.")
    beside = report(tmp_path / "beside", line(0, "none", "5"), dump=DUMP)
    assert "null-key" in beside["clean"]


def test_only_the_partitions_without_a_leader_are_printed_by_an_option(tmp_path: Path) -> None:
    (finding,) = found(report(tmp_path, line(0, "-1", "5")))
    assert finding["title"] == "Partition orders-0 is offline: only broker 5 can lead it"
    assert finding["partition"] == 0


def test_brokers_that_lead_others_may_have_lost_a_disk(tmp_path: Path) -> None:
    (finding,) = found(report(tmp_path, HEAD + line(0, "none", "5") + line(1, "5", "5,4")))
    assert "5 leads or follows other partitions: a log directory can be offline" in finding["explanation"]
    assert "Check its log directories" in finding["remedy"]


def test_eligible_replicas_may_lead(tmp_path: Path) -> None:
    (finding,) = found(report(tmp_path, HEAD + line(0, "none", "", elr="4,5")))
    assert finding["title"].endswith("only brokers 4 and 5 can lead it")


def test_beside_a_dump_its_topic_is_judged(tmp_path: Path) -> None:
    document = report(tmp_path, HEAD + line(0, "none", "5"), dump=DUMP)
    assert [one["title"] for one in found(document)] == [
        "Partition orders-0 is offline: only broker 5 can lead it"
    ]
    assert [one["verdict"]["level"] for one in document["journals"]] == ["high"]


def test_the_last_file_counts(tmp_path: Path) -> None:
    texts = HEAD + line(0, "none", "5"), HEAD + line(0, "1", "1")
    assert found(report(tmp_path, *texts, dump=DUMP)) == []


def test_with_leaders_the_output_alone_is_refused_as_before(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"contains no records; send a dump of the topic orders"):
        report(tmp_path, TOPICS["4.1"])
