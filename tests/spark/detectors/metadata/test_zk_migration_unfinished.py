"""Migrations from ZooKeeper that stay under way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.detectors.metadata.zk_migration_unfinished import DAY_MS, detector
from tests.generator.segment import Record, batch, segment_name
from tests.spark.controller_records import NO_OP, zk_migration
from tests.spark.whole_pipeline import report_of

START_MS = 1_707_350_400_000
NONE, MIGRATION, PRE_MIGRATION, POST_MIGRATION = range(4)


def found(folder: Path, *timed: tuple[float, int | None]) -> list[dict[str, Any]]:
    """Of states, each with its day; None: any other record."""
    place = folder / "input" / "__cluster_metadata-0"
    place.mkdir(parents=True)
    batches = [
        batch(
            [Record(None, NO_OP if state is None else zk_migration(state), START_MS + int(day * DAY_MS))],
            n,
            leader_epoch=1,
        )
        for n, (day, state) in enumerate(timed)
    ]
    (place / segment_name(0)).write_bytes(b"".join(batches))
    report = report_of(folder / "input", folder / "results")
    return [finding for finding in report["findings"] if finding["detector"] == detector.id]


def test_a_migration_that_is_not_finalised_is_found(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, (0, PRE_MIGRATION), (1, MIGRATION), (2, MIGRATION), (8, None))
    assert (finding["severity"], finding["evidence"]) == ("medium", [1])
    assert finding["title"].startswith("The migration from ZooKeeper is unfinished for 7 days")
    assert "a return to ZooKeeper" in finding["remedy"]


def test_controllers_that_wait_are_found_after_a_day(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, (0, PRE_MIGRATION), (1, None))
    assert "PRE_MIGRATION" in finding["title"]
    assert "KRaftMigrationDriver" in finding["remedy"]


@pytest.mark.parametrize(
    "timed",
    [
        [(0, MIGRATION), (6.9, None)],
        [(0, PRE_MIGRATION), (0.9, None)],
        [(0, MIGRATION), (1, POST_MIGRATION), (99, None)],
        [(0, NONE), (99, None)],
    ],
    ids=["a test period", "just begun", "finalised", "never with ZooKeeper"],
)
def test_innocent(tmp_path: Path, timed: list[tuple[float, int | None]]) -> None:
    assert found(tmp_path, *timed) == []
