"""Records that were read one by one are written in portions, by their number and by their bytes."""

from __future__ import annotations

import pytest

from spark.sources import Split
from spark.sources._lines import records
from spark.sources._lines.records import chunks, record

SPLIT = Split(0, "print.txt", "print.txt", "kcat-format", 0, 4_000, "t", 0, "")


@pytest.mark.parametrize(
    ("limit", "value", "sizes"), [("ROWS_PER_CHUNK", 4, [4, 4, 2]), ("BYTES_PER_CHUNK", 1_000, [3, 3, 3, 1])]
)
def test_a_portion_ends_where_it_has_enough_rows_or_bytes(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int, sizes: list[int]
) -> None:
    monkeypatch.setattr(records, limit, value)
    lines = [record(400 * number, 400 * (number + 1), b"key", b"value") for number in range(10)]
    written = [chunk.records for chunk in chunks(SPLIT, lines)]
    assert [rows.num_rows for rows in written if rows] == sizes
    assert [offset for rows in written if rows for offset in rows["offset"].to_pylist()] == list(range(10))
