"""Asking tables in SQL: what 64 bits are too few for is answered all the same."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from spark.tables import Manifest
from spark.tables.store import ResultTables
from tests import builders
from tests.builders import records_table

LAST = 2**63 - 1
AFTER = "SELECT max(last_offset) + 1 AS \"end\", list({'at': base_offset + 1}) AS each FROM batches"


def batches_table(*rows: builders.Row) -> pa.Table:
    """Batches whose times and places do not follow from their offsets."""
    return builders.batches_table(*rows, position=0, base_timestamp_ms=0, max_timestamp_ms=0)


def test_an_end_behind_the_last_offset_there_is_gets_a_number() -> None:
    tables = ResultTables.of({"batches": batches_table({"base_offset": LAST})})
    assert tables.rows(AFTER) == [{"end": 2**63, "each": [{"at": 2**63}]}]
    assert tables.ask(AFTER, {}, 5) == tables.rows(AFTER)


def test_an_answer_that_becomes_a_column_of_64_bits_takes_the_nearest_number() -> None:
    tables = ResultTables.of({"batches": batches_table({"base_offset": LAST}, {"base_offset": 7})})
    answer = tables.arrow('SELECT last_offset + 1 AS "end" FROM batches ORDER BY 1')
    assert answer.to_pydict() == {"end": [8, LAST]}
    assert answer.schema.field("end").type == pa.int64()


def test_a_kept_answer_is_there_for_later_questions_of_either_width(tmp_path: Path) -> None:
    tables = ResultTables.of(
        {"batches": batches_table({"base_offset": LAST}), "records": records_table({}, {})}
    )
    tables.keep("few", "SELECT count(*) AS records FROM records")
    tables.keep("ends", "SELECT last_offset + 1 AS next FROM batches")
    tables.keep("many", "SELECT records * 2 AS twice FROM few")
    assert tables.rows("SELECT records, next FROM few, ends") == [{"records": 2, "next": LAST}]
    assert tables.rows("SELECT twice + last_offset AS sum FROM many, batches") == [{"sum": LAST + 4}]
    tables.write("SELECT last_offset + 2 AS next FROM batches", tmp_path / "ends.parquet")
    assert parquet.read_table(tmp_path / "ends.parquet").to_pydict() == {"next": [LAST]}


def test_files_are_read_as_tables_in_memory_are(tmp_path: Path) -> None:
    (tmp_path / "batches").mkdir()
    parquet.write_table(
        batches_table({"base_offset": LAST, "leader_epoch": 2**31 - 1}), tmp_path / "batches" / "0.parquet"
    )
    tables = ResultTables.open(Manifest(tmp_path, {"batches": ["batches/0.parquet"]}, {"batches": 1}))
    assert tables.rows("SELECT leader_epoch + 1 AS epoch, last_offset - -5 AS far FROM batches") == [
        {"epoch": 2**31, "far": LAST + 5}
    ]
