"""docs/spark.md word by word: a bare environment, its notebook, its jobs in one process and on a standalone cluster.

The second test works in the environment that the first one has made.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.live.programs import is_open
from tests.packaging.built import HANGS, pins
from tests.spark.datasource.spark_page import CELLS, JOBS, OF_CELLS, OF_SHELL, SHELL

pytestmark = pytest.mark.wheel
REGISTERED = "from pyspark_journalscope import register; register(spark)"  # as the page says
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
    # Files, for a pipe would not end before the programs in the background do.
    output, log = folder / "stdout.log", folder / "stderr.log"
    with output.open("w") as said, log.open("w") as errors:
        shell = subprocess.Popen(
            ["sh", "-eu", "-c", lines],
            cwd=folder,
            env=surroundings,
            stdout=said,
            stderr=errors,
            start_new_session=True,
        )
        try:
            shell.wait(2 * HANGS)
        finally:
            with suppress(ProcessLookupError):  # nothing is left of it
                os.killpg(shell.pid, signal.SIGTERM)
    assert shell.returncode == 0, output.read_text()[-2000:] + log.read_text()[-6000:]
    return output.read_text()


@pytest.fixture(scope="module")
def folder(surroundings: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the page's lines run."""
    made = tmp_path_factory.mktemp("page")
    (made / "notebook.py").write_text("\n".join(CELLS))
    for name, job in JOBS.items():
        (made / name).write_text(job)
    return made


def test_the_page_runs_word_by_word(folder: Path, surroundings: dict[str, str]) -> None:
    assert not is_open(PORT), f"something listens on {PORT}, which the page names"
    install, *submits = SHELL
    said = printed("\n".join([install, "python3 notebook.py", *submits]), folder, surroundings)
    words = " ".join(said.split())
    assert all(" ".join(output.split()) in words for output in OF_CELLS), said
    [of_submits] = OF_SHELL
    assert words.count(" ".join(of_submits.split())) == len(submits), said


def test_the_wheel_alone_is_enough_where_its_requirements_are(
    folder: Path, surroundings: dict[str, str], wheel: Path
) -> None:
    shutil.copy(wheel, folder / "journalscope.zip")
    [(name, job)] = JOBS.items()
    session = "spark = SparkSession.builder.getOrCreate()\n"
    assert session in job
    (folder / name).write_text(job.replace(session, f"{session}{REGISTERED}\n"))
    _, activate, _, python, _ = SHELL[0].splitlines()
    lines = [
        activate,
        python,
        'export JAVA_HOME="$(journalscope java-home)"',
        "pip uninstall -y journalscope",
    ]
    lines.append(f"spark-submit --master 'local[2]' --py-files journalscope.zip {name} data")
    [of_submits] = OF_SHELL
    assert " ".join(of_submits.split()) in " ".join(printed("\n".join(lines), folder, surroundings).split())
