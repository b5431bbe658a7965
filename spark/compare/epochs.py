"""Where two copies parted: the epochs around the first different offset, and the last epoch both went through.

As a follower and its leader agree on it (Kafka `OffsetsForLeaderEpoch`, `LeaderEpochFileCache.endOffsetFor`): the
largest epoch both know, and in it the smaller of both end offsets. Epochs come from the batches; from the
leader-epoch-checkpoint where no batch carries one.
"""

from __future__ import annotations

from dataclasses import dataclass

from spark.compare.sides import CopyPair
from spark.compare.tables import copy_views
from spark.tables.store import ResultTables

# Of batches in format 0 or 1 the epoch is null, though the epochs before and after them are known.
EPOCHS = """
    SELECT leader_epoch AS epoch, min(base_offset) AS first_offset, max(last_offset) + 1 AS end_offset
    FROM copy_batches WHERE leader_epoch >= 0 GROUP BY ALL ORDER BY epoch
"""
CHECKPOINT = """
    SELECT epoch, min(start_offset) AS first_offset FROM copy_epoch_entries GROUP BY ALL ORDER BY epoch
"""
AT = """
    SELECT leader_epoch AS epoch, magic FROM copy_batches
    WHERE base_offset <= $at AND last_offset >= $at ORDER BY base_offset DESC LIMIT 1
"""


@dataclass(frozen=True)
class Epoch:
    """A leader epoch in one copy: its first offset and the one after its last."""

    epoch: int
    first_offset: int
    end_offset: int


@dataclass(frozen=True)
class Parting:
    """`offset` is the first that differs. `common_epoch`: the last one both went through, up to `common_end_offset`;
    null where nothing tells. Epoch null: the batch carries none (`magic` 0 or 1), or the layout has no batches."""

    offset: int
    left_epoch: int | None
    right_epoch: int | None
    left_magic: int | None
    right_magic: int | None
    common_epoch: int | None
    common_end_offset: int | None


def parting(tables: ResultTables, pair: CopyPair, offset: int) -> Parting:
    """What the epochs say of the first different offset."""
    left, right = at(tables, "left", pair, offset), at(tables, "right", pair, offset)
    common = common_epoch(epochs(tables, "left", pair), epochs(tables, "right", pair), offset)
    return Parting(offset, left[0], right[0], left[1], right[1], *(common or (None, None)))


def common_epoch(left: list[Epoch], right: list[Epoch], offset: int) -> tuple[int, int] | None:
    """The largest epoch that began on both sides before `offset`, and the smaller of its end offsets."""
    left_ends = {epoch.epoch: epoch.end_offset for epoch in left if epoch.first_offset <= offset}
    right_ends = {epoch.epoch: epoch.end_offset for epoch in right if epoch.first_offset <= offset}
    # An epoch that begins at the very offset where the records differ is not a common past, unless nothing else is.
    common = max(left_ends.keys() & right_ends.keys(), default=None)
    return None if common is None else (common, min(left_ends[common], right_ends[common], offset))


def epochs(tables: ResultTables, side: str, pair: CopyPair) -> list[Epoch]:
    """The epochs of a copy, ascending."""
    copy = tables.restricted(copy_views("copy", side, pair.parameters))
    if rows := copy.rows(EPOCHS):
        return [Epoch(**row) for row in rows]
    entries = copy.rows(CHECKPOINT)
    ends = [*(row["first_offset"] for row in entries[1:]), pair.copy(side).end_offset + 1]
    return [Epoch(row["epoch"], row["first_offset"], end) for row, end in zip(entries, ends, strict=False)]


def at(tables: ResultTables, side: str, pair: CopyPair, offset: int) -> tuple[int | None, int | None]:
    """Leader epoch and format of the batch that holds an offset."""
    batch = tables.restricted(copy_views("copy", side, pair.parameters)).row(AT, {"at": offset})
    if batch is None:
        return None, None
    epoch = batch["epoch"]
    return (None if epoch is None or epoch < 0 else epoch), batch["magic"]
