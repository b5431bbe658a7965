"""A standalone Spark cluster on the loopback: a master, and workers of which each may be kept from seeing folders.

A worker runs in a mount namespace of its own, with an empty file system over each hidden folder: what a machine without the
driver's disk sees. That takes the right to mount. Executors are the worker's children and see what it sees.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from spark.runtime import java
from spark.runtime.jvm import spark_home
from tests.live.programs import Program, free_port

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = "org.apache.spark.deploy."
HIDING = (
    'for folder in $HIDDEN; do [ ! -d "$folder" ] || mount -t tmpfs none "$folder" || exit 1; done; exec "$@"'
)


def can_hide() -> bool:
    """Whether this process may give another one a mount namespace."""
    line = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    return bool(shutil.which("unshare")) and subprocess.run(line, capture_output=True).returncode == 0


def is_executor(pid: int, workers: Collection[str]) -> bool:
    """Whether a process runs tasks for one of these workers."""
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
        parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
    except OSError:  # it has ended
        return False
    return b"CoarseGrainedExecutorBackend" in line and parent in workers


class Standalone:
    """A master and its workers; `folder` takes their logs and working folders. `home`, `java_home`: Spark and Java, where
    they are not those of the environment."""

    def __init__(self, folder: Path, home: Path | None = None, java_home: Path | None = None) -> None:
        self.folder, self.home, self.java_home = folder, home or spark_home(), java_home or java.home()
        self.port = free_port()
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

    def add_worker(self, hidden: Sequence[Path] = (), environment: Mapping[str, str] | None = None) -> None:
        """With one core; `hidden`: folders that are empty to it; `environment`: what its executors have besides ours."""
        port, number = free_port(), len(self.programs)
        arguments = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", "0", "--cores", "1"]
        arguments += ["--memory", "1g", "--work-dir", str(self.folder / f"work-{number}"), self.master]
        self.programs.append(
            self._program(f"worker-{number}", "worker.Worker", arguments, port, hidden, environment)
        )

    def workers(self) -> list[int]:
        """Process ids of the workers, the oldest first."""
        return [program.process.pid for program in self.programs[1:]]

    def executors(self) -> list[int]:
        """Process ids of the JVMs that run tasks."""
        workers = {str(program.process.pid) for program in self.programs[1:]}
        return [
            pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if is_executor(pid, workers)
        ]

    def _program(
        self,
        name: str,
        main: str,
        arguments: list[str],
        port: int,
        hidden: Sequence[Path],
        more: Mapping[str, str] | None = None,
    ) -> Program:
        home = self.home
        line = [
            str(self.java_home / "bin" / "java"),
            "-Xmx256m",
            "-cp",
            f"{home}/jars/*",
            DEPLOY + main,
            *arguments,
        ]
        if hidden:
            line = ["unshare", "--mount", "sh", "-c", HIDING, "sh", *line]
        environment = {
            **(more or {}),
            "SPARK_HOME": str(home),
            "SPARK_SCALA_VERSION": "2.13",  # as bin/load-spark-env.sh sets it
            "JAVA_HOME": str(self.java_home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
            "HIDDEN": " ".join(map(str, hidden)),
        }
        return Program(line, self.folder / f"{name}.log", port, environment=environment)
