"""docs/spark.md is a notebook: its code runs in a session of its own and prints what the page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from spark.datasource.options import OPTIONS, READ
from spark.runtime import java
from tests.spark.datasource.journals import BROKEN_SAMPLE, ROOT

PAGE = (ROOT / "docs/spark.md").read_text()
CELLS = re.findall(r"```python\n(.*?)```(?:\n*```text\n(.*?)```)?", PAGE, re.DOTALL)


@pytest.mark.spark
@pytest.mark.slow
def test_the_notebook_of_the_page_finds_the_lost_contents(tmp_path: Path) -> None:
    sample = tmp_path / "webapp/journals/samples" / BROKEN_SAMPLE.name
    sample.parent.mkdir(parents=True)
    shutil.copy(BROKEN_SAMPLE, sample)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "JAVA_HOME": str(java.home())}
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(code for code, _ in CELLS)],
        cwd=tmp_path,
        env=environment | {"PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == "".join(output for _, output in CELLS).split()


def test_the_notebook_asks_five_lines_of_sql() -> None:
    [query] = re.findall(r'lost = spark\.sql\("""\n(.*?)\n"""\)', PAGE, re.DOTALL)
    assert len(query.splitlines()) == 5


def test_the_page_names_every_table_and_every_option() -> None:
    listed = set(re.findall(r"^\| `(\w+)`", PAGE, re.MULTILINE))
    assert set(READ) | set(OPTIONS) - {"path", "paths"} <= listed
