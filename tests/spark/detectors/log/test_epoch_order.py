"""Leader epochs that go back."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors.log.epoch_order import MAX_STEPS
from spark.terms.findings import Finding
from tests.builders import batches_table


def found(inspect: Any, *epochs: int, **more: Any) -> list[Finding]:
    """Findings over batches of ten offsets with these epochs."""
    rows = (
        {"leader_epoch": epoch, "base_offset": 10 * n, "last_offset": 10 * n + 9}
        for n, epoch in enumerate(epochs)
    )
    return inspect("epoch-order", batches=batches_table(*rows, **more))


@pytest.mark.parametrize(
    ("epochs", "span", "says"),
    [
        ((0, 4, 0, 0), (10, 20), "so leader epoch 4 is likely wrong"),
        ((3, 3, 1, 3), (10, 20), "so leader epoch 1 is likely wrong"),
        ((3, 1), (0, 10), "does not show which leader epoch is wrong"),
    ],
    ids=["one too high", "one too low", "no neighbours"],
)
def test_a_step_back_is_found_with_the_suspect(
    inspect: Any, epochs: tuple[int, ...], span: tuple[int, int], says: str
) -> None:
    (finding,) = found(inspect, *epochs)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("critical", *span)
    assert says in finding.explanation
    is_written = "also writes leader epoch 4 into leader-epoch-checkpoint" in finding.explanation
    assert is_written == (epochs[1] == 4)


@pytest.mark.parametrize("epochs", [(0, 0, 3, 7), (-1, -1), (4, -1, 4), (4, -1, 5)], ids=str)
def test_rising_epochs_and_none_at_all_are_fine(inspect: Any, epochs: tuple[int, ...]) -> None:
    assert found(inspect, *epochs) == []


def test_batches_of_old_formats_have_no_epoch(inspect: Any) -> None:
    rows = ({"leader_epoch": 5}, {"leader_epoch": 0, "magic": 1})
    assert inspect("epoch-order", batches=batches_table(*rows)) == []


def test_swapped_batches_and_a_displaced_one_are_not_about_epochs(inspect: Any) -> None:
    swapped = [
        {"leader_epoch": 1, "base_offset": 10, "position": 0},
        {"leader_epoch": 0, "base_offset": 0, "position": 100},
        {"leader_epoch": 1, "base_offset": 20, "position": 200},
    ]
    displaced = [
        {"leader_epoch": 0, "base_offset": 0, "position": 0},
        {"leader_epoch": 0, "base_offset": 1 << 40, "position": 100},
        {"leader_epoch": 1, "base_offset": 20, "position": 200},
    ]
    for rows in (swapped, displaced):
        assert inspect("epoch-order", batches=batches_table(*rows)) == []


def test_a_wrong_checksum_is_left_to_its_own_detector(inspect: Any) -> None:
    rows = ({}, {"leader_epoch": 9, "crc_computed": 1}, {})
    assert inspect("epoch-order", batches=batches_table(*rows)) == []


def test_many_places_are_counted_not_listed(inspect: Any) -> None:
    findings = found(inspect, *[1, 0] * 40)
    assert len(findings) == MAX_STEPS
    assert "30 more occurrences" in findings[0].title


def test_replicas_are_not_compared_here(inspect: Any) -> None:
    rows = ({"leader_epoch": 5, "replica": "a"}, {"leader_epoch": 0, "replica": "b", "file": 1})
    assert inspect("epoch-order", batches=batches_table(*rows)) == []
