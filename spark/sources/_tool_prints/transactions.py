"""`kafka-transactions`: tables of transactional ids (list, describe), of a partition's producers, of what hangs.

    list                TransactionalId Coordinator ProducerId TransactionState
    describe            CoordinatorId TransactionalId ProducerId ProducerEpoch TransactionState TransactionTimeoutMs
                        CurrentTransactionStartTimeMs TransactionDurationMs TopicPartitions
    describe-producers  ProducerId ProducerEpoch LatestCoordinatorEpoch LastSequence LastTimestamp CurrentTransactionStartOffset
    find-hanging        Topic Partition ProducerId ProducerEpoch [CoordinatorEpoch] StartOffset LastTimestamp Duration(min|s)

Source: Kafka `TransactionsCommand` 3.0 to 4.1; find-hanging of builds before 3.0 has no coordinator epoch.
"""

from __future__ import annotations

from spark.sources._tool_prints.columns import Row, rows

LIST = ("TransactionalId", "Coordinator", "ProducerId", "TransactionState")
DESCRIBE = (
    "CoordinatorId",
    "TransactionalId",
    "ProducerId",
    "ProducerEpoch",
    "TransactionState",
    "TransactionTimeoutMs",
    "CurrentTransactionStartTimeMs",
    "TransactionDurationMs",
    "TopicPartitions",
)
PRODUCERS = (
    "ProducerId",
    "ProducerEpoch",
    "LatestCoordinatorEpoch",
    "LastSequence",
    "LastTimestamp",
    "CurrentTransactionStartOffset",
)
HANGING = [
    ("Topic", "Partition", "ProducerId", "ProducerEpoch", *epoch, "StartOffset", "LastTimestamp", duration)
    for epoch in ((), ("CoordinatorEpoch",))
    for duration in ("Duration(min)", "Duration(s)")
]
HEADERS = (LIST, DESCRIBE, PRODUCERS, *HANGING)


def has_header(text: str) -> bool:
    """Whether a table of the tool begins in the text; it may have no rows."""
    if "ProducerId" not in text:
        return False
    lines = [line.split() for line in text.splitlines()]
    return any(tuple(words[-len(header) :]) == header for words in lines for header in HEADERS)


def hanging(text: str) -> list[Row]:
    return [row for row in rows(text, HEADERS) if "StartOffset" in row]


def parse(text: str) -> list[Row]:
    """Rows of every table, each under the names of its header."""
    return list(rows(text, HEADERS, least=2))
