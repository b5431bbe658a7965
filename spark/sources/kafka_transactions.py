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

from spark.sources._iso_time import iso_ms
from spark.sources._tool_prints import Facts, Row, are_most, number, rows, tool_print
from spark.terms.wording import plural, some

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
NAMED = 5


def has_header(text: str) -> bool:
    """Whether a table of the tool begins in the text; it may have no rows."""
    if "ProducerId" not in text:
        return False
    lines = [line.split() for line in text.splitlines()]
    return any(tuple(words[-len(header) :]) == header for words in lines for header in HEADERS)


def parse(text: str) -> list[Row]:
    """Rows of every table, each under the names of its header."""
    return list(rows(text, HEADERS, least=2))


def matches(text: str) -> bool:
    """Whether its tables are most of the text; a table may have no rows."""
    return has_header(text) and are_most(len(parse(text)) + 2, text)


def facts(text: str, _: str) -> Facts:
    rows = parse(text)
    hanging_rows = [hanging(row) for row in rows if "StartOffset" in row]
    return {"printed": hanging_rows + [transaction_row(row) for row in rows if "TransactionalId" in row]}


def hanging(row: Row) -> dict[str, object]:
    """A transaction that the tool reports as hanging."""
    return {
        "topic": row["Topic"],
        "partition": number(row["Partition"]),
        "kind": "hanging",
        "name": None,
        "value": None,
        "offset": number(row["StartOffset"]),
        "producer_id": number(row["ProducerId"]),
        "producer_epoch": number(row["ProducerEpoch"]),
        "timestamp_ms": milliseconds(row.get("LastTimestamp")),
    }


def transaction_row(row: Row) -> dict[str, object]:
    """A coordinator's state of a transactional id."""
    return {
        "topic": "",
        "partition": None,
        "kind": "transaction",
        "name": row["TransactionalId"],
        "value": row.get("TransactionState"),
        "offset": None,
        "producer_id": number(row.get("ProducerId")),
        "producer_epoch": number(row.get("ProducerEpoch")),
        "timestamp_ms": None,
    }


def milliseconds(text: str | None) -> int | None:
    """Milliseconds from a time as the tool prints it (ISO 8601), or from milliseconds."""
    if text is None:
        return None
    value = number(text)
    return iso_ms(text) if value is None else value


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


source = tool_print("kafka-transactions", "kafka-transactions", matches, facts, sentence)
