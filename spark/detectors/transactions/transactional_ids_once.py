"""Transactional ids used once: a producer makes a new transactional id at each start or checkpoint, so that hundreds are left behind.

Innocent: a fixed pool of ids. Page: docs/detectors/transactional-ids-once.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_partition
from spark.detectors.groups._used_once import MANY, USED_ONCE
from spark.detectors.transactions import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural, some

MANY_IDS = f"""
    SELECT 1 FROM entries WHERE entry_type = 'transaction' GROUP BY {REPLICA_COLUMNS} HAVING count(DISTINCT entity_id) >= {MANY} LIMIT 1
"""
# One row per prefix.
ONCE = f"""
    WITH ids AS (
        SELECT {REPLICA_COLUMNS}, entity_id AS id, min("offset") AS first_offset, max("offset") AS last_offset FROM entries
        WHERE entry_type = 'transaction' AND entry_action NOT IN ('delete', 'Dead') AND entity_id IS NOT NULL GROUP BY ALL
    ),
    {USED_ONCE}
"""


def describe(row: Row) -> Finding:
    under = f"under {marked.name(row['prefix'])}" if row["prefix"] else "without a prefix"
    return Finding(
        detector=detector.id,
        severity="medium",
        confidence="likely",
        effects=on_partition("at_risk", row["topic"], row["partition"], "brokers"),
        title=(
            f"{plural(row['once'], 'transactional ID')} {under} are used once: {words.partition_name(row)} keeps each of them for 7 days"
        ),
        explanation=(
            f"{words.partition_name(row)} contains {plural(row['ids'], 'transactional ID')} {under}, such as "
            f"{some([marked.entity(name, 'transaction') for name in row['examples']])}. {plural(row['once'], 'of them is', 'of them are')} in use for a "
            "short time and never again, and new ones begin in the whole range of offsets. So a program makes its `transactional.id` at each start "
            "(a random value) or at each checkpoint (Flink's KafkaSink). Each ID stays in the memory of its coordinator until "
            "`transactional.id.expiration.ms` (7 days) is over, and each gets a producer ID that the brokers keep for every partition written. A new "
            "ID also does not fence the producer before it: a transaction that this one left open stays open until its timeout."
        ),
        **located(row),
        entity=f"prefix:{row['prefix']}",
        evidence=row["offsets"],
        remedy=detector.remedy(),
        references=detector.references,
    )


detector = Detector(
    id="transactional-ids-once",
    title="Transactional IDs that are used once",
    find=query(ONCE, if_any=MANY_IDS),
    describe=describe,
    headline=clause("programs make a new transactional ID at each start in {partitions}"),
    rows_of="entries",
    scope="partition",
    dialects=("transaction-state",),
    one_cause="topic",
)
