"""Before and after the log cleaner: why each record that one side lacks may be gone, and what should have gone.

Expected: a newer record of the key that nobody aborted, a delete, a control marker, a record of an aborted
transaction, a record without a key, one that a delete written after the first copy may have ended and followed. Not
expected: a record that is the newest of its key on both sides, a marker whose records are still there. Should have
gone: a record with a newer one of its key below the place the cleaner had come to. That needs records only; where both
sides are segments, the model of the cleaner is asked as well (model.py).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from spark.compare.align import EXAMPLES, Aligned, cut
from spark.compare.model import Judged, judge
from spark.compare.sides import CompactionTables, CopyPair
from spark.compare.tables import OTHER, ComparedTables, aborted
from spark.runtime.tasks import run_tasks

if TYPE_CHECKING:
    from pyspark import SparkContext

UNEXPECTED = ("newest", "marker_of_data")

# Why records that the copy before has are missing in the copy after.
GONE = f"""
    WITH aborted_before AS MATERIALIZED ({aborted("before")}), aborted_after AS MATERIALIZED ({aborted("after")}),
    gone AS (
        SELECT "offset", key_hash_1, key_hash_2, key_is_null, value_is_null, control_type FROM before_records
        WHERE "offset" BETWEEN $start AND $end
            AND "offset" NOT IN (SELECT "offset" FROM after_records WHERE "offset" BETWEEN $start AND $end)
    ),
    damaged AS (SELECT first_offset, last_offset FROM after_gaps WHERE cause = 'damage'),
    later AS (
        SELECT coalesce(max("offset") - ended.end_offset > count("offset"), false) AS has_holes
        FROM (SELECT max("offset") AS end_offset FROM before_lifelines) AS ended
        LEFT JOIN (SELECT "offset" FROM after_lifelines) ON "offset" > ended.end_offset
        GROUP BY ended.end_offset
    ),
    succeeded AS (
        SELECT gone.*, lines.superseded_by, lines.kind,
            lines.superseded_by IS NOT NULL AND lines.superseded_by NOT IN (FROM aborted_before) AS has_successor,
            gone."offset" IN (FROM aborted_before) AS is_aborted
        FROM gone LEFT JOIN (
            SELECT "offset", superseded_by, kind FROM before_lifelines WHERE "offset" BETWEEN $start AND $end
        ) AS lines USING ("offset")
    ),
    suspects AS (
        SELECT "offset", key_hash_1, key_hash_2 FROM succeeded
        WHERE NOT has_successor AND NOT is_aborted AND NOT value_is_null AND NOT key_is_null AND control_type IS NULL
    ),
    rescued AS (
        SELECT DISTINCT suspects."offset" FROM suspects JOIN (
            SELECT "offset" AS later, key_hash_1, key_hash_2 FROM before_lifelines WHERE "offset" NOT IN (FROM aborted_before)
            UNION ALL
            SELECT "offset", key_hash_1, key_hash_2 FROM after_lifelines WHERE "offset" NOT IN (FROM aborted_after)
        ) AS newer USING (key_hash_1, key_hash_2) WHERE later > suspects."offset"
    ),
    kept AS (
        SELECT DISTINCT marker_offset FROM (
            FROM before_transactions WHERE marker_offset BETWEEN $start AND $end
        ) JOIN (FROM after_records WHERE control_type IS NULL) USING (producer_id, producer_epoch)
        WHERE "offset" BETWEEN first_offset AND last_offset
    ),
    explained AS (
        SELECT "offset", CASE
            WHEN "offset" IN (FROM kept) THEN 'marker_of_data'
            WHEN control_type IS NOT NULL THEN 'marker'
            WHEN key_is_null THEN 'no_key'
            WHEN is_aborted THEN 'aborted'
            WHEN EXISTS (SELECT 1 FROM damaged WHERE gone."offset" BETWEEN first_offset AND last_offset) THEN 'damaged'
            WHEN has_successor OR "offset" IN (FROM rescued) THEN 'superseded'
            WHEN value_is_null AND kind = 'restart' THEN 'start_mark'
            WHEN value_is_null THEN 'tombstone'
            WHEN (SELECT has_holes FROM later) THEN 'deleted_since'
            ELSE 'newest' END AS reason
        FROM succeeded AS gone
    )
    SELECT reason, count(*) AS records, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[1:$examples] AS offsets
    FROM explained GROUP BY reason
