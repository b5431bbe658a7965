"""The cases whose truth is known, inspected on a cluster that shares nothing but a store: the same reports as by this machine."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.inspecting import add_workers_apart
from tests.cluster.object_store import BUCKET, ObjectStore
from tests.cluster.standalone import ROOT, Standalone, can_hide

SHARED = ROOT.parent / "shared"
CORPUS, JUDGE = SHARED / "corpus", SHARED / "tools" / "judge"
MAX_RUN_S = 3600  # a bound that only a hang meets
EVERY = 12  # of the cases is in `make test-cluster`; `make test-long` has the others

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(not can_hide(), reason="needs the right to mount"),
    pytest.mark.skipif(not JUDGE.is_file(), reason="the corpus of real journals is not beside the project"),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    """An S3 server."""
    with ObjectStore(tmp_path_factory.mktemp("store")) as started:
        yield started


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The input of each case: a file or a folder without the truth."""
    loader = SourceFileLoader("judge", str(JUDGE))
    spec = importlib.util.spec_from_loader("judge", loader)
    assert spec
    judge = importlib.util.module_from_spec(spec)
    was, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # nothing is written beside the project
    try:
        loader.exec_module(judge)
    finally:
        sys.dont_write_bytecode = was
    copies = tmp_path_factory.mktemp("cases")
    return [Path(judge.inputs(folder, names, copies)) for folder, _, names in judge.cases_below([CORPUS], "")]


def test_every_twelfth_case_is_reported_as_on_one_machine(
    cluster: Standalone, store: ObjectStore, cases: list[Path], tmp_path: Path
) -> None:
    compare(cluster, store, cases[::EVERY], tmp_path)


@pytest.mark.long
def test_all_other_cases_are_reported_as_on_one_machine(
    cluster: Standalone, store: ObjectStore, cases: list[Path], tmp_path: Path
) -> None:
    others = [case for number, case in enumerate(cases) if number % EVERY]
    compare(cluster, store, others, tmp_path)


def compare(cluster: Standalone, store: ObjectStore, cases: Sequence[Path], tmp_path: Path) -> None:
    """Inspect the cases by both."""
    driver = tmp_path / "driver"
    driver.mkdir()
    add_workers_apart(cluster, store, tmp_path, hidden=[driver, CORPUS])
    addresses = [uploaded(store, case, f"{tmp_path.name}/{number}") for number, case in enumerate(cases)]
    environment = {
        **store.environment(),
        "SPARK_MASTER": cluster.master,
        "JOURNALSCOPE_DATA": str(driver),
        "TMPDIR": str(driver),
        "RAW_STORAGE_URL": f"s3://{BUCKET}/raw",
    }
    there = reports(["--out", f"s3://{BUCKET}/results/{tmp_path.name}", *addresses], environment)
    here = reports([str(case) for case in cases], {"JOURNALSCOPE_DATA": str(driver)})
    assert len(there) == len(here) == len(cases) > 0
    for case, address, one, other in zip(cases, addresses, there, here, strict=True):
        assert comparable(one, address) == comparable(other, str(case)), case


def uploaded(store: ObjectStore, case: Path, key: str) -> str:
    """The address of a case that was stored."""
    upload = store.upload if case.is_dir() else store.upload_file
    return upload(case, f"cases/{key}/{case.name}")


def reports(arguments: Sequence[str], environment: Mapping[str, str]) -> list[dict[str, Any]]:
    """What the command line prints, one document for each input."""
    line = [sys.executable, "manage.py", "inspect", "--json", "--each", *arguments]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, **environment}
    done = subprocess.run(
        line, capture_output=True, text=True, cwd=ROOT, timeout=MAX_RUN_S, check=False, env=environment
    )
    assert done.stdout, done.stderr[-3000:]
    return [json.loads(document) for document in done.stdout.splitlines()]


def comparable(report: dict[str, Any], path: str) -> Any:
    """A report without the hashes of files and the path of its input."""
    files = [file | {"sha256": None} for file in report.get("files", [])]
    return json.loads(json.dumps(report | {"files": files, "tables": None}).replace(path, "PATH"))
