"""What the cleaner's model says of a cleaning between two copies.

Gone beyond the most that cleanings remove is lost; there in spite of the least should have gone; what is between waits
(limits.py). Where the sound cleaner does not explain it, the one of KAFKA-13727 is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spark.cleaner.clean import Behaviour
from spark.cleaner.log import DATA
from spark.compare.limits import CleaningLimits, limits_of, of_small_maps
from spark.compare.sides import CompactionTables
from spark.compare.tables import aborted
from spark.compare.uncleaned import Uncleaned, can_be_modelled, uncleaned
from spark.tables.store import Rows

SHOWN = 20
WITH_HORIZON = "3.1 and later"
FAMILIES = {"3.0 and earlier": False, WITH_HORIZON: True}
DEFECT = "KAFKA-13727"

REMAINING = """
    SELECT "offset", value_is_null, control_type IS NOT NULL AS is_control, delete_horizon_ms, magic >= 2 AS can_have_horizon
    FROM after_records AS records
    JOIN after_batches AS batches ON records.file = batches.file AND records.batch_position = batches.position
    ORDER BY "offset"
"""
DAMAGED = "SELECT first_offset, last_offset FROM after_gaps WHERE cause = 'damage'"
IS_CLEANED = "SELECT 1 FROM after_cleanings WHERE compacted <> 'no'"
# Only brokers' clocks count: that of a producer may be anywhere.
APPENDED = """
    SELECT coalesce(max(max_timestamp_ms), 0) AS newest_ms FROM (
        SELECT max_timestamp_ms, last_offset, timestamp_type FROM before_batches
        UNION ALL SELECT max_timestamp_ms, last_offset, timestamp_type FROM after_batches
    ) WHERE timestamp_type = 'log_append' AND last_offset < $point
"""
RESCUED = f"""
    WITH aborted_after AS MATERIALIZED ({aborted("after")})
    SELECT DISTINCT missing."offset" FROM (
        FROM before_lifelines WHERE "offset" IN (SELECT unnest($offsets))
    ) AS missing JOIN (
        FROM after_lifelines WHERE kind <> 'control' AND "offset" NOT IN (FROM aborted_after)
    ) AS newer USING (key_hash_1, key_hash_2) WHERE newer."offset" > missing."offset"
"""
BASES = """
    SELECT base_offset FROM before_files WHERE kind = 'segment'
    UNION SELECT base_offset FROM after_files WHERE kind = 'segment'
"""
ENDED = """
    SELECT producer_id, first_offset, last_offset FROM before_transactions
    WHERE outcome = 'marker_missing' AND ended_as = 'aborted' AND first_offset IS NOT NULL
"""
DIRTY = "SELECT max(\"offset\") AS dirty FROM before_checkpoints WHERE kind = 'cleaner'"
KEYS = """
    SELECT DISTINCT ON ("offset") "offset", key FROM before_records
    WHERE list_contains($offsets, "offset") ORDER BY "offset"
"""


@dataclass(frozen=True)
class Judged:
    """The model's word. `waiting`: records that nothing needs and that need not have gone yet, by reason."""

    families: list[str]
    removed: int
    lost: int = 0
    lost_offsets: list[int] = field(default_factory=list)
    lost_keys: list[str] = field(default_factory=list)
    ahead: int = 0
    ahead_offsets: list[int] = field(default_factory=list)
    overdue: int = 0
    overdue_offsets: list[int] = field(default_factory=list)
    waiting: dict[str, int] = field(default_factory=dict)
    last_horizon_ms: int | None = None
    map_was_full: bool = False
    defect: str | None = None


@dataclass(frozen=True)
class RemainingRecords:
    """What the copy after the cleaning still has, in order of offsets."""

    offset: np.ndarray
    is_null: np.ndarray
    is_control: np.ndarray
    horizon_ms: np.ndarray  # -1: none
    can_have_horizon: np.ndarray


