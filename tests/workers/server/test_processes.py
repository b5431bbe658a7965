"""Children: started again when they die, ended with their parent, killed when they will not go."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from workers.server.processes import AUTOGROUP, Child

ADOPTER = """
import subprocess, sys
from workers.server.processes import adopt_orphans, child_pids, end_all_children, reap_orphans
adopt_orphans()
orphaned = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', {!r}], stdout=subprocess.DEVNULL, start_new_session=True).pid)"
def left_behind(program):
    return int(subprocess.run([sys.executable, "-c", orphaned.format(program)], stdout=subprocess.PIPE).stdout)
short = left_behind("pass")
while short in child_pids():
    reap_orphans([])
print(left_behind("import time; time.sleep(60)"), left_behind("import time; time.sleep(60)"))
end_all_children()
print(child_pids(), flush=True)
"""
HANGS = 30  # seconds; what takes so long on the busiest machine never comes
SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
DEAF = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(15, signal.SIG_IGN); print(1); time.sleep(60)",
]
PARENT = """
import signal, sys, time
from workers.server.processes import Child
child = Child("child", [sys.executable, "-c", "import time; time.sleep(60)"])
child.start()
print(child.process.pid, flush=True)
time.sleep(60)
"""


def until(holds: Callable[[], bool], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


def is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def child():
    made = Child("worker", SLEEP, delay_seconds=0.05)
    made.start()
    yield made
    made.ask_to_stop()
    made.end(time.monotonic() + 5)


def test_a_child_that_dies_is_said_and_started_again_later_each_time(child):
    said: list[str] = []
    first = child.process.pid
    child.process.kill()
    child.process.wait()
    child.look_after(said.append)
    assert said == ["The worker stopped (by signal SIGKILL); it restarts in 0 s."]
    assert child.process is None
    assert until(lambda: child.look_after(said.append) or child.process is not None)
    assert child.process.pid != first
    assert child.delay_seconds == pytest.approx(0.1)


def test_a_child_that_runs_is_left_alone(child):
    before = child.process
    child.look_after(pytest.fail)
    assert child.process is before


def test_a_child_that_does_not_go_is_killed_at_the_deadline():
    deaf = Child("worker", DEAF)
    deaf.start()
    time.sleep(0.5)
    deaf.ask_to_stop()
    began = time.monotonic()
    deaf.end(began + 0.3)
    assert deaf.process.returncode == -signal.SIGKILL
    assert time.monotonic() - began < HANGS


def test_a_child_ends_when_its_parent_is_killed():
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    pid = int(parent.stdout.readline())
    assert is_running(pid)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    assert until(lambda: not is_running(pid))


def test_what_children_leave_behind_becomes_a_child_and_ends_with_the_others():
    parent = subprocess.run([sys.executable, "-c", ADOPTER], capture_output=True, text=True, timeout=HANGS)
    orphans, left = parent.stdout.splitlines()
    assert left == "[]", parent.stderr
    assert [pid for pid in orphans.split() if is_running(int(pid))] == []


def test_a_child_that_gives_way_does_so_with_all_that_it_starts(tmp_path):
    told = tmp_path / "told"
    child = Child("worker", ["sh", "-c", f"sh -c 'nice; cat {AUTOGROUP}' > {told}; true"], nice=7)
    child.start()
    child.process.wait()
    own, *of_session = told.read_text().splitlines()
    assert int(own) == os.nice(0) + 7
    assert not AUTOGROUP.exists() or of_session[0].endswith(" nice 7")
