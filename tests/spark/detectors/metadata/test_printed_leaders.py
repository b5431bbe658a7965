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
    assert (
        finding["title"]
        == "2 of 3 partitions of orders are offline: only broker 5 can lead them without lost records"
    )
    assert "Broker 5 has the last in-sync replica, and leads and follows no other" in finding["explanation"]
    assert [one["entity_id"] for one in finding["effects"]] == ["orders-0", "orders-1"]
    assert document["verdict"]["sentence"] == (
        "2 of 3 partitions of orders are offline: they have no leader. The output of kafka-topics --describe contains no records."
    )
    said = " ".join(document["coverage"]["capture"])
    assert "orders-0 has no leader" in said
    assert "fewer than min.insync.replicas=2" in said
    assert (
        "in-sync replicas 1,4, according to kafka-topics --describe (journal-0/print-0.txt). Not all replicas are in sync."
        in said
    )


def beside_indexes(folder: Path) -> dict[str, Any]:
    files = {"./print.txt": line(0, "none", "5").encode(), f"orders-0/{0:020}.index": bytes(8)}
    return report_of(write(folder / "input", files), folder / "results")


def test_checks_that_had_nothing_to_look_at_are_not_counted_as_clean(tmp_path: Path) -> None:
    records = {"crc-mismatch", "null-key", "hanging-transaction"}
    alone = report(tmp_path / "alone", line(0, "none", "5"))
    assert alone["clean"] == []  # no check of a log has looked at the facts that the tool printed
    assert not records.intersection(beside_indexes(tmp_path / "indexes")["clean"])
    assert alone["unrun_checks"]["does_not_apply"].endswith("; the input contains no records.")
    beside = report(tmp_path / "beside", line(0, "none", "5"), dump=DUMP)
    assert "offset-order" in beside["clean"]


def internal(topic: str, *numbers: int, count: int = 50) -> str:
    head = f"Topic: {topic}\tPartitionCount: {count}\tReplicationFactor: 3\tConfigs: \n"
    return head + "".join(line(number, "none", "5").replace("orders", topic) for number in numbers)


@pytest.mark.parametrize(
    ("topic", "whom", "stops", "lacks"),
    [
        ("__consumer_offsets", "groups", "cannot join, fetch or commit offsets", "it can lack committed offsets of groups"),
        ("__transaction_state", "transactional", "cannot begin or end a transaction", "it can lack states of transactions"),
        ("orders", "clients", "accepts no records and serves none", "that producers got an acknowledgment for"),
    ],
)  # fmt: skip
def test_the_victims_are_those_whom_the_leader_serves(
    topic: str, whom: str, stops: str, lacks: str, tmp_path: Path
) -> None:
    (finding,) = found(report(tmp_path, internal(topic, 0)))
    assert [(one["entity_id"], one["whom"]) for one in finding["effects"]] == [(f"{topic}-0", whom)]
    assert stops in finding["explanation"]
    assert lacks in finding["explanation"]
    assert ("can lose committed offsets" in finding["remedy"]) == (whom == "groups")


def test_an_output_with_a_part_of_the_partitions_says_so(tmp_path: Path) -> None:
    document = report(tmp_path / "part", internal("__consumer_offsets", 0, 1))
    counted = "At least 2 of 50 partitions of __consumer_offsets are offline: "
    assert found(document)[0]["title"].startswith(counted)
    assert document["verdict"]["sentence"].startswith(f"{counted}they have no leader.")
    said = "has 2 of 50 partitions of __consumer_offsets."
    assert any(said in sentence for sentence in document["coverage"]["capture"])
    assert (
        "The output has 2 of 50 partitions: others can be offline, too." in found(document)[0]["explanation"]
    )
    whole = report(tmp_path / "whole", internal("orders", 0, 1, count=2))
    assert not any("partitions of" in sentence for sentence in whole["coverage"]["capture"])
    assert "The output has" not in found(whole)[0]["explanation"]


def test_partitions_that_wait_for_different_brokers_are_counted_together_in_the_verdict(
    tmp_path: Path,
) -> None:
    document = report(tmp_path, HEAD + line(0, "none", "5") + line(1, "none", "5") + line(2, "none", "4"))
    assert (
        found(document)[0]["title"]
        == "2 partitions of orders are offline: only broker 5 can lead them without lost records"
    )
    assert document["verdict"]["sentence"].startswith("3 of 3 partitions of orders are offline: ")


def test_the_way_from_a_group_to_its_partition_is_said(tmp_path: Path) -> None:
    for topic, said in (
        ("__consumer_offsets", "Group G is in partition abs(hashCode of G) mod 50."),
        ("__transaction_state", "Transactional ID T is in partition abs(hashCode of T) mod 50."),
        ("orders", ""),
    ):
        (finding,) = found(report(tmp_path / topic, internal(topic, 0)))
        assert said in finding["explanation"]
        assert ("hashCode" in finding["explanation"]) == bool(said)


