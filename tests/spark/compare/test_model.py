"""Before and after a cleaning by the cleaner's model: what is lost, late, ahead of its checkpoint or waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.compare import ComparedInput, compare
from spark.compare.cleaned import Cleaned
from spark.compare.sides import PartitionCopy
from spark.compare.uncleaned import MAX_RECORDS, can_be_modelled
from spark.compare.words import cleaned_words
from spark.runtime.in_process import in_process
from spark.tables import Manifest
from tests.builders import batches_table, files_table, lifelines_table, other_table, records_table
from tests.spark.whole_pipeline import report_of

BROKERS = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "brokers"
Row = dict[str, Any]
Sides = Callable[..., ComparedInput]


@pytest.fixture
def side(tmp_path: Path) -> Sides:
    """`side("a", [{"offset": 0, "key": b"k"}, ...], bases=[0, 6], point=6)`: one record a batch."""

    def write(
        label: str, rows: Sequence[Row], *, bases: Sequence[int] = (0,), point: int | None = None
    ) -> ComparedInput:
        tables = tables_of(rows, bases, point)
        for name, table in tables.items():
            (tmp_path / label / name).mkdir(parents=True)
            pq.write_table(table, tmp_path / label / name / "0.parquet")
        files = {name: [f"{name}/0.parquet"] for name in tables}
        counts = {name: table.num_rows for name, table in tables.items()}
        return ComparedInput(Manifest(tmp_path / label, files, counts), label)

    return write


def tables_of(rows: Sequence[Row], bases: Sequence[int], point: int | None) -> dict[str, pa.Table]:
    records, batches, lives = [], [], []
    for row in rows:
        offset, key, value = row["offset"], row["key"], row.get("value", b"v")
        file = sum(base <= offset for base in bases) - 1
        newer = [one["offset"] for one in rows if one["key"] == key and one["offset"] > offset]
        records.append(
            {"offset": offset, "key": key, "value": value, "file": file, "batch_position": offset * 100}
        )
        more = {
            name: row[name]
            for name in ("delete_horizon_ms", "timestamp_type", "max_timestamp_ms")
            if name in row
        }
        end = row.get("last_offset", offset)
        batches.append(
            {"base_offset": offset, "last_offset": end, "file": file, "position": offset * 100, **more}
        )
        kind = "create" if value else "tombstone"
        lives.append({"offset": offset, "key": key, "superseded_by": min(newer, default=None), "kind": kind})
    segments = [{"file": number, "base_offset": base} for number, base in enumerate(bases)]
    points = [] if point is None else [{"kind": "cleaner", "offset": point}]
    return {
        "records": records_table(*records),
        "batches": batches_table(*batches),
        "lifelines": lifelines_table(*lives),
        "files": files_table(*segments, topic="journal"),
        "cleanings": other_table("cleanings", {"compacted": "proven"}),
        "checkpoints": other_table("checkpoints", *points),
    }


def of(before: ComparedInput, after: ComparedInput) -> Cleaned:
    (pair,) = compare(in_process(), before, after).pairs
    (found,) = pair.cleaned
    return found


def judged(before: ComparedInput, after: ComparedInput) -> Any:
    model = of(before, after).model
    assert model is not None
    return model


def log(keys: str, **changes: Row) -> list[Row]:
    """A record for each letter; a capital deletes."""
    return [
        {
            "offset": n,
            "key": k.lower().encode(),
            "value": None if k.isupper() else b"v",
            **changes.get(f"at_{n}", {}),
        }
        for n, k in enumerate(keys)
    ]


def kept(rows: Sequence[Row], *offsets: int) -> list[Row]:
    return [row for row in rows if row["offset"] in offsets]


def test_a_sound_cleaning_leaves_nothing_to_say(side: Sides) -> None:
    rows = log("abacbz")
    found = of(side("a", rows, bases=[0, 5]), side("b", kept(rows, 2, 3, 4, 5), bases=[0, 5], point=5))
    assert found.model is not None
    assert (found.model.removed, found.model.lost, found.model.overdue, found.model.waiting) == (2, 0, 0, {})
    assert found.must_not_be_gone == 0


def test_what_nothing_replaces_is_lost_and_named_by_its_key(side: Sides) -> None:
    rows = log("abacbz")
    found = of(side("a", rows, bases=[0, 5]), side("b", kept(rows, 2, 4, 5), bases=[0, 5], point=5))
    assert found.model is not None
    assert (found.model.removed, found.model.lost_offsets, found.model.lost_keys) == (2, [3], ["c"])
    assert found.must_not_be_gone == 1
    assert (
        "1 record must not be missing, because it is the newest of its key: offset 3 (key c)."
        in cleaned_words("t-0", "a", "b", found)
    )


def test_what_was_replaced_below_the_point_should_have_gone(side: Sides) -> None:
    rows = log("abacbz")
    found = of(side("a", rows, bases=[0, 5]), side("b", kept(rows, 0, 2, 3, 4, 5), bases=[0, 5], point=5))
    assert found.model is not None
    assert (found.model.overdue_offsets, found.model.removed) == ([0], 1)
    said = cleaned_words("t-0", "a", "b", found)
    assert said.count("Overdue") == 1
    assert "although the clean section ends at offset 5: offset 0." in said


def test_removed_records_prove_only_how_far_the_cleaner_came_at_least(side: Sides) -> None:
    rows = log("aabbz")
    found = of(side("a", rows), side("b", kept(rows, 0, 1, 3, 4)))
    assert found.point_is_from == "records"
    assert "although the clean section reaches at least offset 2: offset 0." in cleaned_words(
        "t-0", "a", "b", found
    )


def test_what_only_the_active_segment_replaces_waits(side: Sides) -> None:
    rows = log("aabb")
    found = judged(side("a", rows, bases=[0, 3]), side("b", kept(rows, 1, 2, 3), bases=[0, 3], point=3))
    assert (found.overdue, found.waiting, found.map_was_full) == (0, {"not_reached": 1}, False)


def test_a_point_within_a_segment_is_where_the_offset_map_was_full(side: Sides) -> None:
    rows = log("aabcbz")
    before, after = side("a", rows, bases=[0, 5]), side("b", kept(rows, 1, 2, 3, 4, 5), bases=[0, 5], point=3)
    found = of(before, after)
    assert found.model is not None
    assert (found.model.map_was_full, found.model.overdue, found.model.waiting) == (
        True,
        0,
        {"not_reached": 1},
    )
    assert "from offset 3 on supersede, where the offset map was full" in cleaned_words(
        "t-0", "a", "b", found
    )


def test_what_went_for_a_record_behind_the_checkpoint_is_ahead_of_it_not_lost(side: Sides) -> None:
    rows = log("aabcbz")
    found = judged(side("a", rows, bases=[0, 5]), side("b", kept(rows, 1, 3, 4, 5), bases=[0, 5], point=3))
    assert (found.ahead_offsets, found.lost, found.removed) == ([2], 0, 1)


def test_a_delete_waits_for_the_age_of_its_segment_or_for_its_horizon(side: Sides) -> None:
    rows = log("aAbz")
    before = side("a", rows, bases=[0, 3])
    old = judged(before, side("b", kept(rows, 1, 2, 3), bases=[0, 3], point=3))
    assert (old.families, old.waiting) == (["3.0 and earlier"], {"not_due": 1})
    marked = [
        {**row, "delete_horizon_ms": 5_000} if row["offset"] == 1 else row for row in kept(rows, 1, 2, 3)
    ]
    new = judged(before, side("c", marked, bases=[0, 3], point=3))
    assert (new.families, new.waiting, new.last_horizon_ms) == (["3.1 and later"], {"horizon": 1}, 5_000)


@pytest.mark.parametrize(("horizon_ms", "overdue"), [(7_000, [1]), (7_001, [])])
@pytest.mark.parametrize("clock", ["log_append", "create"])
def test_a_horizon_that_brokers_appended_behind_is_over(
    side: Sides, clock: str, horizon_ms: int, overdue: list[int]
) -> None:
    marked = {"delete_horizon_ms": horizon_ms}
    rows = log("aAbbz", at_1=marked, at_3={"timestamp_type": clock, "max_timestamp_ms": 7_000})
    before, after = kept(rows, 1, 2, 3, 4), kept(rows, 1, 3, 4)
    found = judged(side("a", before, bases=[0, 4], point=2), side("b", after, bases=[0, 4], point=4))
    assert found.overdue_offsets == (overdue if clock == "log_append" else [])


def test_a_delete_that_went_after_its_value_is_as_it_should_be(side: Sides) -> None:
    rows = log("aAbz")
    found = judged(side("a", rows, bases=[0, 3]), side("b", kept(rows, 2, 3), bases=[0, 3], point=3))
    assert (found.removed, found.lost, found.waiting) == (2, 0, {})


def test_what_was_written_between_the_copies_counts(side: Sides) -> None:
    rows = log("abcaz")
    before = side("a", rows[:3])
    found = judged(before, side("b", kept(rows, 1, 2, 3, 4), bases=[0, 4], point=4))
    assert (found.removed, found.lost) == (1, 0)
    went = judged(before, side("c", kept(rows, 1, 3, 4), bases=[0, 4], point=4))
    assert (went.removed, went.lost_offsets) == (1, [2])


def test_a_delete_that_came_and_went_between_the_copies_may_have_ended_a_record(side: Sides) -> None:
    rows = log("abcaBz")
    after = side("b", kept(rows, 2, 3, 5), bases=[0, 5], point=5)
    assert judged(side("a", rows[:3]), after).lost == 0


def test_a_copy_whose_offsets_repeat_is_not_asked_about(side: Sides) -> None:
    rows = log("abacz")
    twice = [*rows, {**rows[0], "offset": 1, "key": b"q"}]
    assert of(side("a", twice), side("b", kept(rows, 2, 3, 4), point=4)).model is None


@pytest.mark.parametrize(
    ("layout", "records", "is_asked"),
    [
        ("log-segment", MAX_RECORDS - 1, True),
        ("log-segment", MAX_RECORDS, False),
        ("kcat-json", 1, False),
    ],
)
def test_exports_and_more_records_than_fit_are_not_asked_about(
    layout: str, records: int, is_asked: bool
) -> None:
    one = PartitionCopy("t", 0, "", "a", records, 0, 9, layouts=frozenset({layout}))
    other = PartitionCopy("t", 0, "", "b", 1, 0, 9, layouts=frozenset({"log-segment"}))
    assert can_be_modelled(one, other) == can_be_modelled(other, one) == is_asked


PAIRS = [
    ("compaction-2.8.2", "before", "after-1", "profiles", 116, {"not_due": 3}),
    ("compaction-2.8.2", "before", "after-2", "profiles", 136, {"not_due": 4, "not_reached": 1}),
    ("compaction-2.8.2", "after-1", "after-2", "profiles", 20, {"not_due": 4, "not_reached": 1}),
    ("compaction-3.9.1", "before", "after-1", "profiles", 139, {"horizon": 8}),
    ("compaction-3.9.1", "before", "after-2", "profiles", 164, {"horizon": 6, "not_reached": 1}),
    ("compaction-3.9.1", "after-1", "after-2", "profiles", 25, {"horizon": 6, "not_reached": 1}),
    ("compaction-v0-v1-0.10.2.2", "before", "after", "settings", 128, {"not_due": 1, "not_reached": 10}),
    ("abort-marker-lost-2.8.1", "before", "after-2.8.2", "ledger", 1, {}),
    ("abort-index-lost-2.8.1", "before", "after-2.8.2", "ledger", 1, {}),
]
real = pytest.mark.skipif(
    not BROKERS.is_dir(), reason="the corpus of real journals is not beside the project"
)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], ComparedInput]:
    @cache
    def inspected(case: str, name: str) -> ComparedInput:
        results = tmp_path_factory.mktemp(case) / name
        report_of(BROKERS / case / name, results)
        return ComparedInput(Manifest.load(results), name)

    return inspected


@pytest.mark.wide
@real
@pytest.mark.parametrize(("case", "earlier", "later", "topic", "removed", "waiting"), PAIRS)
def test_brokers_clean_as_the_model_does(
    stage: Any, case: str, earlier: str, later: str, topic: str, removed: int, waiting: dict[str, int]
) -> None:
    found = compare(in_process(), stage(case, earlier), stage(case, later))
    (pair,) = [pair for pair in found.pairs if pair.cleaned]
    (one,) = pair.cleaned
    model = one.model
    assert pair.pair.left.topic == topic
    assert model is not None
    assert (model.removed, model.waiting) == (removed, waiting)
    assert (model.lost, model.ahead, model.overdue, one.must_not_be_gone) == (0, 0, 0, 0)


@pytest.mark.wide
@real
@pytest.mark.parametrize("case", ["abort-marker-lost-2.8.1", "abort-index-lost-2.8.1"])
def test_a_loss_by_the_known_defect_is_told_with_its_name(stage: Any, case: str) -> None:
    found = compare(in_process(), stage(case, "before"), stage(case, "after-2.8.1"))
    (pair,) = [pair for pair in found.pairs if pair.cleaned]
    model = pair.cleaned[0].model
    assert model is not None
    assert (model.lost_offsets, model.lost_keys, model.overdue_offsets) == ([1], ["b"], [6])
    assert model.defect == "KAFKA-13727"
    assert "A log cleaner with KAFKA-13727" in pair.sentence
