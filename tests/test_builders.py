"""The builders fill in what a test leaves out, and nothing else."""

from __future__ import annotations

import pytest

from spark.tables import TABLES
from tests.builders import (
    batches_table,
    damage_table,
    entries_table,
    files_table,
    lifelines_table,
    other_table,
    records_table,
)


@pytest.mark.parametrize(
    ("name", "build"),
    [
        ("records", records_table),
        ("batches", batches_table),
        ("entries", entries_table),
        ("lifelines", lifelines_table),
        ("damage", damage_table),
        ("files", files_table),
    ],
)
def test_a_row_without_anything_has_the_schema_of_its_table(name, build):
    assert build({}).schema == TABLES[name].schema
    assert build().num_rows == 0


def test_offsets_count_on_from_the_row_before():
    assert records_table({}, {"offset": 7}, {}).column("offset").to_pylist() == [0, 7, 8]
    batches = batches_table({"base_offset": 5, "last_offset": 9}, {})
    assert batches.column("base_offset").to_pylist() == [5, 10]
    assert batches.column("record_count").to_pylist() == [5, 1]


def test_nulls_sizes_and_hashes_follow_from_the_bytes():
    first, second, third = records_table(
        {"key": b"a"}, {"key": b"a", "value": None}, {"key": None}
    ).to_pylist()
    assert (first["key_hash_1"], first["key_hash_2"]) == (second["key_hash_1"], second["key_hash_2"])
    assert (second["value_is_null"], second["value_size_bytes"]) == (True, 0)
    assert (third["key_is_null"], third["key_hash_1"]) == (True, 0)
    assert lifelines_table({"key": b"a"}).column("key_hash_1").to_pylist() == [first["key_hash_1"]]


def test_what_holds_for_every_row_is_given_once():
    entries = entries_table({}, {"attributes": {"contentId": 4}}, topic="audit", partition=2)
    assert set(entries.column("topic").to_pylist()) == {"audit"}
    assert entries.column("attributes").to_pylist() == ["{}", '{"contentId": 4}']


def test_a_misspelled_column_is_refused():
    with pytest.raises(ValueError, match="ofset"):
        records_table({"ofset": 3})
    with pytest.raises(ValueError, match="partitoin"):
        other_table("gaps", {}, partitoin=3)
