"""docs/spark.md is a notebook: its code runs in a session of its own and prints what the page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from spark.datasource.options import OPTIONS
from spark.datasource.tables import LOADED
from spark.runtime import java
from tests.spark.datasource.journals import BROKEN_SAMPLE, ROOT
from tests.spark.datasource.spark_page import CELLS, OF_CELLS, PAGE


@pytest.mark.spark
@pytest.mark.slow
def test_the_notebook_of_the_page_finds_the_lost_contents(tmp_path: Path) -> None:
    package = tmp_path / "journalscope"  # as the wheel has it
    sample = package / BROKEN_SAMPLE.relative_to(ROOT)
    sample.parent.mkdir(parents=True)
    (package / "__init__.py").touch()
    shutil.copy(BROKEN_SAMPLE, sample)
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{ROOT}:{ROOT / 'scripts' / 'packaging'}",
        "JAVA_HOME": str(java.home()),
        "PYSPARK_PYTHON": sys.executable,
    }
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(CELLS)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == "".join(OF_CELLS).split()


def test_the_notebook_asks_five_lines_of_sql() -> None:
    [query] = re.findall(r'lost = spark\.sql\("""\n(.*?)\n"""\)', PAGE, re.DOTALL)
    assert len(query.splitlines()) == 5


def test_the_page_names_every_table_and_every_option() -> None:
    listed = set(re.findall(r"^\| `(\w+)`", PAGE, re.MULTILINE))
    assert set(LOADED) | set(OPTIONS) - {"path", "paths"} <= listed
