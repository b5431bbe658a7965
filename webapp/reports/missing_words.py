"""Missing offsets in words, as pages say them with the offsets of the first and the last record."""

from __future__ import annotations

from spark.terms.wording import grouped
from webapp.reports.charts.look import gap_look
from webapp.reports.queries.partitions import PartitionTables, missing_offsets

SIDES = {"": "", "before": " before the first record", "after": " after the last record"}


def missing_in_words(partition: PartitionTables) -> list[str]:
    """`23 compacted away`, `1 compacted away before the first record`."""
    return [
        f"{grouped(row['offsets'])} {'missing' if row['cause'] == 'unexplained' else gap_look(row['cause'])['name']}{SIDES[row['side']]}"
        for row in missing_offsets(partition)
    ]
