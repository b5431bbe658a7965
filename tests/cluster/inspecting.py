"""An inspection by a driver process of its own, on a cluster."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spark.storage.stored_path import ResultPath
from tests.cluster.standalone import ROOT, Standalone

MAX_RUN_S = 600  # a bound that only a hang meets


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
