"""Whether another dump's partition is of the log of this one: asked of the records within a range of offsets."""

from __future__ import annotations

from spark.difference.same_log import RECORDS, is_one_log, may_be_same
from webapp.reports.results import PartitionResults

WITHIN = f'{RECORDS} AND "offset" BETWEEN $low AND $high'


def is_of_one_log(ours: PartitionResults, theirs: PartitionResults, low: int, high: int) -> bool:
    """By the name of the partition, and by the records that both have from `low` to `high`."""
    within = {"low": low, "high": high}
    return may_be_same(ours.replica, theirs.replica) and is_one_log(
        ours.rows(WITHIN, within), theirs.rows(WITHIN, within)
    )
