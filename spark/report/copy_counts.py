"""Records and damage of each copy of a partition that the input has several times: a sum over copies is true of none.

Of batches it also counts those whose checksum is known: the broker's bytes tell it of all, a print of those whose line still says it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from spark.inspection import Inspection
from spark.report.copies import Copies
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_of
from spark.tables.store import ResultTables

CORRUPT = f"SELECT {REPLICA_COLUMNS}, count(*) AS corrupt_batches FROM batches WHERE NOT crc_ok GROUP BY ALL"
UNREADABLE = f"""
SELECT {REPLICA_COLUMNS}, sum(size_bytes)::BIGINT AS unreadable_bytes FROM damage
WHERE reason NOT IN ('zeros_at_end', 'bad_companion') GROUP BY ALL
"""
# One row per copy of a partition that has batches. A batch that is printed twice counts once. `batches` is null where records of a
# print have no batch line: how many batches they are of is unknown.
CHECKED = f"""
    WITH prints AS (SELECT file FROM files WHERE layout LIKE 'dump-log-%'),
    counted AS (
        SELECT {REPLICA_COLUMNS}, crc_ok FROM batches ANTI JOIN prints USING (file)
        UNION ALL SELECT {REPLICA_COLUMNS}, bool_and(crc_ok) FROM batches JOIN prints USING (file)
        GROUP BY {REPLICA_COLUMNS}, base_offset, last_offset
    ),
    held AS (
        SELECT {REPLICA_COLUMNS}, file, min(first_offset) AS first, sum(last_offset - first_offset + 1) AS records
        FROM runs JOIN prints USING (file) GROUP BY ALL
    ),
    room AS (
        SELECT {REPLICA_COLUMNS}, file, min(base_offset) AS first, sum(coalesce(record_count, last_offset - base_offset + 1)) AS records
        FROM batches JOIN prints USING (file) GROUP BY ALL
    ),
    alone AS (
        SELECT DISTINCT {REPLICA_COLUMNS} FROM held LEFT JOIN room USING ({REPLICA_COLUMNS}, file)
        WHERE room.first IS NULL OR held.first < room.first OR held.records > room.records
    )
    SELECT {REPLICA_COLUMNS}, CASE WHEN alone.topic IS NULL THEN count(*) END AS batches, count(crc_ok) AS known_checksums
    FROM counted LEFT JOIN alone USING ({REPLICA_COLUMNS}) GROUP BY {REPLICA_COLUMNS}, alone.topic
"""


def checked_batches(tables: ResultTables) -> dict[str, Any]:
    """The members `batches` and `known_checksums` of `coverage`, and both of each partition."""
    of_partition = defaultdict(list)
    for row in tables.rows(CHECKED):
        of_partition[f"{row['topic']}-{row['partition']}"].append(row)
    sums = {name: added_up(rows) for name, rows in sorted(of_partition.items())}
    return {**added_up(sums.values()), "checked_batches_per_partition": sums}


def added_up(rows: Iterable[Row]) -> dict[str, Any]:
    rows = list(rows)
    batches = [row["batches"] for row in rows]
    checksums = sum(row["known_checksums"] for row in rows)
    return {"batches": None if None in batches else sum(batches), "known_checksums": checksums}


def copy_counts(inspection: Inspection, copies: Copies, tables: ResultTables) -> dict[str, Any]:
    """The member `copies_per_partition` of `coverage`: partitions with one copy, or with several logs, are not in it."""
    records: Counter[Any] = Counter()
    for counts in inspection.counts:
        records[counts.replica] += counts.data_records
    corrupt, unreadable, checked = (
        {replica_of(row): row for row in tables.rows(query)} for query in (CORRUPT, UNREADABLE, CHECKED)
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
            **added_up(checked[replica] for _ in range(replica in checked)),
        }
        of_partition.setdefault(f"{replica.topic}-{replica.partition}", {})[replica.replica] = numbers
    return {"copies_per_partition": of_partition}
