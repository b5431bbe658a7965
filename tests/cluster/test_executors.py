"""Inspections on a real standalone cluster: as locally, and with executors that see no disk of the driver."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cluster.inspecting import answer
from tests.cluster.standalone import Standalone, can_hide

pytestmark = [pytest.mark.cluster, pytest.mark.skipif(not can_hide(), reason="needs the right to mount")]


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
