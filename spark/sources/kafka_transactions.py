"""`kafka-transactions`: tables of transactional ids (list, describe), of a partition's producers, of what hangs.

    list                TransactionalId Coordinator ProducerId TransactionState
    describe            CoordinatorId TransactionalId ProducerId ProducerEpoch TransactionState TransactionTimeoutMs
                        CurrentTransactionStartTimeMs TransactionDurationMs TopicPartitions
    describe-producers  ProducerId ProducerEpoch LatestCoordinatorEpoch LastSequence LastTimestamp CurrentTransactionStartOffset
    find-hanging        Topic Partition ProducerId ProducerEpoch [CoordinatorEpoch] StartOffset LastTimestamp Duration(min|s)

Source: Kafka `TransactionsCommand` 3.0 to 4.1; find-hanging of builds before 3.0 has no coordinator epoch. `describe-producers`
does not name its partition: its table is shown and not used.
"""

from __future__ import annotations

import re

from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.tables import DeclaredTable, Fact, Facts, columns, number_in, text_in
from spark.sources._iso_time import iso_ms
from spark.terms.wording import plural, some

LIST = columns(
    "id",
    "TransactionalId {id:cell}",
    "Coordinator {coordinator:count}",
    "ProducerId {producer_id:long}{}",
    "TransactionState {state:cell}",
)
DESCRIBE = columns(
    "id",
    "CoordinatorId {coordinator:count}",
    "TransactionalId {id:cell}",
    "ProducerId {producer_id:long}",
    "ProducerEpoch {producer_epoch:long}{}",
    "TransactionState {state:cell}",
    "TransactionTimeoutMs {timeout:optional}",
    "CurrentTransactionStartTimeMs {begun:optional}",
    "TransactionDurationMs {duration:optional}",
    "TopicPartitions {partitions:cell}",
    may_lack=1,
)
PRODUCERS = columns(
    "producer",
    "ProducerId {producer_id:long}",
    "ProducerEpoch {producer_epoch:long}{}",
    "LatestCoordinatorEpoch {coordinator_epoch:optional}",
    "LastSequence {sequence:optional}",
    "LastTimestamp {last:cell}",
    "CurrentTransactionStartOffset {offset:optional}",
    may_lack=1,
)
HANGING = [
    columns(
        "hanging", "Topic {topic}", "Partition {partition}", "ProducerId {producer_id:long}{}", "ProducerEpoch {producer_epoch:long}", *epoch,
        "StartOffset {offset}", "LastTimestamp {last:cell}", duration + " {duration:cell}", may_lack=1,
    )
    for epoch in ((), ("CoordinatorEpoch {coordinator_epoch:long}",))
    for duration in ("Duration(min)", "Duration(s)")
]  # fmt: skip
NAMED = 5


def facts(readings: list[RowReading], _: str) -> Facts:
    hanging_rows = [hanging(reading) for reading in readings if reading.row.form == "hanging"]
    return {
        "printed": hanging_rows
        + [transaction_row(reading) for reading in readings if reading.row.form == "id"]
    }


def hanging(reading: RowReading) -> Fact:
    """A transaction that the tool reports as hanging."""
    return {
        "topic": text_in(reading, "topic"),
        "partition": number_in(reading, "partition"),
        "kind": "hanging",
        "name": None,
        "value": None,
        "offset": number_in(reading, "offset"),
        "producer_id": number_in(reading, "producer_id"),
        "producer_epoch": number_in(reading, "producer_epoch"),
        "timestamp_ms": milliseconds(reading),
    }


def transaction_row(reading: RowReading) -> Fact:
    """A coordinator's state of a transactional id."""
    return {
        "topic": "",
        "partition": None,
        "kind": "transaction",
        "name": text_in(reading, "id"),
        "value": text_in(reading, "state"),
        "offset": None,
        "producer_id": number_in(reading, "producer_id"),
        "producer_epoch": number_in(reading, "producer_epoch"),
        "timestamp_ms": None,
    }


def milliseconds(reading: RowReading) -> int | None:
    """Milliseconds from a time as the tool prints it (ISO 8601), or from milliseconds."""
    value = number_in(reading, "last")
    return iso_ms(text_in(reading, "last")) if value is None else value


def sentence(rows: Facts) -> str:
    """The hanging transactions, and the number of ids."""
    hang = [row for row in rows["printed"] if row["kind"] == "hanging"]
    ids = len(rows["printed"]) - len(hang)
    named = [
        f"producer {row['producer_id']} in {row['topic']}-{row['partition']} from offset {row['offset']}"
        for row in hang
    ]
    sentences = [f"Transactions that hang: {some(named, NAMED)}."] if hang else []
    sentences += [f"States of {plural(ids, 'transactional id')}."] if ids else []
    return " ".join(sentences) or "No usable transaction."


declared = DeclaredTable(
    "kafka-transactions",
    "kafka-transactions",
    (LIST, DESCRIBE, PRODUCERS, *HANGING),
    re.compile(rb"kafka-transactions"),
    facts,
    sentence,
)
source = declared.source()
