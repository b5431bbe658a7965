"""What the log cleaner has done and may do next, as told by checkpoints, batches and keys."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from spark.log.cleanings import cleanings
from tests.builders import batches_table, files_table, given_tables, lifelines_table, other_table

Row = dict[str, Any]
TWICE = ({"offset": 0, "superseded_by": 2}, {"offset": 1}, {"offset": 2, "previous_offset": 0}, {"offset": 3})
DELETED = (
    {"offset": 0, "superseded_by": 1},
    {"offset": 1, "kind": "tombstone", "previous_offset": 0},
    {"offset": 2},
    {"offset": 3},
)


def cleaning(lifelines: tuple[Row, ...] = TWICE, **tables: pa.Table) -> Row:
    """The one row about a log of offsets 0 to 3."""
    runs = other_table("runs", {"first_offset": 0, "last_offset": 3})
    (row,) = cleanings(
        given_tables({"runs": runs, "lifelines": lifelines_table(*lifelines), **tables})
    ).to_pylist()
    return row


def checkpoint(offset: int, **other: Any) -> pa.Table:
    return other_table("checkpoints", {"kind": "cleaner", "offset": offset, **other})


def told(row: Row) -> tuple[Any, ...]:
    return row["compacted"], row["first_dirty_offset"], row["dirty_from"]


def test_a_plain_log_is_not_compacted() -> None:
    assert told(cleaning()) == ("no", None, None)
    assert cleaning()["removed_records"] is None


def test_a_checkpoint_that_names_it_proves_compaction() -> None:
    assert told(cleaning(checkpoints=checkpoint(2))) == ("proven", 2, "checkpoint")


@pytest.mark.parametrize("offset", [-1, 5], ids=["below the log", "beyond its end"])
def test_a_checkpoint_outside_the_log_is_reset_to_its_start(offset: int) -> None:
    assert told(cleaning(checkpoints=checkpoint(offset))) == ("proven", 0, "checkpoint")


def test_a_checkpoint_that_names_only_others_says_it_was_never_cleaned() -> None:
    assert told(cleaning(checkpoints=checkpoint(2, partition=7))) == ("no", 0, "checkpoint")


def test_a_checkpoint_without_an_entry_says_it_was_never_cleaned() -> None:
    files = files_table({"name": "data/cleaner-offset-checkpoint", "kind": "companion"})
    assert told(cleaning(files=files)) == ("no", 0, "checkpoint")
    damage = other_table("damage", {"file": 0, "reason": "bad_companion"})
    assert told(cleaning(files=files, damage=damage)) == ("no", None, None)


def test_the_checkpoint_of_another_copy_says_nothing() -> None:
    assert told(cleaning(checkpoints=checkpoint(2, replica="broker-2"))) == ("no", None, None)


def test_a_thinned_batch_proves_compaction_and_repeated_keys_end_the_cleaned_part() -> None:
    batches = batches_table({"base_offset": 0, "last_offset": 1, "record_count": 1}, {"last_offset": 3})
    assert told(cleaning(batches=batches)) == ("proven", 2, "batches")


def test_a_delete_horizon_proves_compaction() -> None:
    row = cleaning(batches=batches_table({"base_offset": 0, "delete_horizon_ms": 5}))
    assert told(row) == ("proven", 2, "keys")


@pytest.mark.parametrize("broken", [{"crc_stored": 1, "crc_computed": 2}, {"records_read": 0}])
def test_a_damaged_batch_proves_nothing(broken: Row) -> None:
    batches = batches_table({"base_offset": 0, "last_offset": 1, "record_count": 1, **broken})
    assert cleaning(batches=batches)["compacted"] == "no"


def test_a_null_value_after_a_value_of_its_key_makes_compaction_likely() -> None:
    assert told(cleaning(DELETED)) == ("likely", 1, "keys")


def test_a_record_without_key_ends_the_cleaned_part() -> None:
    rows = ({"offset": 0}, {"offset": 1, "key": None, "key_size_bytes": 0}, *DELETED[2:])
    deleted = {"offset": 4, "kind": "tombstone", "previous_offset": 3}
    assert cleaning((*rows, deleted))["first_dirty_offset"] == 1


def test_the_active_segment_is_never_cleaned() -> None:
    files = files_table({"base_offset": 0, "size_bytes": 70}, {"base_offset": 3, "size_bytes": 30})
    row = cleaning(files=files, checkpoints=checkpoint(0))
    assert (row["active_offset"], row["first_uncleanable_offset"], row["stopped_by"]) == (
        3,
        3,
        "active segment",
    )
    assert (row["clean_bytes"], row["cleanable_bytes"]) == (0, 70)


def test_an_open_transaction_stops_the_cleaner_at_its_segment() -> None:
    files = files_table({"base_offset": 0}, {"base_offset": 2}, {"base_offset": 3})
    open_one = other_table("transactions", {"outcome": "open", "first_offset": 2})
    row = cleaning(files=files, transactions=open_one, checkpoints=checkpoint(0))
    assert (row["first_uncleanable_offset"], row["stopped_by"]) == (2, "open transaction")


def test_what_the_next_cleaning_removes_ends_before_the_active_segment() -> None:
    files = files_table({"base_offset": 0}, {"base_offset": 2})
    proven = checkpoint(0)
    assert cleaning(files=files, checkpoints=proven)["removed_records"] == 0
    assert cleaning(checkpoints=proven)["removed_records"] == 1


def test_in_the_end_only_the_newest_values_of_keys_remain() -> None:
    keyless = {"offset": 4, "key": None, "key_size_bytes": 0}
    assert cleaning((*DELETED, keyless), checkpoints=checkpoint(0))["removed_when_compacted"] == 3


def test_each_partition_is_told_by_itself() -> None:
    runs = other_table("runs", *({"first_offset": 0, "last_offset": 3, "partition": p} for p in (0, 1)))
    lines = lifelines_table(*TWICE, *({**row, "partition": 1} for row in DELETED))
    rows = cleanings(given_tables({"runs": runs, "lifelines": lines})).to_pylist()
    assert sorted((row["partition"], row["compacted"]) for row in rows) == [(0, "no"), (1, "likely")]
