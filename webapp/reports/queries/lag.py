"""What a consumer that continues at a committed offset still has to read: records, and offsets that hold none for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from webapp.reports.queries.transactions import ABORTED
from webapp.reports.results import WHERE_REPLICA, PartitionResults

# `ends`: batches tell the end of the log, emptied ones at its end too; a dump ends with its last record.
LAGS = f"""
WITH committed AS (SELECT DISTINCT unnest($offsets) AS committed),
ends AS (
    SELECT greatest(
        (SELECT max("offset") + 1 FROM lifelines WHERE {WHERE_REPLICA}),
        (SELECT max(last_offset) + 1 FROM batches WHERE {WHERE_REPLICA})
    ) AS end_offset
),
ahead AS (
    SELECT "offset", kind, kind <> 'control' AND "offset" IN ({ABORTED.format(records="records")}) AS is_aborted
    FROM lifelines WHERE {WHERE_REPLICA} AND "offset" >= (SELECT min(committed) FROM committed)
)
SELECT committed, any_value(end_offset) AS end_offset,
    count_if(kind <> 'control' AND NOT is_aborted) AS records, count_if(kind = 'control') AS markers,
    count_if(is_aborted) AS aborted, min("offset") FILTER (kind <> 'control') AS next_record
FROM committed CROSS JOIN ends LEFT JOIN ahead ON ahead."offset" >= committed GROUP BY committed
"""


@dataclass(frozen=True)
class Lag:
    """From a committed offset to the end of the log in the input. `next_record`: where a consumer continues; None at the end."""

    committed: int
    end_offset: int
    records: int
    markers: int
    aborted: int
    next_record: int | None

    @property
    def offsets(self) -> int:
        """As tools count it; below 0 where the log in the input ends before the committed offset."""
        return self.end_offset - self.committed

    @property
    def absent(self) -> int:
        return max(0, self.offsets - self.records - self.markers - self.aborted)


def lags(partition: PartitionResults, offsets: Iterable[int]) -> dict[int, Lag]:
    """By committed offset; empty if the partition has no records."""
    rows = partition.rows(LAGS, {"offsets": sorted(set(offsets))})
    return {row["committed"]: Lag(**row) for row in rows if row["end_offset"] is not None}
