"""Asking tables in SQL: by their plain names, whole or restricted, and with room for the greatest numbers."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from spark.tables import TABLES, Manifest
from spark.tables.connections import COMPARE
from spark.tables.pool import lent
from spark.tables.store import RestrictedTable, ResultTables
from tests import builders
from tests.builders import given_tables, records_table

LAST = 2**63 - 1
AFTER = "SELECT max(last_offset) + 1 AS \"end\", list({'at': base_offset + 1}) AS each FROM batches"


def batches_table(*rows: builders.Row) -> pa.Table:
    """Batches whose times and places do not follow from their offsets."""
    return builders.batches_table(*rows, position=0, base_timestamp_ms=0, max_timestamp_ms=0)


def test_an_end_behind_the_last_offset_there_is_gets_a_number() -> None:
    tables = given_tables({"batches": batches_table({"base_offset": LAST})})
    assert tables.rows(AFTER) == [{"end": 2**63, "each": [{"at": 2**63}]}]


def test_an_answer_that_becomes_a_column_of_64_bits_takes_the_nearest_number() -> None:
    tables = given_tables({"batches": batches_table({"base_offset": LAST}, {"base_offset": 7})})
    answer = tables.arrow('SELECT last_offset + 1 AS "end" FROM batches ORDER BY 1')
    assert answer.to_pydict() == {"end": [8, LAST]}
    assert answer.schema.field("end").type == pa.int64()


def test_a_kept_answer_is_there_for_later_questions_of_either_width(tmp_path: Path) -> None:
    tables = given_tables({"batches": batches_table({"base_offset": LAST}), "records": records_table({}, {})})
    tables.materialize("few", "SELECT count(*) AS records FROM records")
    tables.materialize("ends", "SELECT last_offset + 1 AS next FROM batches")
    tables.materialize("many", "SELECT records * 2 AS twice FROM few")
    assert tables.rows("SELECT records, next FROM few, ends") == [{"records": 2, "next": LAST}]
    assert tables.rows("SELECT twice + last_offset AS sum FROM many, batches") == [{"sum": LAST + 4}]
    assert tables.copy_to("SELECT last_offset + 2 AS next FROM batches", tmp_path / "ends.parquet") == 1
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


def written(folder: Path, *offsets: int) -> Manifest:
    """A result folder with records at these offsets."""
    (folder / "records").mkdir(parents=True)
    parquet.write_table(
        records_table(*({"offset": offset} for offset in offsets)), folder / "records" / "0.parquet"
    )
    return Manifest(folder, {"records": ["records/0.parquet"]}, {"records": len(offsets)})


def test_a_table_without_rows_has_its_columns() -> None:
    tables = given_tables({})
    for name, table in TABLES.items():
        assert tables.tuples(f"SELECT * FROM {name}") == [tuple(column.name for column in table.columns)]


def test_two_inspections_have_their_prefixes(tmp_path: Path) -> None:
    folders = written(tmp_path / "a", 1), written(tmp_path / "b", 1, 2)
    both = """SELECT "offset" FROM right_records ANTI JOIN left_records USING ("offset")"""
    with ResultTables.open(*folders, profile=COMPARE, prefixes=("left_", "right_")) as tables:
        assert tables.rows(both) == [{"offset": 2}]


def test_values_that_a_query_does_not_name_do_no_harm() -> None:
    tables = given_tables({"records": records_table({}, {})})
    assert tables.row('SELECT count(*) AS n FROM records WHERE "offset" < $end', {"end": 1, "other": 2}) == {
        "n": 1
    }


@pytest.mark.parametrize(
    "query",
    [
        'SELECT "offset" FROM records WHERE "offset" > $low',
        'WITH later AS (SELECT "offset" FROM records WHERE "offset" > $low) SELECT "offset" FROM later',
    ],
    ids=["plain", "with names of its own"],
)
def test_a_restricted_table_shows_a_part_and_the_whole_table_all(query: str) -> None:
    whole = given_tables({"records": records_table(*({} for _ in range(5)))})
    sql = 'SELECT * FROM whole_records WHERE "offset" < $end'
    part = whole.restricted({"records": RestrictedTable(sql, {"end": 3})})
    assert part.columns(query, {"low": 0})["offset"].tolist() == [1, 2]
    assert whole.columns(query, {"low": 0})["offset"].tolist() == [1, 2, 3, 4]


def test_restricted_tables_do_not_restrict_each_other() -> None:
    whole = given_tables({"records": records_table({}, {}), "batches": batches_table({"base_offset": 7})})
    part = whole.restricted(
        {
            "records": RestrictedTable("SELECT * FROM whole_records WHERE false", {}),
            "batches": RestrictedTable(
                'SELECT b.* FROM whole_batches AS b JOIN whole_records AS r ON r."offset" = 0', {}
            ),
        }
    )
    assert part.rows("SELECT base_offset FROM batches") == [{"base_offset": 7}]
    assert part.rows('SELECT "offset" FROM records') == []


def test_a_restricted_table_has_room_for_the_greatest_numbers_too() -> None:
    whole = given_tables({"batches": batches_table({"base_offset": 7}, {"base_offset": LAST})})
    sql = "SELECT * FROM whole_batches WHERE base_offset > $above"
    part = whole.restricted({"batches": RestrictedTable(sql, {"above": 7})})
    assert part.rows("SELECT last_offset + 1 AS next FROM batches") == [{"next": LAST + 1}]


def test_questions_that_take_longer_than_they_may_are_broken_off() -> None:
    tables = given_tables({})
    with pytest.raises(TimeoutError), tables.deadline(0.05):
        tables.rows(
            "SELECT count(*) FROM range(1000000) AS a, range(1000000) AS b WHERE a.range % 7 = b.range % 11"
        )
    assert tables.rows("SELECT 1 AS one") == [{"one": 1}]


def test_a_long_answer_comes_in_portions(tmp_path: Path) -> None:
    with ResultTables.open(written(tmp_path, *range(5000))) as tables:
        portions = list(tables.stream('SELECT "offset" FROM records ORDER BY ALL', 2048))
    assert [portion.num_rows for portion in portions] == [2048, 2048, 904]


def test_tables_lent_once_are_lent_again_to_the_next_page(tmp_path: Path) -> None:
    manifest = written(tmp_path, 1, 2)
    with lent(manifest) as first, lent(manifest) as beside:
        assert first is not beside
        assert first.rows("FROM records") == beside.rows("FROM records")
    with lent(manifest) as again:
        assert again in (first, beside)


def test_tables_over_which_a_page_failed_are_not_lent_again(tmp_path: Path) -> None:
    manifest = written(tmp_path, 1)
    with pytest.raises(KeyError), lent(manifest) as broken:
        raise KeyError
    with lent(manifest) as again:
        assert again is not broken


@pytest.mark.parametrize("last", [9, LAST], ids=["64 bits", "wider"])
def test_the_live_state_is_what_the_owner_of_the_journal_holds_at_the_end(last: int) -> None:
    own = {"is_own": True, "view": "log", "valid_from_offset": 1}
    rows = (
        {**own, "entity_id": "held", "origin_offset": last},
        {**own, "entity_id": "ended", "valid_to_offset": 5},
        {**own, "entity_id": "after compaction", "view": "full"},
        {**own, "entity_id": "of another service", "is_own": False},
    )
    tables = given_tables({"state": builders.other_table("state", *rows)})
    after = "SELECT entity_id, max(origin_offset + 1) AS after FROM live_state GROUP BY ALL"
    assert tables.rows(after) == [{"entity_id": "held", "after": last + 1}]
    assert tables.rows("SELECT entity_id FROM state_history ORDER BY 1") == [
        {"entity_id": "ended"},
        {"entity_id": "held"},
    ]


def test_views_have_the_prefix_of_their_inspection(tmp_path: Path) -> None:
    here, there = written(tmp_path / "here", 1), written(tmp_path / "there", 2)
    with ResultTables.open(here, there, profile=COMPARE, prefixes=("left_", "right_")) as tables:
        assert tables.rows("SELECT 1 FROM left_live_state UNION ALL SELECT 1 FROM right_live_refusals") == []
