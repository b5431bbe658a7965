"""Everything as `make run` starts it, on a data folder of its own: its processes, its rows, ways to send it work.

`running` is one for a module of tests that kill and stop, `shared` one for all tests of a run that only use it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from filelock import FileLock

from tests.workers.slow_clients import Visitor

ROOT = Path(__file__).resolve().parents[2]
OVER = ("done", "failed", "cancelled")
SEND = """
import sys, django
django.setup()
from pathlib import Path
from webapp.journals.models import Journal
from webapp.accounts.models import Project
from webapp.journals.samples import store
from spark.inputs.files_below import find
for name in sys.argv[1:]:
    print(store(name, [(file.name, file.path) for file in find([Path(name)])], Project.objects.order_by("pk")[0]).pk.hex)
"""
CANCEL = """
import sys, django
django.setup()
from webapp.journals import inspections
from webapp.journals.models import Inspection
inspections.cancel(Inspection.objects.get(pk=sys.argv[1]))
"""

SESSIONS = """
import sys, django
django.setup()
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
def sign_in(user):
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    print(session.session_key)
"""
SIGN_IN = SESSIONS + "sign_in(User.objects.filter(is_superuser=True).first())"
CSRF = "a" * 32


@dataclass
class House:
    """A running supervisor and its data."""

    data: Path
    environment: dict[str, str]
    process: subprocess.Popen[bytes] | None = None  # none where another process of the run has started it
    patience: float = 1.0  # how many times longer than usual things take on this machine now

    @property
    def said(self) -> list[str]:
        """The lines that it has printed."""
        return output_of(self.data).read_text().splitlines()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def sign_in(self) -> str:
        """The link of the first start, which signs in once."""
        (link,) = re.findall(r"http://\S+/accounts/once/\S+", "\n".join(self.said))
        return str(link)

    def python(self, program: str, *arguments: str) -> list[str]:
        """Run a program with Django at hand; the lines it prints."""
        command = [sys.executable, "-c", program, *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    def ask(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        """All rows of its database, whichever that is; `?` stands for a value."""
        if url := self.environment.get("DATABASE_URL"):
            with psycopg.connect(url) as server:
                return server.execute(query.replace("?", "%s"), values).fetchall()
        with sqlite3.connect(self.data / "journalscope.sqlite3") as database:
            return database.execute(query, values).fetchall()

    def row(self, inspection: str) -> tuple[str, int, str]:
        """State, attempts and error."""
        return self.ask("select state, attempts, error from journals_inspection where id = ?", inspection)[0]

    @property
    def port(self) -> int:
        return int(self.environment["PORT"])

    def visitor(self) -> Visitor:
        """Its first admin, signed in."""
        (visitor,) = self.visitors(SIGN_IN)
        return visitor

    def visitors(self, program: str, *arguments: str) -> list[Visitor]:
        """Those whom a program signs in, each as it prints the session."""
        sessions = self.python(program, *arguments)
        return [Visitor(f"sessionid={session}; csrftoken={CSRF}", CSRF) for session in sessions]

    def state(self, inspection: str) -> str:
        return self.row(inspection)[0]

    def pids(self, word: str = "") -> list[int]:
        """Processes that work on this data folder."""
        mark = f"JOURNALSCOPE_DATA={self.data}".encode()
        found = []
        for folder in Path("/proc").iterdir():
            try:
                if not folder.name.isdecimal():
                    continue
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                # Redis writes its title over its environment; its socket stands in the title
                mine = f"{self.data}/" in words or mark in (folder / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if mine and words and word in words:  # a zombie has no words
                found.append(int(folder.name))
        return found


def until(holds: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that in time"
        time.sleep(0.1)


def start(data: Path, database_url: str = "", more: Mapping[str, str] | None = None) -> House:
    house = launch(data, database_url, more)
    assert house.process
    process = house.process
    until(lambda: any("Stop with Ctrl-C" in line for line in house.said) or process.poll() is not None, 600)
    assert process.poll() is None, "\n".join(house.said)
    if not house.ask("select id from journals_journal limit 1"):
        load_samples(house)
    return house


def load_samples(house: House) -> None:
    """Two journals that tests look at, as their cards load them."""
    command = [sys.executable, "manage.py", "load_samples", "healthy", "broken"]
    subprocess.run(command, cwd=ROOT, env=house.environment, check=True, stdout=subprocess.DEVNULL)


def launch(data: Path, database_url: str = "", more: Mapping[str, str] | None = None) -> House:
    """A supervisor that has just been started."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in {"REDIS_URL", "DATABASE_URL", "CACHE_DIR"}
    }
    environment = kept | {
        "JOURNALSCOPE_DATA": str(data),
        "PORT": str(port),
        "HOST": "127.0.0.1",
        "DJANGO_SETTINGS_MODULE": "webapp.settings",
    }
    environment |= ({"DATABASE_URL": database_url} if database_url else {}) | dict(more or {})
    command = [sys.executable, "-m", "workers.supervisor"]
    with output_of(data).open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return House(data, environment, process)


def output_of(data: Path) -> Path:
    """Where what a house prints is kept: beside its data, which are nobody else's."""
    return data.with_name(f"{data.name}.output")


@contextmanager
def running(database_url: str = "", more: Mapping[str, str] | None = None) -> Iterator[House]:
    """A house from its start to its end, on SQLite if no other database is named; `more`: of its environment."""
    data = Path(tempfile.mkdtemp(prefix="js-"))  # short: the Redis socket lies in it
    house = start(data, database_url, more)
    assert house.process
    try:
        yield house
    finally:
        stop(house, house.process.pid)


@contextmanager
def shared(run: Path) -> Iterator[House]:
    """The one house of a run of tests: the first process that asks for it starts it, the last that leaves stops it.

    `run`: a folder that all processes of the run know.
    """
    known = run / "house.json"
    with FileLock(run / "house.lock"):
        if known.exists():
            entry = json.loads(known.read_text())
        else:
            house = start(Path(tempfile.mkdtemp(prefix="js-")))
            assert house.process
            entry = {
                "data": str(house.data),
                "environment": house.environment,
                "pid": house.process.pid,
                "users": 0,
            }
        known.write_text(json.dumps(entry | {"users": entry["users"] + 1}))
    house = House(Path(entry["data"]), entry["environment"])
    try:
        yield house
    finally:
        with FileLock(run / "house.lock"):
            entry = json.loads(known.read_text())
            known.write_text(json.dumps(entry | {"users": entry["users"] - 1}))
            if entry["users"] == 1:
                known.unlink()
                stop(house, entry["pid"])


def stop(house: House, pid: int) -> None:
    """As Ctrl-C does; its data and what it has printed are removed."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGINT)
    with suppress(AssertionError):
        until(lambda: house.pids() == [], 20)
    for process in house.pids():
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    if house.process:
        house.process.wait()
    shutil.rmtree(house.data, ignore_errors=True)
    output_of(house.data).unlink(missing_ok=True)


def as_uuid(hexadecimal: str) -> str:
    return (
        f"{hexadecimal[:8]}-{hexadecimal[8:12]}-{hexadecimal[12:16]}-{hexadecimal[16:20]}-{hexadecimal[20:]}"
    )