"""
POINT = """
    SELECT max("offset") AS point FROM after_log_checkpoints WHERE kind = 'cleaner'
"""
STAYED = f"""
    WITH aborted_after AS MATERIALIZED ({aborted("after")})
    SELECT count(*) AS records, list("offset" ORDER BY "offset")[1:$examples] AS offsets FROM after_lifelines
    WHERE superseded_by < $point AND kind <> 'control'
        AND superseded_by NOT IN (FROM aborted_after) AND "offset" NOT IN (FROM aborted_after)
"""


@dataclass
class GoneRecords:
    """Records that a side lacks, by the reason that explains them."""

    records: Counter[str] = field(default_factory=Counter)
    offsets: dict[str, list[int]] = field(default_factory=dict)
    last_offset: int = -1

    def add(self, row: dict[str, Any]) -> None:
        reason = row["reason"]
        self.records[reason] += row["records"]
        self.offsets[reason] = [*self.offsets.get(reason, []), *row["offsets"]][:EXAMPLES]
        self.last_offset = max(self.last_offset, row["last_offset"])


@dataclass(frozen=True)
class Cleaned:
    """`side` holds what cleaning left of the other. `point_offset`: the cleaner had come at least this far."""

    side: str
    gone: dict[str, int]
    gone_offsets: dict[str, list[int]]
    point_offset: int
    point_is_from: str
    stayed: int
    stayed_offsets: list[int]
    model: Judged | None = None

    @property
    def must_not_be_gone(self) -> int:
        """Records without a reason to be gone."""
        newest, markers = (self.gone.get(reason, 0) for reason in UNEXPECTED)
        return max(newest, self.model.lost if self.model else 0) + markers


def explain(context: SparkContext, both: ComparedTables, pair: CopyPair, aligned: Aligned) -> list[Cleaned]:
    """For each side that lacks records within the offsets both could hold: why they may be gone."""
    sides = [side for side in ("left", "right") if aligned.inside[side]]
    return [explain_side(context, both, pair, OTHER[side]) for side in sides]


def explain_side(context: SparkContext, both: ComparedTables, pair: CopyPair, after: str) -> Cleaned:
    """`after` is the side that lacks records."""
    gone = GoneRecords()
    for rows in run_tasks(context, partial(ask_gone, both, pair, after), spans(both, pair)):
        for row in rows:
            gone.add(row)
    (cleaned,) = run_tasks(context, partial(ask_cleaned, both, pair, after), [gone])
    return cleaned


def spans(both: ComparedTables, pair: CopyPair) -> list[tuple[int, int]]:
    """What both could hold, cut into ranges of about as many records each."""
    first, last = pair.overlap
    ranges = [(max(first, offsets.start), min(last, offsets.end)) for offsets in cut(both, 0, pair)]
    return [span for span in ranges if span[0] <= span[1]]


def ask_gone(both: ComparedTables, pair: CopyPair, after: str, span: tuple[int, int]) -> list[dict[str, Any]]:
    """Reasons and counts. Runs in a Spark task."""
    with both.open() as tables:
        return CompactionTables.of(tables, pair, after).rows(
            GONE, start=span[0], end=span[1], examples=EXAMPLES
        )


def ask_cleaned(both: ComparedTables, pair: CopyPair, after: str, gone: GoneRecords) -> Cleaned:
    """How far the cleaner had come, as its checkpoint or the records say, and what it left. Runs in a Spark task."""
    with both.open() as tables:
        compaction = CompactionTables.of(tables, pair, after)
        checkpoint = compaction.rows(POINT)[0]["point"]
        point, source = (
            (checkpoint, "checkpoint") if checkpoint is not None else (gone.last_offset + 1, "records")
        )
        (stayed,) = compaction.rows(STAYED, point=point, examples=EXAMPLES)
        judged = judge(compaction, gone.records["marker_of_data"], point, source)
        return Cleaned(
            after,
            dict(gone.records),
            gone.offsets,
            point,
            source,
            stayed["records"],
            stayed["offsets"] or [],
            judged,
        )
