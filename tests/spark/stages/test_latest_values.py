"""The latest value of each key of what nobody replays: committed records count, tombstones leave nothing."""

from __future__ import annotations

from pathlib import Path

from spark.stages.state_at import latest_values
from spark.tables import Manifest
from tests.spark.transaction_logs import abort, commit, data, log, plain
from tests.spark.whole_pipeline import report_of


def test_what_was_aborted_and_what_is_open_is_no_value_yet(tmp_path: Path) -> None:
    batches = [plain(0), data(1), abort(2), data(3), commit(4), data(5)]
    report_of(log(tmp_path / "input", batches), tmp_path / "results")
    manifest = Manifest.load(tmp_path / "results")
    offsets = [row["offset"] for row in latest_values(manifest)]
    assert {1, 5}.isdisjoint(offsets)
    assert offsets
    assert max(row["offset"] for row in latest_values(manifest, 2)) == 0
