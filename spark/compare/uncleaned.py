"""The log that a cleaning began with: the copy before it, and what was written since, as the copy after it still has it.

Rows of both sides -> the arrays of the cleaner's model. Layouts other than segments have no batches to clean.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from spark.cleaner.log import AbortedTxn, Log, log_of
from spark.compare.sides import CompactionTables, PartitionCopy

LAYOUT = "log-segment"
MAX_RECORDS = 10_000_000  # the model holds them all: some 2 GB

# Files of the copy after are numbered behind those of the copy before.
BATCH = """base_offset, last_offset, magic, producer_id, producer_epoch, is_transactional, is_control, delete_horizon_ms,
    size_bytes, max_timestamp_ms, position"""
BATCHES = f"""
    SELECT file, {BATCH} FROM before_batches
    UNION ALL SELECT file + $shift, {BATCH} FROM after_batches WHERE last_offset > $end
"""
RECORD = "batch_position, key_hash_1, key_hash_2, key_is_null, value_is_null, control_type"
RECORDS = f"""
    SELECT file, "offset", {RECORD} FROM before_records
    UNION ALL SELECT file + $shift, "offset", {RECORD} FROM after_records WHERE "offset" > $end
"""
SEGMENTS = """
    SELECT file, base_offset, size_bytes FROM before_files WHERE file IN (SELECT file FROM before_batches)
    UNION ALL
    SELECT file + $shift, greatest(base_offset, $end + 1), size_bytes FROM after_files
    WHERE file IN (SELECT file FROM after_batches WHERE last_offset > $end)
"""
INDEXED = """
    SELECT producer_id, first_offset, last_offset FROM before_aborted_txns
    UNION SELECT producer_id, first_offset, last_offset FROM after_aborted_txns WHERE last_offset > $end ORDER BY ALL
"""
ABORTED = """
    SELECT producer_id, first_offset, marker_offset AS last_offset FROM before_transactions
    WHERE outcome = 'aborted' AND first_offset IS NOT NULL AND marker_offset IS NOT NULL
    UNION SELECT producer_id, first_offset, marker_offset FROM after_transactions
    WHERE outcome = 'aborted' AND first_offset IS NOT NULL AND marker_offset > $end ORDER BY ALL
"""
SHIFT = "SELECT coalesce(max(file), 0) + 1 AS shift FROM before_batches"


@dataclass(frozen=True)
class Uncleaned:
    """`log` has the transactions that the indexes call aborted; `aborted`, those that records and markers do, too."""

    log: Log
    aborted: tuple[AbortedTxn, ...]

    @property
    def with_aborted(self) -> Log:
        """The log as if no entry were missing from its indexes."""
        return replace(self.log, aborted=self.aborted)


def can_be_modelled(before: PartitionCopy, after: PartitionCopy) -> bool:
    """Whether the model can be asked: segments on both sides, and not more than fits."""
    layouts = before.layouts | after.layouts
    return layouts == {LAYOUT} and before.records + after.records <= MAX_RECORDS


def uncleaned(compaction: CompactionTables) -> Uncleaned | None:
    """The log up to its end on the side before and, behind it, from the side after; None: it is out of order."""
    end = compaction.pair.copy(compaction.before).end_offset
    table_of = partial(compaction.arrow, end=end, shift=compaction.rows(SHIFT)[0]["shift"])
    segments = table_of(SEGMENTS)
    if not len(segments) or segments.column("base_offset").null_count:
        return None
    indexed, ended = (
        tuple(AbortedTxn(**row) for row in table_of(sql).to_pylist()) for sql in (INDEXED, ABORTED)
    )
    log = log_of(table_of(BATCHES), table_of(RECORDS).combine_chunks(), segments, indexed)
    if (np.diff(log.batches.last_offset) <= 0).any():
        return None
    return Uncleaned(log, tuple(sorted({entry[:3]: entry for entry in (*indexed, *ended)}.values())))


def split_at(log: Log, offset: int) -> Log:
    """The log with a segment that begins at `offset`, as a cleaning that ends there needs it."""
    bases = log.segments.base_offset
    if offset in bases or not bases[0] < offset < log.end_offset:
        return log
    rows = np.searchsorted(bases, offset)
    columns = {name: np.insert(column, rows, column[rows - 1]) for name, column in vars(log.segments).items()}
    columns["base_offset"][rows] = offset
    segment = log.batches.segment + (log.batches.base_offset >= offset)
    return replace(
        log,
        segments=type(log.segments)(**columns),
        batches=replace(log.batches, segment=segment),
    )