@dataclass(frozen=True)
class _Case:
    """A cleaning up to `point`, as a checkpoint or the records say."""

    compaction: CompactionTables
    log: Uncleaned
    point: int
    point_is_from: str

    def rows(self, query: str, **values: Any) -> Rows:
        return self.compaction.rows(query, **values)


def judge(
    compaction: CompactionTables, markers_of_data: int, point: int, point_is_from: str
) -> Judged | None:
    """Ask the model of a cleaning up to `point`; None: nothing shows one, or it cannot be asked."""
    earlier, later = (compaction.pair.copy(side) for side in (compaction.before, compaction.after))
    if not can_be_modelled(earlier, later) or not compaction.rows(IS_CLEANED):
        return None
    log = uncleaned(compaction)
    return None if log is None else _judged(_Case(compaction, log, point, point_is_from), markers_of_data)


def _judged(case: _Case, markers_of_data: int) -> Judged:
    remaining = remaining_records(case)
    families = families_of(remaining, case.point)
    dirty = case.rows(DIRTY)[0]["dirty"] or 0
    clock_ms = case.rows(APPENDED, point=case.point)[0]["newest_ms"] if families == [WITH_HORIZON] else None
    limits = limits_of(case.log, clock_ms, dirty, case.point)
    gone, data = gone_of(case, remaining)
    lost = unexplained(case, remaining, data[~np.isin(data, limits.may_anywhere)])
    is_ahead = np.isin(gone, limits.may_anywhere) & ~np.isin(gone, limits.may)
    ahead = gone[is_ahead] if case.point_is_from == "checkpoint" else gone[:0]
    overdue = remaining.offset[np.isin(remaining.offset, limits.must)]
    waiting, last_horizon_ms = waiting_of(remaining, limits)
    has_fault = len(lost) + len(overdue) > 0
    return Judged(
        families,
        len(gone) - len(lost) - len(ahead) - markers_of_data,
        len(lost),
        lost[:SHOWN].tolist(),
        keys_at(case, lost[:SHOWN].tolist()),
        len(ahead),
        ahead[:SHOWN].tolist(),
        len(overdue),
        overdue[:SHOWN].tolist(),
        waiting,
        last_horizon_ms,
        map_was_full(case),
        DEFECT if has_fault and is_of_defect(case, families, dirty, lost, overdue) else None,
    )


def remaining_records(case: _Case) -> RemainingRecords:
    table = case.compaction.arrow(REMAINING)
    names = ("offset", "value_is_null", "is_control", "can_have_horizon")
    offset, is_null, is_control, can_have = (table.column(name).to_numpy() for name in names)
    horizon_ms = table.column("delete_horizon_ms").fill_null(-1).to_numpy()
    return RemainingRecords(offset, is_null, is_control, horizon_ms, can_have)


def families_of(remaining: RemainingRecords, point: int) -> list[str]:
    """The cleaners that leave such deletes behind: from 3.1 on none stays below the point without a delete horizon."""
    deletes = (
        remaining.is_null & ~remaining.is_control & remaining.can_have_horizon & (remaining.offset < point)
    )
    if not deletes.any() and not (remaining.horizon_ms >= 0).any():
        return list(FAMILIES)
    return [
        name for name, has_horizon in FAMILIES.items() if has_horizon == (remaining.horizon_ms >= 0).any()
    ]


def gone_of(case: _Case, remaining: RemainingRecords) -> tuple[np.ndarray, np.ndarray]:
    """Offsets that the copy after could hold and lacks, not for damage; of which those of data."""
    log = case.log.log
    first, last = case.compaction.pair.overlap
    is_gone = (log.records.offset >= first) & (log.records.offset <= last)
    is_gone &= ~np.isin(log.records.offset, remaining.offset)
    for row in case.rows(DAMAGED):
        is_gone &= (log.records.offset < row["first_offset"]) | (log.records.offset > row["last_offset"])
    is_data = log.batches.control[log.records.batch] == DATA
    return log.records.offset[is_gone], log.records.offset[is_gone & is_data]


