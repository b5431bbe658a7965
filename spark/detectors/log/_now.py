"""Now, as the input knows it: the newest timestamp of any record, index entry or producer, or when it was captured.

Numbers beyond the year 2100 are no times (somebody wrote micro- or nanoseconds) and tell nothing.
"""

from __future__ import annotations

PLAUSIBLE_UNTIL_MS = 4_102_444_800_000  # 2100-01-01

NEWEST_MS = f"""
    SELECT max(timestamp_ms) AS newest_ms FROM (
        SELECT timestamp_ms FROM lifelines
        UNION ALL SELECT timestamp_ms FROM index_entries
        UNION ALL SELECT timestamp_ms FROM producer_states
        UNION ALL SELECT captured_at_ms FROM captures
    ) WHERE timestamp_ms < {PLAUSIBLE_UNTIL_MS}
"""
