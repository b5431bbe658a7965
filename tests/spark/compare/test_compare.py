"""Two sides record by record: kinds, ranges, what a layout cannot tell, histories that parted, and cleaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.compare import ComparedInput, ComparisonResult, compare, compare_copies
from spark.compare.align import OffsetRun, runs
from spark.compare.words import cleaned_words, whole_sentence
from spark.runtime.in_process import in_process
from spark.tables import Manifest
from tests.builders import batches_table, files_table, lifelines_table, other_table, records_table

pytestmark = pytest.mark.heavy

Row = dict[str, Any]


@pytest.fixture
def side(tmp_path: Path) -> Callable[..., ComparedInput]:
    """`side("a", records=..., batches=...)`: an inspection's folder with these tables; files follow unless given."""

    def write(label: str, **tables: pa.Table) -> ComparedInput:
        folder = tmp_path / label
        tables = {"files": files_table({"topic": "journal"}), **tables}
        for name, table in tables.items():
            (folder / name).mkdir(parents=True)
            pq.write_table(table, folder / name / "0.parquet")
        names = {name: [f"{name}/0.parquet"] for name in tables}
        return ComparedInput(
            Manifest(folder, names, {name: table.num_rows for name, table in tables.items()}), label
        )

    return write


def compared(left: ComparedInput, right: ComparedInput) -> ComparisonResult:
    return compare(in_process(), left, right)


def told(found: ComparisonResult) -> list[tuple[str, int, int]]:
    (pair,) = found.pairs
    return [(one.kind, one.first_offset, one.last_offset) for one in pair.aligned.runs]


def rows(*offsets: int, **more: Any) -> list[Row]:
    return [{"offset": offset, **more} for offset in offsets]


def test_ranges_of_equal_different_and_one_sided_records(side: Any) -> None:
    left = side("a", records=records_table(*rows(0, 1, 2), {"offset": 3, "value": b"x"}, *rows(5, 6)))
    right = side("b", records=records_table(*rows(1, 2, 3), *rows(5, 6, 9)))
    found = compared(left, right)
    assert told(found) == [
        ("left", 0, 0),
        ("equal", 1, 2),
        ("different", 3, 3),
        ("equal", 5, 6),
        ("right", 9, 9),
    ]
    assert found.pairs[0].aligned.differing_fields == {"value": 1}
    assert found.sentence.startswith("a and b contain different records of journal-0 at offset 3.")


@pytest.mark.parametrize(
    ("different", "words"), [((1, 2), "at offsets 1-2."), ((1, 3), "at 2 offsets between 1 and 3.")]
)
def test_record_sentences_name_two_dumps_before_and_after(
    side: Any, different: tuple[int, ...], words: str
) -> None:
    left = [{"offset": offset, "value": b"x" if offset in different else b"y"} for offset in range(6)]
    right = [{"offset": offset, "value": b"y"} for offset in range(5)]
    found = compared(side("a", records=records_table(*left)), side("b", records=records_table(*right)))
    said = found.as_json()["partitions"][0]["record_sentence"]
    assert said.startswith(f"After and Before contain different records of journal-0 {words}")
    assert found.sentence.startswith("a and b contain different records of journal-0")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"key": b"other"}, "key"),
        ({"value": None}, "value"),
        ({"value": b""}, "value"),
        ({"headers": [{"key": b"h", "value": None}]}, "headers"),
        ({"timestamp_ms": 5}, "timestamp"),
        ({"control_type": "commit"}, "control_type"),
        ({"producer_id": 7}, "producer"),
        ({"sequence": 7}, "producer"),
    ],
    ids=["key", "null value", "empty value", "headers", "timestamp", "control", "producer", "sequence"],
)
def test_every_part_of_a_records_content_counts(side: Any, change: Row, field: str) -> None:
    left, right = side("a", records=records_table({})), side("b", records=records_table(change))
    assert dict(compared(left, right).pairs[0].aligned.differing_fields) == {field: 1}


def test_an_empty_value_is_not_null(side: Any) -> None:
    left, right = (side(name, records=records_table({"value": v})) for name, v in (("a", b""), ("b", None)))
    assert told(compared(left, right)) == [("different", 0, 0)]


def test_an_abort_in_one_partition_hides_no_record_of_another(side: Any) -> None:
    both = [{"partition": number, "offset": offset} for number in (0, 1) for offset in (0, 1)]
    aborted = other_table(
        "transactions",
        {
            "topic": "journal", "partition": 1, "producer_id": -1, "producer_epoch": -1, "first_offset": 1, "last_offset": 1,
            "outcome": "aborted",
        },
    )  # fmt: skip
    left = side("a", records=records_table(*both), transactions=aborted)
    export = files_table({"topic": "journal", "kind": "export", "layout": "kcat-json"})
    right = side("b", records=records_table(both[0], both[2]), files=export)
    first, second = compared(left, right).pairs
    assert [(one.kind, one.first_offset) for one in first.aligned.runs] == [("equal", 0), ("left", 1)]
    assert [(one.kind, one.first_offset) for one in second.aligned.runs] == [("equal", 0)]


