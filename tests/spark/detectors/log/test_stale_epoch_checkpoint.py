"""Leader epoch checkpoints beside their batches: what disagrees, and all that only looks so."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from spark.terms.findings import Finding
from tests.builders import batches_table, damage_table, files_table, other_table
from tests.spark.detectors.log.histories import of_magic

ID = "stale-epoch-checkpoint"
EMPTY_FILE = {"name": "journal-0/leader-epoch-checkpoint", "kind": "companion", "base_offset": None}


def log(*batches: tuple[int, int], **more: Any) -> pa.Table:
    """Batches of ten offsets: (magic, leader epoch)."""
    rows = (
        of_magic(
            magic,
            base_offset=10 * n,
            last_offset=10 * n + 9,
            **({"leader_epoch": epoch} if magic == 2 else {}),
        )
        for n, (magic, epoch) in enumerate(batches)
    )
    return batches_table(*rows, **more)


def noted(*pairs: tuple[int, int], **where: Any) -> pa.Table:
    """Lines of the checkpoint."""
    rows = ({"epoch": epoch, "start_offset": start} for epoch, start in pairs)
    return other_table("epoch_entries", *rows, **where)


def found(inspect: Any, batches: pa.Table, entries: pa.Table, **tables: pa.Table) -> list[Finding]:
    return inspect(ID, batches=batches, epoch_entries=entries, **tables)


OLD = (1, -1)


def test_an_entry_that_an_older_format_should_have_cleared(inspect: Any) -> None:
    (finding,) = found(inspect, log((2, 0), OLD), noted((0, 0)))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("high", 0, 10)
    assert "still contains epoch 0 from offset 0" in finding.title
    assert "leader-epoch-checkpoint of journal-0 with: 0 / 0." in finding.remedy


def test_a_stale_entry_outlives_the_way_back_to_format_2(inspect: Any) -> None:
    (finding,) = found(inspect, log(OLD, (2, 6), OLD, (2, 14)), noted((6, 10), (14, 30)))
    assert (finding.first_offset, finding.last_offset) == (10, 30)
    assert "leader-epoch-checkpoint of journal-0 with: 0 / 1 / 14 30." in finding.remedy


def test_one_entry_for_both_stretches_is_stale_too(inspect: Any) -> None:
    (finding,) = found(inspect, log((2, 0), OLD, (2, 0)), noted((0, 0)))
    assert (finding.first_offset, finding.last_offset) == (0, 20)
    assert "leader-epoch-checkpoint of journal-0 with: 0 / 1 / 0 20." in finding.remedy


def test_a_stale_entry_follows_from_the_format(inspect: Any) -> None:
    findings = inspect(batches=log((2, 0), OLD), epoch_entries=noted((0, 0)))
    by_id = {finding.detector: finding for finding in findings}
    assert by_id[ID].consequence_of == by_id["format-downgrade"].id


def test_an_epoch_that_is_not_noted(inspect: Any) -> None:
    (finding,) = found(inspect, log((2, 0), (2, 3), (2, 5)), noted((0, 0), (5, 20)))
    assert (finding.first_offset, finding.last_offset, finding.confidence) == (10, 19, "proven")
    assert "lacks leader epoch 3 (from offset 10)" in finding.title
    assert "0 / 3 / 0 0 / 3 10 / 5 20" in finding.remedy


@pytest.mark.parametrize("start", [5, 15], ids=["on the batches of another epoch", "behind its first batch"])
def test_an_epoch_that_is_noted_elsewhere(inspect: Any, start: int) -> None:
    (finding,) = found(inspect, log((2, 0), (2, 1), (2, 1)), noted((0, 0), (1, start)))
    assert (finding.first_offset, finding.last_offset) == (min(start, 10), max(start, 10))
    assert f"epoch 1 at offset {start} instead of 10" in finding.title


def test_an_empty_file_beside_format_2_lacks_everything(inspect: Any) -> None:
    files = files_table({}, {**EMPTY_FILE, "size_bytes": 4})
    (finding,) = inspect(ID, batches=log((2, 0)), files=files)
    assert "lacks leader epoch 0" in finding.title


@pytest.mark.parametrize("size_bytes", [0, 7], ids=["nothing in it", "holds what could not be read"])
def test_a_file_of_another_size_without_entries_tells_nothing(inspect: Any, size_bytes: int) -> None:
    files = files_table({}, {**EMPTY_FILE, "size_bytes": size_bytes})
    assert inspect(ID, batches=log((2, 0)), files=files) == []


def test_an_empty_file_on_an_older_format_is_right(inspect: Any) -> None:
    files = files_table({}, {**EMPTY_FILE, "size_bytes": 4})
    assert inspect(ID, batches=log((2, 0), OLD), files=files) == []


def test_no_file_tells_nothing(inspect: Any) -> None:
    assert inspect(ID, batches=log((2, 0), (2, 3))) == []


def test_a_checkpoint_that_agrees(inspect: Any) -> None:
    assert found(inspect, log((2, 0), (2, 0), (2, 4)), noted((0, 0), (4, 20))) == []


def test_an_entry_at_the_end_of_the_log_or_without_batches(inspect: Any) -> None:
    assert found(inspect, log((2, 0), (2, 4)), noted((0, 0), (2, 10), (4, 10), (6, 20))) == []


def test_entries_that_begin_again_behind_an_older_stretch(inspect: Any) -> None:
    assert found(inspect, log((2, 0), OLD, (2, 0)), noted((0, 20))) == []


def test_a_start_below_the_first_batch_that_compaction_left(inspect: Any) -> None:
    batches = batches_table(
        {"leader_epoch": 0, "base_offset": 40}, {"leader_epoch": 2, "base_offset": 90, "last_offset": 95}
    )
    assert found(inspect, batches, noted((0, 0), (2, 60)), files=files_table({})) == []


def test_entries_below_the_start_of_the_log(inspect: Any) -> None:
    batches = batches_table({"leader_epoch": 3, "base_offset": 50}, {"leader_epoch": -1, "magic": 1})
    files = files_table({"name": "journal-0/00000000000000000050.log", "base_offset": 50})
    assert found(inspect, batches, noted((2, 10), (3, 30)), files=files) == []


def test_deleted_records_move_the_first_entry_to_the_start_of_the_log(inspect: Any) -> None:
    batches, entries = log((2, 0), (2, 1), (2, 1)), noted((1, 15))
    starts = other_table("checkpoints", {"kind": "log_start", "offset": 15})
    assert found(inspect, batches, entries, checkpoints=starts) == []
    files = files_table({}, {"name": "log-start-offset-checkpoint", "kind": "companion", "topic": "?"})
    assert len(found(inspect, batches, entries, files=files)) == 1


@pytest.mark.parametrize(("start", "findings"), [(5, 1), (11, 0), (30, 0), (31, 1)])
def test_a_start_that_nobody_noted_may_have_been_moved_by_deleting_records(
    inspect: Any, start: int, findings: int
) -> None:
    batches = log((2, 0), (2, 1), (2, 1))
    assert len(found(inspect, batches, noted((1, start)))) == findings


@pytest.mark.parametrize(
    ("first", "last", "findings"), [(20, 29, 0), (None, None, 0), (26, 29, 1), (0, 9, 1)]
)
def test_unreadable_bytes_before_an_entry_may_have_cleared_it(
    inspect: Any, first: int | None, last: int | None, findings: int
) -> None:
    damage = damage_table({"first_offset": first, "last_offset": last, "reason": "zeros"})
    batches, entries = log((2, 0), (2, 1), (2, 1)), noted((0, 0), (1, 25))
    assert len(found(inspect, batches, entries, damage=damage)) == findings


def test_deleted_records_explain_the_first_entries_only(inspect: Any) -> None:
    assert len(found(inspect, log((2, 0), (2, 1), (2, 2)), noted((1, 15)))) == 1
    assert len(found(inspect, log((2, 0), OLD, (2, 1)), noted((0, 5), (1, 20)))) == 1


def test_epochs_out_of_order_are_left_to_their_own_detector(inspect: Any) -> None:
    assert found(inspect, log((2, 0), (2, 4), (2, 0)), noted((0, 0))) == []


def test_one_replica_is_not_judged_by_the_other(inspect: Any) -> None:
    rows = (
        {"leader_epoch": 1, "replica": "a"},
        {"leader_epoch": 2, "replica": "b", "file": 1, "base_offset": 0},
    )
    assert found(inspect, batches_table(*rows), noted((1, 0), replica="a")) == []
