"""How the choice of partitions counts: partitions, replicas of brokers, copies of other kinds."""

from __future__ import annotations

import pytest

from spark.tables.replica import PartitionReplica
from tests.webapp.reports.result_folder import finding, report_document
from webapp.reports.replica_choice import choice_of, counted
from webapp.reports.report import read_report

LEDGER = [PartitionReplica("ledger", 0, f"broker-{number}") for number in range(3)]
OTHERS = [PartitionReplica("orders", 0, f"broker-{number}") for number in range(3)]


@pytest.mark.parametrize(
    ("replicas", "are_logs", "words"),
    [
        (LEDGER, True, "3 replicas"),
        (LEDGER, False, "3 copies"),
        ([LEDGER[0], OTHERS[0]], True, "2 partitions"),
        ([*LEDGER, *OTHERS], True, "2 partitions, 3 replicas each"),
        ([*LEDGER, OTHERS[0]], True, "2 partitions, 4 replicas in all"),
        ([*LEDGER, *OTHERS], False, "2 partitions, 3 copies each"),
    ],
)
def test_partitions_and_their_copies_are_told_apart(
    replicas: list[PartitionReplica], are_logs: bool, words: str
) -> None:
    copies = {replica.replica: {"is_log": are_logs or number > 0} for number, replica in enumerate(LEDGER)}
    assert counted(replicas, {"copies_per_partition": {"ledger-0": copies}}) == words
    assert counted(LEDGER, {}) == "3 replicas", "reports of before"


def test_the_worst_replica_is_first_with_its_cause_and_one_without_a_cause_is_last() -> None:
    ofs = {"broker-1": "medium", "broker-2": "critical"}
    findings = [
        finding(name, topic="ledger", replica=name, copies=[], severity=severity)
        for name, severity in ofs.items()
    ]
    choice = choice_of(LEDGER, read_report(report_document(findings=findings)), "", str, "")
    assert choice is not None
    assert [(replica.replica, cause.severity if cause else "") for replica, _, cause in choice.shown] == [
        ("broker-2", "critical"),
        ("broker-1", "medium"),
        ("broker-0", ""),
    ]
    assert (choice.subject, choice.counted) == ("ledger-0", "3 replicas")


@pytest.mark.parametrize(
    ("replicas", "subject"),
    [([LEDGER[0], LEDGER[0]._replace(partition=1)], "ledger"), ([*LEDGER, *OTHERS], "2 topics")],
)
def test_several_partitions_are_named_by_what_they_share(
    replicas: list[PartitionReplica], subject: str
) -> None:
    choice = choice_of(replicas, read_report(report_document()), "", str, "")
    assert choice is not None
    assert choice.subject == subject