def test_borders_of_batches_and_stamps_of_epochs_are_no_content(side: Any) -> None:
    left = side("a", records=records_table({}, {}), batches=batches_table({"last_offset": 1}))
    stamped = batches_table({"leader_epoch": 5}, {"leader_epoch": 5})
    assert compared(left, side("b", records=records_table({}, {}), batches=stamped)).is_equal


def test_what_one_layout_cannot_tell_is_no_difference(side: Any) -> None:
    segment = side(
        "a", records=records_table({"producer_id": 3}, {"value": None}, {"control_type": "commit"})
    )
    dump = files_table({"layout": "kcat-json", "kind": "export", "base_offset": None})
    text = records_table(
        {"headers": None, "producer_id": None, "producer_epoch": None, "sequence": None}, {"value": None}
    )
    found = compared(segment, side("b", records=text, files=dump))
    assert found.is_equal
    assert found.pairs[0].aligned.counts == {"equal": 2}


def test_a_batch_with_a_wrong_checksum_is_damage_not_divergence(side: Any) -> None:
    batches = batches_table({}, {"crc_computed": 1})
    left = side("a", records=records_table({}, {}), batches=batches_table({}, {}))
    found = compared(left, side("b", records=records_table({}, {"value": b"bits"}), batches=batches))
    assert told(found) == [("equal", 0, 0), ("damaged", 1, 1)]
    assert found.pairs[0].relation == "damaged"


def test_an_offset_twice_on_one_side_is_equal_when_one_of_them_is(side: Any) -> None:
    twice = records_table({"offset": 0, "value": b"other"}, {"offset": 0}, {"offset": 1})
    assert compared(side("a", records=records_table({}, {})), side("b", records=twice)).is_equal


def test_the_epoch_in_which_two_histories_parted(side: Any) -> None:
    def history(name: str, epoch: int, value: bytes) -> ComparedInput:
        lines = [*rows(0, 1), *rows(2, 3, value=value)]
        batches = batches_table({"last_offset": 1}, {"last_offset": 3, "leader_epoch": epoch})
        return side(name, records=records_table(*lines), batches=batches)

    parted = compared(history("a", 1, b"lost"), history("b", 3, b"kept")).pairs[0].parting
    assert parted is not None
    assert (parted.offset, parted.left_epoch, parted.right_epoch) == (2, 1, 3)
    assert (parted.common_epoch, parted.common_end_offset) == (0, 2)


def test_without_epochs_in_batches_the_checkpoint_tells(side: Any) -> None:
    def history(name: str, value: bytes) -> ComparedInput:
        entries = other_table("epoch_entries", {"epoch": 4, "start_offset": 0})
        batches = batches_table({"magic": 1, "leader_epoch": -1}, {"magic": 1, "leader_epoch": -1})
        return side(name, records=records_table({}, {"value": value}), batches=batches, epoch_entries=entries)

    parted = compared(history("a", b"1"), history("b", b"2")).pairs[0].parting
    assert parted is not None
    assert (parted.common_epoch, parted.common_end_offset, parted.left_epoch) == (4, 1, None)


def test_a_shorter_side_is_said_to_be_shorter(side: Any) -> None:
    found = compared(side("a", records=records_table({}, {}, {})), side("b", records=records_table({})))
    assert found.pairs[0].relation == "longer"
    assert found.sentence.endswith("a has 2 more records after offset 0.")


def cleaned(side: Any, kept: Sequence[int], **tables: pa.Table) -> Any:
    """Before: key k at 0, 2 and 4, key d at 1 and deleted at 3, key u at 5; after: what is kept of them."""
    keys = {0: b"k", 1: b"d", 2: b"k", 3: b"d", 4: b"k", 5: b"u"}
    lines = {
        offset: {"offset": offset, "key": key, "value": None if offset == 3 else b"v"}
        for offset, key in keys.items()
    }
    newer = {0: 2, 1: 3, 2: 4}

    def lives(offsets: Sequence[int]) -> pa.Table:
        marks = ({"offset": o, "key": keys[o], "superseded_by": newer.get(o)} for o in offsets)
        return lifelines_table(*marks)

    before = side("before", records=records_table(*lines.values()), lifelines=lives(list(keys)), **tables)
    after = records_table(*(lines[offset] for offset in kept))
    ends = batches_table({"base_offset": 0, "last_offset": 5})
    return compared(before, side("after", records=after, lifelines=lives(kept), batches=ends))


