"""How the choice of partitions counts: partitions, replicas of brokers, copies of other kinds."""

from __future__ import annotations

import pytest

from spark.tables.replica import PartitionReplica
from webapp.reports.replica_choice import counted

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
