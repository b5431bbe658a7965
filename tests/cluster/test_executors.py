"""Inspections on a real standalone cluster: as locally, and with executors that see no disk of the driver."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.standalone import ROOT, Standalone, can_hide
from tests.generator.bulk import write_segments
from tests.spark.whole_pipeline import report_of

pytestmark = [pytest.mark.cluster, pytest.mark.skipif(not can_hide(), reason="needs the right to mount")]

INPUT_BYTES = 8 << 20
MAX_RUN_S = 600  # a bound that only a hang meets


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of several splits."""
    made = tmp_path_factory.mktemp("input")
    (made / "orders-0").mkdir()
    write_segments(made / "orders-0", INPUT_BYTES, "lz4")
    return made


@pytest.fixture(scope="module")
def expected(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report that this process makes of it."""
    return report_of(folder, tmp_path_factory.mktemp("expected") / "results")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Standalone]:
    """A master without workers."""
    with Standalone(tmp_path / "cluster") as started:
        yield started


def answer(cluster: Standalone, folder: Path, results: Path) -> Any:
    """The driver's answer."""
    line = [sys.executable, "-m", "tests.cluster.driver", cluster.master, str(folder), str(results)]
    driver = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, timeout=MAX_RUN_S, check=False)
    assert driver.stdout, driver.stderr[-2000:]
    return json.loads(driver.stdout.splitlines()[-1])


def test_a_cluster_reports_what_one_process_reports(
    cluster: Standalone, folder: Path, expected: dict[str, Any], tmp_path: Path
) -> None:
    cluster.add_worker()
    cluster.add_worker()
    assert answer(cluster, folder, tmp_path / "results")["report"] == expected


def test_an_executor_that_does_not_see_the_input_is_named_with_its_cause(
    cluster: Standalone, folder: Path, tmp_path: Path
) -> None:
    cluster.add_worker(hidden=[folder])
    failure = answer(cluster, folder, tmp_path / "results")["failure"]
    assert failure.startswith("The Spark executor on ")
    assert f"cannot open {folder}/orders-0/" in failure
    assert ".log: No such file or directory. Every executor must see uploads and results" in failure


def test_an_executor_that_does_not_see_the_results_writes_nothing_and_is_named(
    cluster: Standalone, folder: Path, tmp_path: Path
) -> None:
    results = tmp_path / "shared" / "results"
    results.parent.mkdir()
    cluster.add_worker(hidden=[results.parent])
    failure = answer(cluster, folder, results)["failure"]
    assert f"cannot open {results}/" in failure
    assert "No such file or directory" in failure
