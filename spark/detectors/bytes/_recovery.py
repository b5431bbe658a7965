"""Where the broker's log recovery would cut each partition, and how many readable records lie behind that place.

Recovery reads the segments from that of the recovery point on, and stops at the first batch whose checksum or frame is wrong.
Source: Kafka `LogLoader.recoverLog`, `LogSegment.recover`.
"""

from __future__ import annotations

from spark.tables.replica import REPLICA_COLUMNS

# Numbers of segments that a copy damaged: what is wrong in them is no damage of a disk (damaged-in-transfer).
DAMAGED_COPIES = "SELECT file FROM copy_changes WHERE NOT is_undone"
# File number, name and base offset of the log segments among the other files.
SEGMENTS = f"SELECT file, name, base_offset AS segment_offset FROM files WHERE kind = 'segment' AND file NOT IN ({DAMAGED_COPIES})"


def with_stake(damaged: str) -> str:
    """A query for the rows of `damaged`, with `recovery_cuts_at` (the first bad offset that recovery reaches), `cut_segment`,
    `newest_segment`, `records_at_stake` (readable records from there on) and, where the input has the recovery point,
    `recovery_point`. `damaged` has topic, partition, replica, file and first_offset."""
    return f"""
        WITH damaged AS ({damaged}),
        numbers AS (SELECT {REPLICA_COLUMNS}, file, base_offset AS segment_offset FROM files WHERE kind = 'segment'),
        newest AS (SELECT {REPLICA_COLUMNS}, max(segment_offset) AS newest_segment FROM numbers GROUP BY ALL),
        points AS (
            SELECT {REPLICA_COLUMNS}, max("offset") AS recovery_point FROM checkpoints WHERE kind = 'recovery_point' GROUP BY ALL
        ),
        checked AS (
            SELECT {REPLICA_COLUMNS}, recovery_point, max(segment_offset) AS checked_from
            FROM points JOIN numbers USING ({REPLICA_COLUMNS}) WHERE segment_offset <= recovery_point GROUP BY ALL
        ),
        bad AS (
            SELECT file, first_offset FROM damaged
            UNION ALL SELECT file, base_offset FROM batches WHERE NOT crc_ok
            UNION ALL SELECT file, first_offset FROM damage WHERE reason IN ('not_a_batch', 'zeros', 'torn')
        ),
        cuts AS (
            SELECT {REPLICA_COLUMNS}, min(first_offset) AS recovery_cuts_at, arg_min(segment_offset, first_offset) AS cut_segment
            FROM bad JOIN numbers USING (file) LEFT JOIN checked USING ({REPLICA_COLUMNS})
            WHERE checked_from IS NULL OR segment_offset >= checked_from GROUP BY ALL
        ),
        stake AS (
            SELECT {REPLICA_COLUMNS}, sum(records_read)::BIGINT AS records_at_stake
            FROM batches JOIN cuts USING ({REPLICA_COLUMNS})
            WHERE crc_ok AND NOT is_control AND base_offset >= recovery_cuts_at
            GROUP BY ALL
        )
        SELECT * FROM damaged LEFT JOIN cuts USING ({REPLICA_COLUMNS}) LEFT JOIN stake USING ({REPLICA_COLUMNS})
            LEFT JOIN newest USING ({REPLICA_COLUMNS}) LEFT JOIN checked USING ({REPLICA_COLUMNS})
    """
