"""Where the broker's log recovery would cut each partition, and how many readable records lie behind that place.

Recovery reads from the last recovery point and stops at the first batch whose checksum or frame is wrong.
"""

from __future__ import annotations

from spark.tables.replica import REPLICA_COLUMNS

# Numbers of segments that a copy damaged: what is wrong in them is no damage of a disk (damaged-in-transfer).
DAMAGED_COPIES = "SELECT file FROM copy_changes WHERE NOT is_undone"
# File number, name and base offset of the log segments among the other files.
SEGMENTS = f"SELECT file, name, base_offset AS segment_offset FROM files WHERE kind = 'segment' AND file NOT IN ({DAMAGED_COPIES})"


def with_stake(damaged: str) -> str:
    """A query for the rows of `damaged`, with `recovery_cuts_at` (the first bad offset of the partition) and
    `records_at_stake` (readable records from there on). `damaged` has topic, partition, replica and first_offset."""
    return f"""
        WITH damaged AS ({damaged}),
        bad AS (
            SELECT {REPLICA_COLUMNS}, first_offset FROM damaged
            UNION ALL SELECT {REPLICA_COLUMNS}, base_offset FROM batches WHERE NOT crc_ok
            UNION ALL SELECT {REPLICA_COLUMNS}, first_offset FROM damage WHERE reason IN ('not_a_batch', 'zeros', 'torn')
        ),
        cuts AS (SELECT {REPLICA_COLUMNS}, min(first_offset) AS recovery_cuts_at FROM bad GROUP BY ALL),
        stake AS (
            SELECT {REPLICA_COLUMNS}, sum(records_read)::BIGINT AS records_at_stake
            FROM batches JOIN cuts USING ({REPLICA_COLUMNS})
            WHERE crc_ok AND NOT is_control AND base_offset >= recovery_cuts_at
            GROUP BY ALL
        )
        SELECT * FROM damaged LEFT JOIN cuts USING ({REPLICA_COLUMNS}) LEFT JOIN stake USING ({REPLICA_COLUMNS})
    """