def test_brokers_whose_replicas_left_the_isr_are_checked_too(tmp_path: Path) -> None:
    (finding,) = found(report(tmp_path / "two", line(0, "none", "5") + line(1, "none", "5")))
    assert (
        "Check that brokers 1 and 4 run. If the disks of broker 5 are lost, an unclean election can make one of them the leader"
        in finding["remedy"]
    )
    assert "the partitions depend on broker 5 alone" in finding["remedy"]
    assert "--under-replicated-partitions" in finding["remedy"]
    assert "reassign" not in finding["remedy"]
    (single,) = found(report(tmp_path / "one", line(1, "none", "5").replace("4,5,1", "5")))
    assert "--under-replicated-partitions" not in single["remedy"]


def test_an_output_without_a_leader_has_no_others(tmp_path: Path) -> None:
    (finding,) = found(report(tmp_path, line(0, "none", "5")))
    assert "whether it is down or a log directory is offline. Unless" in finding["explanation"]


def test_another_replica_leads_only_with_unclean_elections(tmp_path: Path) -> None:
    setting = "unclean.leader.election.enable"
    (unknown,) = found(report(tmp_path / "unknown", HEAD + line(0, "none", "5")))
    assert f"Unless {setting} is true, the controller chooses no other replica" in unknown["explanation"]
    (unclean,) = found(
        report(tmp_path / "unclean", HEAD.strip() + f",{setting}=true\n" + line(0, "none", "5"))
    )
    assert f"{setting} is true, so the controller can choose an active replica" in unclean["explanation"]
    assert unclean["title"].endswith("only broker 5 can lead it without lost records")


def test_the_election_names_the_partitions_that_have_other_replicas(tmp_path: Path) -> None:
    (one,) = found(report(tmp_path / "one", line(3, "none", "5")))
    assert "--election-type unclean --topic orders --partition 3`" in one["remedy"]
    single = line(1, "none", "5").replace("4,5,1", "5")
    (several,) = found(report(tmp_path / "several", line(0, "none", "5") + single + line(2, "none", "5")))
    members = '[{"topic": "orders", "partition": 0}, {"topic": "orders", "partition": 2}]'
    assert f'Write `{{"partitions": {members}}}` into partitions.json' in several["remedy"]
    assert "an election does not help" in several["remedy"]
    assert "no record is lost" not in several["remedy"]
    (alone,) = found(report(tmp_path / "alone", single))
    assert "unclean" not in alone["remedy"]
    many = "".join(line(number, "none", "5") for number in range(12))
    assert (
        "`, and 2 other partitions in the same form, into"
        in found(report(tmp_path / "many", many))[0]["remedy"]
    )


def test_only_the_partitions_without_a_leader_are_printed_by_an_option(tmp_path: Path) -> None:
    (finding,) = found(report(tmp_path, line(0, "-1", "5")))
    assert finding["title"] == "Partition orders-0 is offline: only broker 5 can lead it without lost records"
    assert finding["partition"] == 0


def test_brokers_that_lead_others_may_have_lost_a_disk(tmp_path: Path) -> None:
    (finding,) = found(report(tmp_path, HEAD + line(0, "none", "5") + line(1, "5", "5,4")))
    assert "5 leads or follows other partitions: a log directory can be offline" in finding["explanation"]
    assert "and its log directories" in finding["remedy"]
    (unknown,) = found(report(tmp_path / "unknown", line(0, "none", "5")))
    assert "Start broker 5 with the same disks, if it is down." in unknown["remedy"]
    assert "If broker 5 runs, a log directory can be offline." in unknown["remedy"]


def test_eligible_replicas_may_lead(tmp_path: Path) -> None:
    (finding,) = found(report(tmp_path, HEAD + line(0, "none", "", elr="4,5")))
    assert finding["title"].endswith("only brokers 4 and 5 can lead it without lost records")


def test_beside_a_dump_its_topic_is_judged(tmp_path: Path) -> None:
    document = report(tmp_path, HEAD + line(0, "none", "5"), dump=DUMP)
    assert [one["title"] for one in found(document)] == [
        "Partition orders-0 is offline: only broker 5 can lead it without lost records"
    ]
    assert [one["verdict"]["level"] for one in document["journals"]] == ["high"]


def test_the_last_file_counts(tmp_path: Path) -> None:
    texts = HEAD + line(0, "none", "5"), HEAD + line(0, "1", "1")
    assert found(report(tmp_path, *texts, dump=DUMP)) == []


def test_with_leaders_the_output_alone_is_refused_as_before(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"contains no records\. Send a dump of the topic orders"):
        report(tmp_path, TOPICS["4.1"])