def test_a_cleaning_is_explained_record_by_record(side: Any) -> None:
    (pair,) = cleaned(side, [4, 5]).pairs
    assert pair.relation == "cleaned"
    (found,) = pair.cleaned
    assert found.gone == {"superseded": 3, "tombstone": 1}
    assert (found.must_not_be_gone, found.stayed) == (0, 0)


def test_a_start_mark_without_a_value_is_no_tombstone(side: Any) -> None:
    rows = [{"offset": 0, "key": b"start", "value": None}, {"offset": 1, "key": b"u", "value": b"v"}]
    marks = [{"offset": 0, "key": b"start", "kind": "restart"}, {"offset": 1, "key": b"u"}]
    before = side("before", records=records_table(*rows), lifelines=lifelines_table(*marks))
    after = side(
        "after",
        records=records_table(rows[1]),
        lifelines=lifelines_table(marks[1]),
        batches=batches_table({"base_offset": 0, "last_offset": 1}),
    )
    (found,) = compared(before, after).pairs[0].cleaned
    assert found.gone == {"start_mark": 1}
    assert "1 start mark (offset 0)" in cleaned_words("journal-0", "before", "after", found)


def test_the_newest_record_of_its_key_must_not_have_gone(side: Any) -> None:
    (found,) = cleaned(side, [3, 4]).pairs[0].cleaned
    assert found.gone == {"superseded": 3, "newest": 1}
    assert found.gone_offsets["newest"] == [5]
    said = cleaned_words("journal-0", "before", "after", found)
    assert said.endswith("1 record must not be missing, because it is the newest of its key: offset 5.")


def test_a_record_that_a_delete_between_the_copies_may_have_ended_is_no_loss(side: Any) -> None:
    def copy(name: str, keys: dict[int, bytes]) -> ComparedInput:
        rows = [{"offset": offset, "key": key, "value": b"v"} for offset, key in keys.items()]
        ends = batches_table({"base_offset": 0, "last_offset": max(keys)})
        marks = lifelines_table(*({"offset": row["offset"], "key": row["key"]} for row in rows))
        return side(name, records=records_table(*rows), lifelines=marks, batches=ends)

    before = copy("before", {0: b"k", 1: b"u", 2: b"w"})
    (with_holes,) = compared(before, copy("after", {0: b"k", 2: b"w", 6: b"z"})).pairs[0].cleaned
    assert with_holes.gone == {"deleted_since": 1}
    assert with_holes.must_not_be_gone == 0
    (without,) = compared(before, copy("later", {0: b"k", 2: b"w", 3: b"z"})).pairs[0].cleaned
    assert without.gone == {"newest": 1}


def test_a_record_superseded_by_an_aborted_one_alone_must_not_have_gone(side: Any) -> None:
    aborted = other_table(
        "transactions",
        {"producer_id": -1, "producer_epoch": -1, "first_offset": 2, "last_offset": 4, "outcome": "aborted"},
    )
    (found,) = cleaned(side, [1, 3, 5], transactions=aborted).pairs[0].cleaned
    assert found.gone == {"aborted": 2, "newest": 1}
    assert found.gone_offsets["newest"] == [0]


def test_what_was_superseded_below_the_cleaners_point_should_have_gone(side: Any) -> None:
    (found,) = cleaned(side, [0, 2, 3, 4, 5]).pairs[0].cleaned
    assert (found.gone, found.point_offset, found.point_is_from) == ({"superseded": 1}, 2, "records")
    assert found.stayed == 0  # 0 is superseded by 2, which the cleaner need not have seen


def test_a_side_has_the_bounds_of_its_log_and_those_of_its_records(side: Any) -> None:
    files = files_table({"topic": "journal", "kind": "segment", "base_offset": 0})
    ends = batches_table({"base_offset": 0, "last_offset": 9})
    log = side("log", records=records_table({"offset": 1}, {"offset": 7}), files=files, batches=ends)
    found = compared(log, side("b", records=records_table({"offset": 1}))).as_json()["partitions"][0]["left"]
    assert (found["first_offset"], found["last_offset"]) == (0, 9)
    assert (found["first_record_offset"], found["last_record_offset"]) == (1, 7)


def test_a_copy_of_one_partition_is_set_beside_each_other_copy(side: Any) -> None:
    lines = [{"offset": 0, "replica": name, "value": name[:1].encode()} for name in ("x1", "x2", "y")]
    found = compare_copies(in_process(), side("all", records=records_table(*lines)))
    assert [(p.pair.left.label, p.pair.right.label, p.relation) for p in found.pairs] == [
        ("x1", "x2", "equal"),
        ("x1", "y", "different"),
    ]


