"""Results in an object store: a cluster without any shared folder, executors and workers that are killed, a second try."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from spark.storage.stored_path import StoredPath
from spark.tables import Manifest
from tests.cluster.inspecting import add_workers_apart, answer, driven, without_hashes
from tests.cluster.killing import killing
from tests.cluster.object_store import BUCKET, ObjectStore
from tests.cluster.standalone import Standalone, can_hide
from tests.generator.bulk import write_segments
from tests.spark.whole_pipeline import report_of

pytestmark = pytest.mark.cluster

INPUT_BYTES = 100 << 20
FIRST_WRITTEN = {
    "decode": "records",
    "relate": "lifelines",
    "detect": "tables.json",
}  # before or while the stage runs


def stages(usual: str) -> list[Any]:
    """What is stored first in each stage; `make test-cluster` takes one of them, `make test-long` the others."""
    return [
        pytest.param(first, id=stage, marks=[] if stage == usual else pytest.mark.long)
        for stage, first in FIRST_WRITTEN.items()
    ]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    """An S3 server."""
    with ObjectStore(tmp_path_factory.mktemp("store")) as started:
        yield started


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log whose decoding takes several tasks."""
    made = tmp_path_factory.mktemp("large")
    write_segments(made, INPUT_BYTES, "none")
    return made


@pytest.fixture(scope="module")
def report(large: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What this process makes of it."""
    return report_of(large, tmp_path_factory.mktemp("expected") / "results")


@pytest.fixture
def results(store: ObjectStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> StoredPath:
    """An address that nothing is below. This process reads it, with a cache of its own."""
    for name, value in store.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("CACHE_DIR", str(tmp_path / "cache"))
    return StoredPath(f"s3://{BUCKET}/results/{tmp_path.name}")


def named_objects(store: ObjectStore, results: StoredPath) -> set[str]:
    """What is stored below an address."""
    folder = store.objects / BUCKET / "results" / results.name
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def whole(results: StoredPath) -> set[str]:
    """The names that count."""
    manifest = Manifest.load(results)
    return {"tables.json", "report.json", *(name for names in manifest.files.values() for name in names)}


@pytest.mark.skipif(not can_hide(), reason="needs the right to mount")
def test_machines_that_share_nothing_but_the_store_give_the_same_report(
    cluster: Standalone,
    store: ObjectStore,
    folder: Path,
    expected: dict[str, Any],
    results: StoredPath,
    tmp_path: Path,
) -> None:
    driver = tmp_path / "driver"
    driver.mkdir()
    add_workers_apart(cluster, store, tmp_path, hidden=[driver, folder])
    address = store.upload(folder, "data")
    found = answer(cluster, address, results, {**store.environment(), "CACHE_DIR": str(driver)})
    assert without_hashes(found["report"]) == without_hashes(expected)
    assert named_objects(store, results) == whole(results)


@pytest.mark.parametrize("first", stages("relate"))
def test_the_report_is_the_same_after_the_executors_were_killed(
    first: str,
    cluster: Standalone,
    store: ObjectStore,
    large: Path,
    report: dict[str, Any],
    results: StoredPath,
) -> None:
    cluster.add_worker(environment=store.environment())
    stored = store.objects / BUCKET / "results" / results.name / first
    with killing(stored.exists, cluster.executors) as killed:
        found = answer(cluster, large, results, store.environment())
    assert killed
    assert found["report"] == report
    assert named_objects(store, results) >= whole(results)


@pytest.mark.parametrize("first", stages("decode"))
def test_the_report_is_the_same_after_a_worker_was_killed(
    first: str,
    cluster: Standalone,
    store: ObjectStore,
    large: Path,
    report: dict[str, Any],
    results: StoredPath,
) -> None:
    for _ in range(2):
        cluster.add_worker(environment=store.environment())
    stored = store.objects / BUCKET / "results" / results.name / first
    with killing(stored.exists, lambda: cluster.workers()[:1]) as killed:
        found = answer(cluster, large, results, store.environment())
    assert killed
    assert found["report"] == report


@pytest.mark.parametrize("first", stages("detect"))
def test_a_killed_driver_leaves_no_report_and_the_next_gives_the_same(
    first: str,
    cluster: Standalone,
    store: ObjectStore,
    large: Path,
    report: dict[str, Any],
    results: StoredPath,
) -> None:
    cluster.add_worker(environment=store.environment())
    stored = store.objects / BUCKET / "results" / results.name / "1" / first
    with killing(stored.exists, lambda: drivers(str(results))) as killed:
        ended = driven(cluster, large, results / "1", store.environment())
    assert killed
    assert (ended.returncode, ended.stdout) == (-signal.SIGKILL, "")
    assert not (results / "1" / "report.json").exists()
    assert answer(cluster, large, results / "2", store.environment())["report"] == report


def drivers(results: str) -> list[int]:
    """Process ids of the drivers whose results go below an address."""
    running: list[int] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended
            line = path.read_bytes()
            if b"tests.cluster.driver" in line and results.encode() in line:
                running.append(int(path.parent.name))
    return running


def test_a_store_that_refuses_is_named_with_its_cause(
    cluster: Standalone, store: ObjectStore, folder: Path, results: StoredPath
) -> None:
    cluster.add_worker(environment=store.environment(secret="of-somebody-else"))
    failure = answer(cluster, folder, results, store.environment())["failure"]
    assert failure.startswith("The Spark executor on ")
    assert f" cannot open {results}/" in failure
    assert "access denied. Every machine that uses the store needs credentials" in failure
