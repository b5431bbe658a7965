"""Records and damage of each copy of a partition that the input has several times: a sum over copies is true of none."""

from __future__ import annotations

from collections import Counter
from typing import Any

from spark.inspection import Inspection
from spark.report.copies import Copies
from spark.tables.replica import REPLICA_COLUMNS, replica_of
from spark.tables.store import ResultTables

CORRUPT = f"SELECT {REPLICA_COLUMNS}, count(*) AS corrupt_batches FROM batches WHERE NOT crc_ok GROUP BY ALL"
UNREADABLE = f"""
SELECT {REPLICA_COLUMNS}, sum(size_bytes)::BIGINT AS unreadable_bytes FROM damage
WHERE reason NOT IN ('zeros_at_end', 'bad_companion') GROUP BY ALL
"""


def copy_counts(inspection: Inspection, copies: Copies, tables: ResultTables) -> dict[str, Any]:
    """The member `copies_per_partition` of `coverage`: partitions with one copy, or with several logs, are not in it."""
    records: Counter[Any] = Counter()
    for counts in inspection.counts:
        records[counts.replica] += counts.data_records
    corrupt, unreadable = (
        {replica_of(row): row for row in tables.rows(query)} for query in (CORRUPT, UNREADABLE)
    )
    of_partition: dict[str, dict[str, dict[str, Any]]] = {}
    for replica, group in sorted(copies.items()):
        if len(group) < sum(other[:2] == replica[:2] for other in records):
            continue  # a log that is none of these copies
        numbers = {
            "is_log": next(copy.is_segment for copy in group if copy.replica == replica.replica),
            "records": records[replica],
            "corrupt_batches": corrupt.get(replica, {}).get("corrupt_batches", 0),
            "unreadable_bytes": unreadable.get(replica, {}).get("unreadable_bytes", 0),
        }
        of_partition.setdefault(f"{replica.topic}-{replica.partition}", {})[replica.replica] = numbers
    return {"copies_per_partition": of_partition}
