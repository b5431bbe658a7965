"""Rows wait until they fill a row group, by their number or by their bytes; what came is counted once."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.tables import TABLES, parquet
from spark.tables.parquet import PartWriter, Waiting
from tests.builders import records_table


@pytest.mark.parametrize(("rows", "size_bytes"), [(4, 1 << 30), (1000, 4 * 70_000)])
def test_a_row_group_is_written_when_it_is_full(
    rows: int, size_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", rows)
    monkeypatch.setattr(parquet, "ROW_GROUP_BYTES", size_bytes)
    writer = PartWriter(tmp_path, "0")
    for offset in range(10):
        writer.write("records", records_table({"offset": offset, "value": b"v" * 70_000}))
    [part] = writer.finish()
    file = pq.ParquetFile(tmp_path / part.name)
    groups = [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]
    assert (part.rows, groups) == (10, [4, 4, 2])


def test_a_part_is_counted_when_it_comes() -> None:
    waiting = Waiting()
    one, two = records_table({}), records_table({}, {})
    waiting.add(one)
    waiting.add(two)
    assert waiting.rows == 3
    assert waiting.size_bytes == one.get_total_buffer_size() + two.get_total_buffer_size()


def test_keys_of_full_row_groups_are_found_by_a_filter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", 3)
    with PartWriter(tmp_path, "0") as writer:
        for table in ("keys", "records"):
            schema = TABLES[table].schema
            rows = pa.Table.from_arrays([pa.nulls(3, field.type) for field in schema], schema=schema)
            keys = pa.array([b"a", b"b", b"c"], schema.field("key").type)
            writer.write(table, rows.set_column(schema.get_field_index("key"), schema.field("key"), keys))
        written = {part.table: tmp_path / part.name for part in writer.finish()}
    filters = "SELECT count(bloom_filter_offset) FROM parquet_metadata(?) WHERE path_in_schema = 'key'"
    counts = {table: duckdb.execute(filters, [str(path)]).fetchone() for table, path in written.items()}
    assert counts == {"keys": (1,), "records": (0,)}
