"""Tables of `kafka-transactions`: transactions that hang, and what coordinators and leaders know of transactions.

The grammar stands in `spark.sources._tool_prints.transactions`. `describe-producers` does not name its partition, so only the
command could tell it: its table is shown and used for nothing.
"""

from __future__ import annotations

from spark.sources._iso_time import iso_ms
from spark.sources._tool_prints import transactions
from spark.sources._tool_prints.columns import Row, number
from spark.sources._tool_prints.source import Facts, are_most, tool_print
from spark.terms.wording import plural, some

NAMED = 5


def matches(text: str) -> bool:
    """Whether its tables are most of the text; a table may have no rows."""
    return transactions.has_header(text) and are_most(len(transactions.parse(text)) + 2, text)


def facts(text: str, _: str) -> Facts:
    rows = transactions.parse(text)
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