def unexplained(case: _Case, remaining: RemainingRecords, offsets: np.ndarray) -> np.ndarray:
    """Those that neither a delete between the copies nor an abort nor a record of the copy after may have ended."""
    if not len(offsets) or has_gaps_since(case, remaining):
        return offsets[:0]
    offsets = without_aborted(case, offsets)
    rescued = [row["offset"] for row in case.rows(RESCUED, offsets=offsets.tolist())]
    return offsets[~np.isin(offsets, rescued)]


def without_aborted(case: _Case, offsets: np.ndarray) -> np.ndarray:
    """Those that are not known to be aborted although their marker is gone."""
    if not len(offsets):
        return offsets
    records, batches = case.log.log.records, case.log.log.batches
    producer_id = batches.producer_id[records.batch[np.searchsorted(records.offset, offsets)]]
    for row in case.rows(ENDED):
        is_of = (producer_id == row["producer_id"]) & (offsets >= row["first_offset"])
        is_aborted = is_of & (offsets <= row["last_offset"])
        offsets, producer_id = offsets[~is_aborted], producer_id[~is_aborted]
    return offsets


def waiting_of(remaining: RemainingRecords, limits: CleaningLimits) -> tuple[dict[str, int], int | None]:
    """What stayed though nothing needs it, by reason, and the last delete horizon among it."""
    waits = np.isin(remaining.offset, limits.may) & ~np.isin(remaining.offset, limits.must)
    has_horizon = remaining.horizon_ms >= 0
    is_end = remaining.is_null | remaining.is_control
    counts = {
        "horizon": np.count_nonzero(waits & is_end & has_horizon),
        "not_due": np.count_nonzero(waits & is_end & ~has_horizon),
        "not_told": np.count_nonzero(waits & ~is_end),
        "not_reached": np.count_nonzero(
            np.isin(remaining.offset, limits.may_anywhere) & ~np.isin(remaining.offset, limits.may) & ~is_end
        ),
    }
    horizons = remaining.horizon_ms[waits & is_end & has_horizon]
    last_horizon_ms = int(horizons.max()) if len(horizons) else None
    return {name: int(count) for name, count in counts.items() if count}, last_horizon_ms


def has_gaps_since(case: _Case, remaining: RemainingRecords) -> bool:
    """Whether the copy after lacks offsets behind the end of the copy before."""
    end = case.compaction.pair.copy(case.compaction.before).end_offset
    later = remaining.offset[remaining.offset > end]
    return len(later) > 0 and int(later[-1]) - end > len(later)


def keys_at(case: _Case, offsets: list[int]) -> list[str]:
    """Keys of records that are gone, as text."""
    if not offsets:
        return []
    rows = case.rows(KEYS, offsets=offsets)
    return list(
        dict.fromkeys((row["key"] or b"")[: SHOWN * 4].decode("utf-8", "backslashreplace") for row in rows)
    )


def map_was_full(case: _Case) -> bool:
    """A cleaning ends where a segment begins, unless the offset map was full before."""
    if case.point_is_from != "checkpoint" or case.point >= case.log.log.end_offset:
        return False
    return case.point not in {row["base_offset"] for row in case.rows(BASES)}


def is_of_defect(case: _Case, families: list[str], dirty: int, lost: np.ndarray, overdue: np.ndarray) -> bool:
    """Whether a cleaner with KAFKA-13727 loses these records and leaves those."""
    for name in families:
        behaviour = Behaviour(has_delete_horizon=FAMILIES[name], loses_aborted=True)
        unexplained, unleft = lost, overdue
        for removed in of_small_maps(case.log.log, behaviour, dirty, case.point):
            unexplained, unleft = np.setdiff1d(unexplained, removed), np.intersect1d(unleft, removed)
            if not len(unexplained) and not len(unleft):
                return True
    return False
