"""What log recovery would do: it checks the segments from that of the recovery point on."""

from __future__ import annotations

import pyarrow as pa
import pytest

from spark.detectors import _words as words
from spark.detectors.bytes._recovery import with_stake
from spark.tables import TABLES
from spark.terms.marked import plain
from tests.builders import given_tables

LOG = {"topic": "t", "partition": 0, "replica": ""}
DAMAGED = "SELECT topic, partition, replica, file, 3 AS first_offset FROM files WHERE file = 0"


def sentence(recovery_point: int | None, segments: int = 3) -> str:
    """Of a bad batch at offset 3 in the first of segments of 10 records, each in a batch."""
    rows = {
        "files": [{**LOG, "file": n, "name": f"{n}.log", "kind": "segment", "base_offset": 10 * n} for n in range(segments)],
        "batches": [
            {**LOG, "file": n, "position": 0, "base_offset": 10 * n, "last_offset": 10 * n + 9, "crc_ok": True, "is_control": False, "records_read": 10}
            for n in range(1, segments)
        ],
        "checkpoints": [] if recovery_point is None else [{**LOG, "file": 9, "kind": "recovery_point", "offset": recovery_point}],
    }  # fmt: skip
    tables = given_tables(
        {name: pa.Table.from_pylist(of, schema=TABLES[name].schema) for name, of in rows.items()}
    )
    (row,) = tables.rows(with_stake(DAMAGED))
    return words.log_recovery(row)


@pytest.mark.parametrize(
    ("recovery_point", "says"),
    [
        (None, "truncates this log at offset 3, unless the recovery point is in a later segment. This deletes everything"),
        (9, "truncates this log at offset 3. This deletes everything from that offset on, including 20 records"),
        (10, "does not check this segment: the recovery point (offset 10) is in a later one"),
    ],
    ids=["unknown", "in this segment", "in the next segment"],
)  # fmt: skip
def test_recovery_reaches_what_lies_from_the_segment_of_the_recovery_point_on(
    recovery_point: int | None, says: str
) -> None:
    assert says in plain(sentence(recovery_point))


def test_the_newest_segment_is_always_checked_and_nothing_follows_its_end() -> None:
    assert plain(sentence(None, segments=1)).endswith("at offset 3. No readable record follows there")
