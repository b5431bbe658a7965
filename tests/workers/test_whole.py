"""The processes as `make run` starts them: killed, cancelled, two inspections at once. Longer than the others."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow
OVER = ("done", "failed", "cancelled")
SEND = """
import sys, django
django.setup()
from pathlib import Path
from webapp.journals.models import Journal
from workers.samples import _store
from workers.ingest.inputs import find
for name in sys.argv[1:]:
    print(_store(name, find([Path(name)])).pk.hex)
"""
CANCEL = """
import sys, django
django.setup()
from webapp.journals import inspections
from webapp.journals.models import Inspection
inspections.cancel(Inspection.objects.get(pk=sys.argv[1]))
"""


@dataclass
class House:
    """A running supervisor and its data."""

    data: Path
    environment: dict[str, str]
    process: subprocess.Popen[str]
    said: list[str] = field(default_factory=list)

    def python(self, program: str, *arguments: str) -> list[str]:
        """Run a program with Django at hand; the lines it prints."""
        command = [sys.executable, "-c", program, *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    def row(self, inspection: str) -> tuple[str, int, str]:
        """State, attempts and error."""
        with sqlite3.connect(self.data / "journalscope.sqlite3") as database:
            query = "select state, attempts, error from journals_inspection where id = ?"
            return database.execute(query, [inspection]).fetchone()

    def state(self, inspection: str) -> str:
        return self.row(inspection)[0]

    def pids(self, word: str = "") -> list[int]:
        """Processes that work on this data folder."""
        mark = f"JOURNALSCOPE_DATA={self.data}".encode()
        found = []
        for folder in Path("/proc").iterdir():
            try:
                mine = folder.name.isdecimal() and mark in (folder / "environ").read_bytes().split(b"\0")
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
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


def start(data: Path) -> House:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    kept = {name: value for name, value in os.environ.items() if name not in {"REDIS_URL", "DATABASE_URL"}}
    environment = kept | {
        "JOURNALSCOPE_DATA": str(data),
        "PORT": str(port),
        "HOST": "127.0.0.1",
        "DJANGO_SETTINGS_MODULE": "webapp.settings",
    }
    command = [sys.executable, "-m", "workers.supervisor"]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    house = House(data, environment, process)
    threading.Thread(target=lambda: house.said.extend(process.stdout), daemon=True).start()
    until(lambda: any("Stop with Ctrl-C" in line for line in house.said) or process.poll() is not None, 60)
    assert process.poll() is None, "".join(house.said)
    return house


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    data = Path(tempfile.mkdtemp(prefix="js-"))  # short: the Redis socket lies in it
    running = start(data)
    yield running
    running.process.send_signal(signal.SIGINT)
    try:
        running.process.wait(20)
    except subprocess.TimeoutExpired:
        running.process.kill()
    shutil.rmtree(data, ignore_errors=True)


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    """A journal that keeps a worker busy for some seconds."""
    from spark.generator import bulk

    folder = tmp_path_factory.mktemp("large")
    return bulk.write_segments(folder, size_bytes=200 << 20)[0].parent


def inspections(house: House) -> list[str]:
    with sqlite3.connect(house.data / "journalscope.sqlite3") as database:
        return [row[0] for row in database.execute("select id from journals_inspection order by created_at")]


def test_the_first_start_brings_two_samples_and_inspects_both(house):
    until(lambda: len(inspections(house)) == 2, 20)
    until(lambda: all(house.state(id) in OVER for id in inspections(house)), 60)
    assert [house.row(id) for id in inspections(house)] == [("done", 1, "")] * 2
    assert len(list((house.data / "results").iterdir())) == 2


def test_a_cancelled_inspection_stops_and_leaves_nothing(house, large):
    (id,) = house.python(SEND, str(large))
    until(lambda: (house.data / "results" / f"{as_uuid(id)}.partial" / "records").exists(), 30)
    house.python(CANCEL, id)
    until(lambda: house.state(id) == "cancelled", 15)
    until(lambda: not any(as_uuid(id) in folder.name for folder in (house.data / "results").iterdir()), 20)


def test_a_small_journal_does_not_wait_for_a_large_one(house, large, tmp_path):
    small = tmp_path / "small.json"
    small.write_text('[{"offset": 0, "key": "a", "payload": "1"}, {"offset": 1, "key": "a", "payload": "2"}]')
    big, little = house.python(SEND, str(large), str(small))
    until(lambda: house.state(little) in OVER, 30)
    assert (house.row(little), house.state(big)) == (("done", 1, ""), "running")
    house.python(CANCEL, big)
    until(lambda: house.state(big) in OVER, 5)


def test_a_worker_killed_in_the_middle_is_replaced_and_its_inspection_finished(house, large):
    (id,) = house.python(SEND, str(large))
    until(lambda: (house.data / "results" / f"{as_uuid(id)}.partial" / "records").exists(), 30)
    (worker,) = house.pids("celery --app workers.app --quiet worker")
    os.kill(worker, signal.SIGKILL)
    until(lambda: any("The worker stopped (by signal SIGKILL)" in line for line in house.said), 5)
    assert house.state(id) == "running"
    until(lambda: house.state(id) in OVER, 60)
    assert house.row(id) == ("done", 2, "")


def test_nothing_is_left_when_the_supervisor_is_killed_and_the_work_goes_on_next_time(house, large):
    (id,) = house.python(SEND, str(large))
    until(lambda: house.state(id) == "running", 30)
    house.process.kill()
    house.process.wait()
    until(lambda: house.pids() == [], 8)
    again = start(house.data)
    try:
        until(lambda: house.state(id) in OVER, 60)
        assert house.row(id)[0] == "done"
        began = time.monotonic()
        again.process.send_signal(signal.SIGINT)
        assert again.process.wait(15) == 0
        assert time.monotonic() - began < 10
        until(lambda: house.pids() == [], 2)
    finally:
        again.process.kill()


def as_uuid(hexadecimal: str) -> str:
    return (
        f"{hexadecimal[:8]}-{hexadecimal[8:12]}-{hexadecimal[12:16]}-{hexadecimal[16:20]}-{hexadecimal[20:]}"
    )
