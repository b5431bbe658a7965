"""Records printed without their offsets (`--skip-record-metadata`): numbered within the batch above them.

If a batch has as many offsets as records, and all were printed, the offsets are certain. A record without key and value is
an invisible empty line, and a compacted batch has gaps at unknown positions: then records are numbered from the batch's
first offset on, and the note gives their number. The batch's time is that of all its records if the broker set it
(LogAppendTime), and that of an only record; otherwise it is the newest of its records' times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spark.sources.dump_log_text import fields as f
from spark.sources.dump_log_text.fields import Rows
from spark.terms.wording import plural


@dataclass
class Numbering:
    """The batch that records follow, and the count reached in it."""

    base_offset: int = 0
    count: int = 0
    is_certain: bool = False
    time: tuple[int, int] | None = None  # of every record of the batch: milliseconds, type
    certain: int = 0
    doubtful: int = 0

    def apply(self, rows: Rows) -> None:
        is_bare = (rows[:, f.KIND] == f.RECORD) & ((rows[:, f.FLAGS] & f.BARE) != 0)
        if not is_bare.any():
            return
        chosen = np.flatnonzero(is_bare | (rows[:, f.KIND] == f.BATCH)).tolist()
        for at, number in enumerate(chosen):
            if rows[number, f.KIND] == f.BATCH:
                self.enter(rows[number], rows, chosen[at + 1 :])
            else:
                self.number(rows[number])

    def enter(self, batch: Rows, rows: Rows, following: list[int]) -> None:
        printed = 0
        for number in following:
            if rows[number, f.KIND] == f.BATCH:
                break
            printed += 1
        offsets = int(batch[f.LAST_OFFSET] - batch[f.BASE_OFFSET]) + 1
        self.base_offset, self.count = int(batch[f.BASE_OFFSET]), 0
        self.is_certain = offsets == batch[f.COUNT] == printed
        is_of_all = batch[f.TIMESTAMP_TYPE] == f.LOG_APPEND or batch[f.COUNT] == 1
        self.time = (int(batch[f.TIMESTAMP]), int(batch[f.TIMESTAMP_TYPE])) if is_of_all else None

    def number(self, row: Rows) -> None:
        row[f.OFFSET] = self.base_offset + self.count
        self.count += 1
        if self.time:
            row[f.TIMESTAMP], row[f.TIMESTAMP_TYPE] = self.time
        self.certain += self.is_certain
        self.doubtful += not self.is_certain

    def sentences(self) -> list[str]:
        if not self.certain + self.doubtful:
            return []
        sentences_so_far = [
            "Printed with --skip-record-metadata: offsets are counted within each batch; headers, sizes and the times of most records are not printed."
        ]
        if self.doubtful:
            sentences_so_far.append(
                f"The offsets of {plural(self.doubtful, 'record')} are not certain: their batch has more offsets than printed records."
            )
        return sentences_so_far