def test_copies_that_are_no_replicas_are_left_out(side: Any) -> None:
    names = ("n1", "n1-later", "n2", "journal-0.51c8c1c3-delete", "n1 (cluster B)")
    lines = [{"offset": 0, "replica": name, "value": name.encode()} for name in names]
    lines += [{"offset": 0, "replica": name, "topic": "?"} for name in names]
    same = [{"replica": name, "name": "broker.id", "value": "1"} for name in names[:2]]
    properties = other_table(
        "properties", *same, {"replica": "n2", "name": "broker.id", "value": "2"}, topic="?"
    )
    inspected = side("all", records=records_table(*lines), properties=properties)
    found = compare_copies(in_process(), inspected)
    assert [(p.pair.left.label, p.pair.right.label) for p in found.pairs] == [("n1-later", "n2")]


def test_prints_of_two_kinds_are_no_replicas(side: Any) -> None:
    lines = [{"offset": 0, "replica": name, "file": file} for file, name in enumerate(("a", "b", "c"))]
    kinds = [
        {"file": file, "layout": layout}
        for file, layout in enumerate(("dump-log-text", "kcat-json", "dump-log-text"))
    ]
    inspected = side("all", records=records_table(*lines), files=files_table(*kinds))
    found = compare_copies(in_process(), inspected)
    assert [(p.pair.left.label, p.pair.right.label) for p in found.pairs] == [("a", "c")]


def test_a_folder_left_over_is_set_beside_nothing_unless_it_is_asked_for(side: Any) -> None:
    leftover = "journal-0.51c8c1c3-delete"
    left = side("before", records=records_table({"offset": 0}))
    right = side("after", records=records_table({"offset": 0}, {"offset": 0, "replica": leftover}))
    assert [p.pair.right.replica for p in compared(left, right).pairs] == [""]
    asked = replace(right, replica=leftover)
    assert [p.pair.right.replica for p in compared(left, asked).pairs] == [leftover]


def test_partitions_that_one_side_alone_has_are_named(side: Any) -> None:
    left = side("a", records=records_table({"partition": 0}, {"partition": 1}))
    right = side("b", records=records_table({"partition": 0}, {"partition": 2}))
    found = compared(left, right)
    assert (found.only_left, found.only_right, found.is_equal) == (["journal-1"], ["journal-2"], False)


def test_runs_that_change_too_often_are_folded_with_their_counts() -> None:
    offsets, kinds = np.arange(10_000), np.tile([0, 3], 5_000).astype(np.int8)
    found = runs(offsets, kinds, np.zeros(10_000, np.int8))
    assert len(found) == 2_000
    assert found[0] == OffsetRun("mixed", 0, 4, 5, 0, {"equal": 3, "left": 2})
    assert sum(one.records for one in found) == 10_000


@pytest.mark.spark
def test_on_spark_a_large_pair_is_cut_into_ranges_and_says_the_same(
    side: Any, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark.compare.align.ROWS_PER_TASK", 100)
    lines = [{"offset": n} for n in range(0, 2_000, 2)]
    left = side("a", records=records_table(*lines))
    right = side("b", records=records_table(*lines[:700], *({**line, "value": b"x"} for line in lines[700:])))
    found = compare(spark, left, right)
    assert told(found) == [("equal", 0, 1398), ("different", 1400, 1998)]
    assert (found.pairs[0].aligned.first_different, found.pairs[0].aligned.last_different) == (1400, 1998)


def test_of_several_pairs_the_one_with_a_loss_is_told_first() -> None:
    sides = ("a.zip", ["t-7"]), ("b.zip", list[str]())
    pairs = [(False, "different", "One."), (True, "cleaned", "Two."), (False, "equal", "Three.")]
    assert whole_sentence(pairs, *sides) == (
        "Two. 1 of 3 pairs of partitions contain the same records. Only a.zip has t-7."
    )
    assert whole_sentence([pairs[2], pairs[2]], *sides).startswith("2 of 2 pairs")


def test_records_before_the_other_log_are_counted_with_those_that_it_lacks(side: Any) -> None:
    records = [{"offset": 0}, {"offset": 1}, {"offset": 2, "key": b"k"}, {"offset": 3, "key": b"k"}]
    lines = [*rows(0, 1), {"offset": 2, "superseded_by": 3}, {"offset": 3, "previous_offset": 2}]
    files = files_table({"topic": "journal", "kind": "export", "base_offset": None})
    left = side("a", files=files, records=records_table(*records), lifelines=lifelines_table(*lines))
    after = [records[1], records[3]]
    right = side("b", files=files, records=records_table(*after), lifelines=lifelines_table(*rows(1, 3)))
    found = compared(left, right)
    assert found.pairs[0].aligned.counts["left"] == 2
    assert found.sentence == (
        "b lacks 2 records of journal-0 that a contains, as after compaction: 1 superseded by a newer record of its key "
        "and 1 before offset 1, outside b."
    )
