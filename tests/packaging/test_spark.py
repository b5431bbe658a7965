"""docs/spark.md word by word: a bare environment, its notebook, its jobs in one process and on a standalone cluster."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live.programs import is_open
from tests.packaging.built import HANGS, pins
from tests.spark.datasource.spark_page import CELLS, JOBS, OF_CELLS, OF_SHELL, SHELL

pytestmark = pytest.mark.wheel
PORT = 7077  # as the page says
PYTHON = Path(sys.executable).resolve().parent


@pytest.fixture(scope="module")
def surroundings(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What pip needs to find the wheel as if it were published, and nothing else."""
    home = tmp_path_factory.mktemp("home")
    given = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    return {
        **given,
        "HOME": str(home),
        "PATH": f"{PYTHON}:/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        "PIP_QUIET": "1",
        "PIP_CONSTRAINT": str(pins(home)),
        "PIP_FIND_LINKS": f"{wheel.parent} {given.get('PIP_FIND_LINKS', '')}",
    }


def printed(lines: str, folder: Path, surroundings: dict[str, str]) -> str:
    """What a shell prints that runs these lines; what it started in the background ends with it."""
    log = folder / "stderr.log"
    with log.open("w") as errors:
        shell = subprocess.Popen(
            ["sh", "-eu", "-c", lines],
            cwd=folder,
            env=surroundings,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
        try:
            said, _ = shell.communicate(timeout=HANGS)
        finally:
            os.killpg(shell.pid, signal.SIGTERM)
    assert shell.returncode == 0, said[-2000:] + log.read_text()[-6000:]
    return said


def test_the_page_runs_word_by_word(surroundings: dict[str, str], tmp_path: Path) -> None:
    assert not is_open(PORT), f"something listens on {PORT}, which the page names"
    (tmp_path / "notebook.py").write_text("\n".join(CELLS))
    for name, job in JOBS.items():
        (tmp_path / name).write_text(job)
    install, *submits = SHELL
    said = printed("\n".join([install, "python3 notebook.py", *submits]), tmp_path, surroundings)
    words = " ".join(said.split())
    assert all(" ".join(output.split()) in words for output in OF_CELLS), said
    [of_submits] = OF_SHELL
    assert words.count(" ".join(of_submits.split())) == len(submits), said
