"""A standalone Spark cluster on the loopback: a master, and workers of which each may be kept from seeing folders.

A worker runs in a mount namespace of its own, with an empty file system over each hidden folder: what a machine without the
driver's disk sees. That takes the right to mount. Executors are the worker's children and see what it sees.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

from spark.runtime import java
from tests.live.programs import Program, free_port

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = "org.apache.spark.deploy."
HIDING = 'for folder in $HIDDEN; do mount -t tmpfs none "$folder" || exit 1; done; exec "$@"'
UNTIL_THERE_S = 120  # a bound that only a hang meets
EXECUTOR = "CoarseGrainedExecutorBackend"


def can_hide() -> bool:
    """Whether this process may give another one a mount namespace."""
    line = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    return bool(shutil.which("unshare")) and subprocess.run(line, capture_output=True).returncode == 0


def spark_home() -> Path:
    """PySpark's folder, with Spark's jars."""
    found = find_spec("pyspark")
    assert found
    assert found.origin
    return Path(found.origin).parent


class Standalone:
    """A master and its workers; `folder` takes their logs and working folders."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port, self.worker_ports = free_port(), list[int]()
        folder.mkdir(parents=True)
        arguments = ["--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0"]
        self.programs = [self._program("master", "master.Master", arguments, self.port, [])]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for program in reversed(self.programs):
            program.stop()

    @property
    def master(self) -> str:
        """For SPARK_MASTER."""
        return f"spark://127.0.0.1:{self.port}"

    def add_worker(self, hidden: Sequence[Path] = ()) -> None:
        """With one core; `hidden`: folders that are empty to it."""
        port, number = free_port(), len(self.programs)
        self.worker_ports.append(port)
        arguments = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", "0", "--cores", "1"]
        arguments += ["--memory", "1g", "--work-dir", str(self.folder / f"work-{number}"), self.master]
        self.programs.append(self._program(f"worker-{number}", "worker.Worker", arguments, port, hidden))

    def kill_executors(self) -> int:
        """With kill -9, once there are some; how many there were."""
        until = time.monotonic() + UNTIL_THERE_S
        while not (found := self.executors()) and time.monotonic() < until:
            time.sleep(0.2)
        for process in found:
            os.kill(process, signal.SIGKILL)
        return len(found)

    def executors(self) -> list[int]:
        """The process ids of this cluster's executors."""
        listing = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
        urls = [f"@127.0.0.1:{port}" for port in self.worker_ports]
        lines = (line for line in listing.splitlines() if EXECUTOR in line)
        return [int(line.split()[0]) for line in lines if any(url in line for url in urls)]

    def _program(
        self, name: str, main: str, arguments: list[str], port: int, hidden: Sequence[Path]
    ) -> Program:
        home = spark_home()
        line = [
            str(java.home() / "bin" / "java"),
            "-Xmx256m",
            "-cp",
            f"{home}/jars/*",
            DEPLOY + main,
            *arguments,
        ]
        if hidden:
            line = ["unshare", "--mount", "sh", "-c", HIDING, "sh", *line]
        environment = {
            "SPARK_HOME": str(home),
            "SPARK_SCALA_VERSION": "2.13",  # as bin/load-spark-env.sh sets it
            "JAVA_HOME": str(java.home()),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
            "HIDDEN": " ".join(map(str, hidden)),
        }
        return Program(line, self.folder / f"{name}.log", port, environment=environment)
