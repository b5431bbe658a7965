"""Words and questions that the detectors of transactions share."""

from __future__ import annotations

from typing import Any

from spark.detectors._words import offsets, partition_name
from spark.tables.replica import Row
from spark.terms.topic_rules import kafkas_own, written_again
from spark.terms.typed_wording import plural

__all__ = ["are_mixed", "offsets", "partition_name", "span_of_time", "step_values", "transactions_named"]

SOME = 10  # transactions that a finding spells out


def span_of_time(span_ms: int) -> str:
    """`45 seconds`, `15 minutes`, `3 days`."""
    for size_ms, noun in ((86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute")):
        if span_ms >= 2 * size_ms or span_ms == size_ms:
            return plural(span_ms // size_ms, noun)
    return plural(span_ms // 1000, "second")


def are_mixed(row: Row) -> bool:
    """Whether not every offset of a transaction has one of its records: others are between them, or some were removed."""
    return bool(row["records"]) and row["records"] != row["last_offset"] - row["first_offset"] + 1


def step_values(row: Row, first_offset: int) -> dict[str, Any]:
    """What the steps name that save, abort and produce again the records from an offset on."""
    return {
        "topic": row["topic"],
        "partition": row["partition"],
        "first_offset": first_offset,
        "record_count": row["last_offset"] - first_offset + 1,
        "producer_id": row["producer_id"],
        "producer_epoch": row["producer_epoch"],
        "coordinator_epoch": row["coordinator_epoch"],
        "other_records_are_between_them": are_mixed(row),
        "kafka_writes_the_topic": kafkas_own(row["topic"]),
        "do_not_write_to_this_topic": written_again(row["topic"]),
    }


def transactions_named(row: Row) -> str:
    """`the transaction of producer 7 at offset 6`, or how many there are."""
    examples = row["examples"]
    if row["transactions"] == 1:
        return f"transaction of producer {examples[0]['producer_id']} at {offsets(examples[0]['first_offset'], examples[0]['last_offset'])}"
    return (
        f"{plural(row['transactions'], 'transaction')} at {offsets(row['first_offset'], row['last_offset'])}"
    )
