"""Open transaction in a producer snapshot whose log is not in the input: its result is unknown.

Innocent always: a snapshot says how things stood at its offset. Page: docs/detectors/snapshot-open-transaction.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.transactions import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import moment

# One row per producer.
# Of several snapshots of a partition the newest speaks.
OPEN = f"""
    WITH ends AS (SELECT {REPLICA_COLUMNS}, max(last_offset) AS end_offset FROM batches GROUP BY ALL),
    newest AS (
        SELECT * FROM producer_states QUALIFY rank() OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY snapshot_offset DESC) = 1
    )
    SELECT newest.* FROM newest LEFT JOIN ends USING ({REPLICA_COLUMNS})
    WHERE current_txn_first_offset IS NOT NULL AND coalesce(end_offset < current_txn_first_offset, true)
    ORDER BY {REPLICA_COLUMNS}, current_txn_first_offset, producer_id
"""


def describe(row: Row) -> Finding:
    name, first = words.partition_name(row), row["current_txn_first_offset"]
    at = (
        f"the snapshot of offset {marked.offset(row['snapshot_offset'])}"
        if row["snapshot_offset"]
        else "the producer snapshot"
    )
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"Producer {marked.number(row['producer_id'])} of {name} has an open transaction since offset {marked.offset(first)} in {at}",
        explanation=(
            f"Producer epoch {marked.number(row['producer_epoch'])}, last batch at offset {marked.offset(row['last_offset'])}, {moment(row['timestamp_ms'])}. Brokers write "
            "snapshots while producers are writing, so an open transaction in a snapshot is normal. The input does not contain the "
            "log after it. So it is unknown whether the transaction was committed, was aborted or hangs."
        ),
        **located(row, first),
        entity=f"producer {row['producer_id']}",
        evidence=[first],
        remedy=detector.remedy(),
        references=detector.references,
    )


detector = Detector(
    id="snapshot-open-transaction",
    title="Open transaction in a producer snapshot",
    find=query(OPEN),
    describe=describe,
    headline=clause(
        "{count}", "transaction is open in a producer snapshot", "transactions are open in producer snapshots"
    ),
    rows_of="producer_states",
    scope="partition",
)
