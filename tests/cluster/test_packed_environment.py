"""Executors on machines that have Java, Spark and Python, but neither the project nor its environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from spark.runtime.jvm import spark_home
from tests.cluster.inspecting import answer
from tests.cluster.standalone import ROOT, Standalone, can_hide

pytestmark = [pytest.mark.cluster, pytest.mark.skipif(not can_hide(), reason="needs the right to mount")]


def linked(source: str, target: str) -> None:
    """The same file by another name, or a copy on another disk."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def java_home() -> Path:
    """A Java that is no part of the environment."""
    program = shutil.which("java")
    assert program, "needs Java"
    return Path(program).resolve().parents[1]


def test_executors_take_the_readers_from_the_packed_environment(
    folder: Path, expected: dict[str, Any], tmp_path: Path
) -> None:
    archive = tmp_path / "cluster-env.tar.gz"
    line = [sys.executable, "scripts/cluster_env.py", str(archive)]
    subprocess.run(line, cwd=ROOT, check=True, capture_output=True, timeout=600)
    home = tmp_path / "spark"
    shutil.copytree(spark_home() / "jars", home / "jars", copy_function=linked)
    settings = {
        "SPARK_CONF_archives": f"{archive}#environment",
        "SPARK_CONF_pyspark_python": "./environment/bin/python",
    }
    with Standalone(tmp_path / "cluster", home, java_home()) as cluster:
        cluster.add_worker(hidden=[ROOT, Path(sys.prefix).resolve()])
        found = answer(cluster, folder, tmp_path / "results", settings)
    assert found["report"] == expected
