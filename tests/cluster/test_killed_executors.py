"""An executor that is killed: its tasks run again elsewhere, the report is the same, and no half result counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cluster.inspecting import answer
from tests.cluster.killing import killing
from tests.cluster.standalone import Standalone
from tests.generator.bulk import write_segments
from tests.spark.whole_pipeline import report_of

pytestmark = pytest.mark.cluster

INPUT_BYTES = 100 << 20  # four tasks of one executor with one core


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log whose decoding takes several tasks."""
    folder = tmp_path_factory.mktemp("large")
    write_segments(folder, INPUT_BYTES, "none")
    return folder


@pytest.fixture(scope="module")
def report(large: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What this process makes of it."""
    return report_of(large, tmp_path_factory.mktemp("expected") / "results")


@pytest.mark.parametrize(
    "first", ["records", "lifelines", "formats", "tables.json"], ids=["decode", "relate", "replay", "detect"]
)
def test_the_report_is_the_same_after_the_executors_were_killed(
    first: str, cluster: Standalone, large: Path, report: dict[str, Any], tmp_path: Path
) -> None:
    cluster.add_worker()
    results = tmp_path / "results"
    with killing((results / first).exists, cluster.executors) as killed:
        found = answer(cluster, large, results)
    assert killed
    assert found["report"] == report
