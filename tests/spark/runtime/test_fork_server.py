"""The fork server: tasks run in what has been imported already, and nothing of it outlives the command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
import os, signal, sys, types
from pathlib import Path
from spark.runtime.fork_server import ForkServer
from spark.runtime.session import begin, discard

def load():
    import pyspark.daemon, pyspark.worker
    sys.modules["marked"] = types.ModuleType("marked")

def seen(_):
    return "marked" in sys.modules, os.getpid()

server = ForkServer(Path(sys.argv[1]))
begun = begin("local[2]", Path(sys.argv[1]))
if sys.argv[2] != "without":
    server.start(load)
else:
    server.close()
told = begun.context().parallelize(range(2), 2).map(seen).collect()
assert os.getpid() not in {process for _, process in told}
print(*[marked for marked, _ in told], *[process for _, process in told], flush=True)
if sys.argv[2] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
discard(at_once=True)
server.close()
"""


def run(folder: Path, how: str) -> tuple[int, list[str]]:
    """Exit code and the words that the program printed."""
    folder.mkdir(parents=True)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), how],
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout.split()


def is_running(process: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(("how", "code"), [("with", 0), ("killed", -signal.SIGKILL)])
def test_tasks_have_what_the_command_has_imported_and_end_with_it(
    tmp_path: Path, how: str, code: int
) -> None:
    ending, (*marked, first, second) = run(tmp_path / "spark", how)
    assert (ending, marked) == (code, ["True", "True"])
    until = time.monotonic() + 30
    while is_running(int(first)) or is_running(int(second)):
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.mark.long
@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(("how", "folder"), [("without", "spark"), ("with", "a" * 100)])
def test_without_a_server_spark_s_daemon_loads_for_itself(tmp_path: Path, how: str, folder: str) -> None:
    ending, words = run(tmp_path / folder, how)
    assert (ending, words[:2]) == (0, ["False", "False"])
