"""What a capture's manifest tells of a partition, for stages and detectors: the newest one where there are several."""

from __future__ import annotations

from spark.tables.replica import REPLICA_COLUMNS

NEWEST_CAPTURES = f"""
    newest_captures AS (
        FROM captures QUALIFY row_number() OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY captured_at_ms DESC NULLS LAST, file DESC) = 1
    )
"""
