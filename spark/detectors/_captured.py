"""What a capture's manifest tells of a partition, for stages and detectors: the newest one where there are several."""

from __future__ import annotations

from spark.detectors import WHERE

NEWEST_CAPTURES = f"""
    newest_captures AS (
        FROM captures QUALIFY row_number() OVER (PARTITION BY {WHERE} ORDER BY captured_at_ms DESC NULLS LAST, file DESC) = 1
    )
"""
