"""Journals in an object store, read by ranges: on a cluster that shares no folder of the input, and by the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from spark.datasource.options import request_of
from tests.cluster.inspecting import MAX_RUN_S, answer, without_hashes
from tests.cluster.object_store import ObjectStore
from tests.cluster.standalone import ROOT, Standalone, can_hide
from tests.spark.datasource.journals import broken_sample, request, rows

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    """An S3 server."""
    with ObjectStore(tmp_path_factory.mktemp("store")) as started:
        yield started


@pytest.fixture(scope="module")
def address(store: ObjectStore, folder: Path) -> str:
    """The log in the store."""
    return store.upload(folder, "data")


def output(line: list[str], environment: Mapping[str, str]) -> str:
    """What a program prints, whatever its exit code."""
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, **environment}
    done = subprocess.run(
        line, capture_output=True, text=True, cwd=ROOT, timeout=MAX_RUN_S, check=False, env=environment
    )
    assert done.stdout, done.stderr[-3000:]
    return done.stdout


@pytest.mark.skipif(not can_hide(), reason="needs the right to mount")
def test_a_cluster_reads_the_journal_from_the_store_alone(
    cluster: Standalone,
    store: ObjectStore,
    address: str,
    folder: Path,
    expected: dict[str, Any],
    tmp_path: Path,
) -> None:
    for _ in range(2):
        cluster.add_worker(hidden=[folder, store.folder], environment=store.environment())
    found = answer(cluster, address, tmp_path / "results", store.environment())
    assert without_hashes(found["report"]) == without_hashes(expected)


def test_an_executor_that_the_store_refuses_is_named_with_its_cause(
    cluster: Standalone, store: ObjectStore, address: str, tmp_path: Path
) -> None:
    cluster.add_worker(environment=store.environment(secret="of-somebody-else"))
    failure = answer(cluster, address, tmp_path / "results", store.environment())["failure"]
    assert failure.startswith("The Spark executor on ")
    assert f"cannot open {address}/orders-0/" in failure
    assert ".log: access denied. Every machine that uses the store needs credentials" in failure


def test_a_job_loads_the_journal_from_the_store(
    cluster: Standalone, store: ObjectStore, address: str, expected: dict[str, Any]
) -> None:
    cluster.add_worker(environment=store.environment())
    line = [sys.executable, "-m", "tests.cluster.loading", cluster.master, address.replace("s3:", "s3a:")]
    found = json.loads(output(line, store.environment()).splitlines()[-1])
    records = expected["coverage"]["records"]
    assert sum(found["topics"].values()) == records > 0


def test_a_task_inspects_a_journal_in_the_store(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in store.environment().items():
        monkeypatch.setenv(name, value)
    stored = request_of({"path": store.upload(broken_sample(tmp_path), "broken"), "table": "findings"})
    assert rows(stored).to_pylist() == rows(request(tmp_path, "findings")).to_pylist()


def test_a_job_that_the_store_refuses_says_so(cluster: Standalone, store: ObjectStore, address: str) -> None:
    cluster.add_worker(environment=store.environment(secret="of-somebody-else"))
    line = [sys.executable, "-m", "tests.cluster.loading", cluster.master, address]
    failure = json.loads(output(line, store.environment()).splitlines()[-1])["failure"]
    assert "cannot be read: access denied. Every machine" in failure
    refused = json.loads(output(line, store.environment(secret="wrong")).splitlines()[-1])["failure"]
    assert f"{address} cannot be read: access denied" in refused


def test_the_command_line_inspects_an_address(
    store: ObjectStore, address: str, expected: dict[str, Any], tmp_path: Path
) -> None:
    line = [sys.executable, "manage.py", "inspect", address, "--json"]
    report = json.loads(output(line, store.environment()))
    assert without_hashes(report) == without_hashes(expected)
    refused = json.loads(output(line, store.environment(secret="wrong")))
    assert refused["error"].startswith(f"{address} cannot be read: access denied. Every machine")
