"""Child processes that never outlive their parent, however it ends, and come back when they die.

The kernel signals a child when its parent is gone (`PR_SET_PDEATHSIG`), also after a kill -9 of the parent. What a child
started itself, such as a JVM, and left behind becomes the parent's own child (`PR_SET_CHILD_SUBREAPER`), which ends it.

Each child has a session of its own, so that Ctrl-C is the parent's to handle. Linux with `sched_autogroup_enabled`
shares the processor out between sessions first (sched(7)): there a nice value counts within a session only, and the
session's own, in `/proc/<pid>/autogroup`, is what makes one child give way to another.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
FIRST_DELAY_SECONDS, MAX_DELAY_SECONDS = 1.0, 30.0
AUTOGROUP = Path("/proc/self/autogroup")
STEADY_SECONDS = 60.0  # a child that ran so long starts again with the first delay


@dataclass
class Child:
    """One process to keep running. `nice`: how far it gives way to the others (0 not, 19 most), with all it starts."""

    name: str
    command: Sequence[str]
    orphan_signal: signal.Signals = signal.SIGTERM
    nice: int = 0
    process: subprocess.Popen[bytes] | None = None
    delay_seconds: float = FIRST_DELAY_SECONDS
    started: float = field(default=0.0)
    start_at: float = field(default=0.0)

    def start(self) -> None:
        """In a session of its own."""
        self.started = time.monotonic()
        self.process = start_bound(self.command, self.orphan_signal, self.nice)

    def look_after(self, say: Callable[[str], None]) -> None:
        """Start it again, later each time, when it has ended."""
        now = time.monotonic()
        if self.process is not None and self.process.poll() is not None:
            if now - self.started > STEADY_SECONDS:
                self.delay_seconds = FIRST_DELAY_SECONDS
            why = _ending(self.process.returncode)
            say(f"The {self.name} stopped ({why}); it restarts in {self.delay_seconds:.0f} s.")
            self.start_at = now + self.delay_seconds
            self.delay_seconds = min(2 * self.delay_seconds, MAX_DELAY_SECONDS)
            self.process = None
        elif self.process is None and now >= self.start_at:
            self.start()

    def ask_to_stop(self) -> None:
        """Send the signal for a clean shutdown."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def end(self, deadline: float) -> None:
        """Wait for it until the deadline, then kill it with all it started."""
        if self.process is None:
            return
        try:
            self.process.wait(timeout=max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def start_bound(
    command: Sequence[str], orphan_signal: signal.Signals, nice: int = 0
) -> subprocess.Popen[bytes]:
    """Start a process that gets the signal when this one is gone."""
    bind = dies_with(os.getpid(), orphan_signal)

    def prepare() -> None:
        bind()
        if nice:
            give_way(nice)

    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,  # what they have to say goes to stderr
        start_new_session=True,
        preexec_fn=prepare,
    )


def adopt_orphans() -> None:
    """From now on, descendants of this process whose parent ends become its children instead of init's."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def end_all_children() -> None:
    """Kill every child of this process, adopted ones too, and what these leave behind, until there is none."""
    while children := child_pids():
        for pid in children:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in children:
            reap(pid)


def reap_orphans(own: Collection[int]) -> None:
    """Take note of adopted children that have ended; those in `own` have somebody else who waits for them."""
    for pid in set(child_pids()) - set(own):
        reap(pid, os.WNOHANG)


def reap(pid: int, options: int = 0) -> None:
    """Wait for a child that has ended."""
    with suppress(ChildProcessError):
        os.waitpid(pid, options)


def child_pids() -> list[int]:
    """Of all threads of this process; empty where the system does not say."""
    lists = Path("/proc/self/task").glob("*/children")
    return [int(pid) for children in lists for pid in children.read_text().split()]


def give_way(nice: int) -> None:
    """Let other processes go before this one and this one's session."""
    os.nice(nice)
    with suppress(OSError):  # no autogroups here: then nice alone does it
        AUTOGROUP.write_text(str(nice))


def dies_with(parent: int, orphan_signal: signal.Signals) -> Callable[[], None]:
    """What to run in a new child so that it gets the signal when its parent is gone. Linux only, elsewhere nothing."""
    if not sys.platform.startswith("linux"):
        return lambda: None
    libc = ctypes.CDLL(None)

    def bind() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(orphan_signal))
        if os.getppid() != parent:  # it died before we asked
            os._exit(1)

    return bind


def _ending(code: int) -> str:
    return f"by signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
