"""An inspection by a driver process of its own, on a cluster."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spark.storage.stored_path import ResultPath
from tests.cluster.object_store import ObjectStore
from tests.cluster.standalone import ROOT, Standalone

MAX_RUN_S = 600  # a bound that only a hang meets


def add_workers_apart(cluster: Standalone, store: ObjectStore, folder: Path, hidden: Sequence[Path]) -> None:
    """Two workers with copies in folders of their own below `folder`, of which neither sees the other's, nor what is hidden, nor the store's disk."""
    caches = [folder / f"executor-{number}" for number in range(2)]
    for cache, other in zip(caches, reversed(caches), strict=True):
        cluster.add_worker(
            hidden=[*hidden, store.folder, other],
            environment={**store.environment(), "CACHE_DIR": str(cache)},
        )


def answer(
    cluster: Standalone, folder: Path | str, results: ResultPath, environment: Mapping[str, str] | None = None
) -> Any:
    """The driver's answer."""
    driver = driven(cluster, folder, results, environment)
    assert driver.stdout, driver.stderr[-2000:]
    return json.loads(driver.stdout.splitlines()[-1])


def driven(
    cluster: Standalone, folder: Path | str, results: ResultPath, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The driver, which has ended."""
    line = [sys.executable, "-m", "tests.cluster.driver", cluster.master, str(folder), str(results)]
    return subprocess.run(
        line,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=MAX_RUN_S,
        check=False,
        env={**os.environ, **(environment or {})},
    )


def without_hashes(report: dict[str, Any]) -> dict[str, Any]:
    """A report whose files are named below their folder, and have no SHA-256: of a file in a store none is computed."""
    files = [file | {"name": file["name"].removeprefix("data/"), "sha256": None} for file in report["files"]]
    return report | {"files": files}
