"""Records that lie before others of lower offsets in their file: pages show records in the order of offsets."""

from __future__ import annotations

from dataclasses import dataclass

from spark.terms.wording import offset_range
from webapp.reports.results import WHERE_REPLICA, PartitionResults, remembered

LINES = 200
# A run is a part of a file whose offsets rise; `before_position` is that of the one with the next lower offsets.
SWAPPED = f"""
WITH in_order AS (
    SELECT file, position, first_offset, last_offset, lag(position) OVER by_offset AS before_position,
        lag(first_offset) OVER by_offset AS before_first, lag(last_offset) OVER by_offset AS before_last
    FROM runs WHERE {WHERE_REPLICA}
    WINDOW by_offset AS (PARTITION BY file ORDER BY first_offset, position)
)
SELECT first_offset, last_offset, before_first, before_last FROM in_order WHERE position < before_position
ORDER BY first_offset LIMIT {LINES}
"""


@dataclass(frozen=True)
class FileOrderLine:
    """The record of `offset` is the first of those that lie elsewhere in the file, as `text` says."""

    offset: int
    text: str


@remembered
def file_order_lines(partition: PartitionResults) -> list[FileOrderLine]:
    """In the order of their offsets."""
    return [_line(**row) for row in partition.rows(SWAPPED)]


def _line(first_offset: int, last_offset: int, before_first: int, before_last: int) -> FileOrderLine:
    verb = "comes" if first_offset == last_offset else "come"
    own, before = offset_range(first_offset, last_offset), offset_range(before_first, before_last)
    return FileOrderLine(first_offset, f"In the file, {own} {verb} before {before}.")
