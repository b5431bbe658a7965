"""`python -m workers.supervisor`: everything Journalscope needs on one machine, under one Ctrl-C.

Redis (unless REDIS_URL names one), the web server, a worker for each queue and the scheduler run as children; a child that
dies is started again. Before that: the port is free, the database is up to date, static files are collected. `run_part` is one
of them alone, for a container or a unit whose platform starts it again.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from types import FrameType

from spark.terms.installation import IMPORT_ROOT
from workers.server import preflight
from workers.server.preflight import CannotStart
from workers.server.processes import Child, adopt_orphans, end_all_children, reap_orphans

STOP_SECONDS = 8.0
LOOK_SECONDS = 0.25
BEHIND_THE_PAGES = 10  # nice: on a busy machine pages come before inspections, which still get a tenth of it
WORKERS = {"inspections": BEHIND_THE_PAGES, "transfers": BEHIND_THE_PAGES, "quick": 0}  # queue -> nice


PREPARE, WEB, SCHEDULER = "prepare", "web", "scheduler"
PARTS = (PREPARE, WEB, *WORKERS, SCHEDULER)


def main() -> int:
    enter()
    try:
        lock = preflight.check_and_lock()
    except CannotStart as problem:
        say(str(problem))
        return 1
    try:
        return Supervisor().run()
    except CannotStart as problem:
        say(str(problem))
        return 1
    finally:
        lock.close()


def enter() -> None:
    os.umask(0o077)
    os.chdir(IMPORT_ROOT)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")


def run_part(name: str) -> int:
    """This process becomes one of PARTS; `prepare` ends when database and static files are up to date."""
    enter()
    try:
        if not os.environ.get("REDIS_URL"):
            raise CannotStart("The parts meet at a Redis server: set REDIS_URL, the same for each.")
        preflight.run_dir().mkdir(parents=True, exist_ok=True)
        if name == PREPARE:
            return prepare()
        commands = {WEB: preflight.web_command, SCHEDULER: preflight.scheduler_command}
        command = commands[name]() if name in commands else preflight.worker_command(name)
        os.execv(command[0], command)  # noqa: S606
    except CannotStart as problem:
        say(str(problem))
    return 1


def prepare() -> int:
    """Migrate and collect, and say what is not as it should be; the first sign-in while nobody can sign in."""
    preflight.prepare_django()
    for sentence in preflight.warnings():
        say(sentence)
    if link := preflight.sign_in_link():
        say(f"Sign in once, within an hour, with {link}")
    return 0


class Supervisor:
    """The child processes in starting order."""

    def __init__(self) -> None:
        self.children: list[Child] = []
        self.stopping = False

    def run(self) -> int:
        """Until a signal asks to stop."""
        adopt_orphans()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._stop)
        began = time.monotonic()
        try:
            self._start()
            if not self.stopping:
                self._welcome(began)
            while not self.stopping:
                for child in self.children:
                    child.look_after(say)
                reap_orphans([child.process.pid for child in self.children if child.process])
                time.sleep(LOOK_SECONDS)
        finally:
            self._end()
        return 0

    def _is_stopping(self) -> bool:
        return self.stopping

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        if not self.stopping:
            say("\nStopping.")
        self.stopping = True

    def _start(self) -> None:
        """Step by step, until somebody asks to stop: then no further child is started."""
        for step in (
            self._start_broker,
            self._prepare,
            self._start_workers,
            self._start_web,
        ):
            if not self.stopping:
                step()

    def _start_broker(self) -> None:
        if not os.environ.get("REDIS_URL"):
            self._add(Child("Redis server", preflight.redis_command(), orphan_signal=signal.SIGTERM))
            os.environ["REDIS_URL"] = preflight.redis_url()
        preflight.wait_for_redis(self._is_stopping)

    def _prepare(self) -> None:
        preflight.prepare_django()
        for sentence in preflight.warnings():
            say(sentence)

    def _start_workers(self) -> None:
        """Their jobs are taken up again at the next start, so workers may go at once when we are gone."""
        for name, nice in WORKERS.items():
            command = preflight.worker_command(name)
            self._add(Child(f"{name} worker", command, orphan_signal=signal.SIGKILL, nice=nice))
        self._add(Child("scheduler", preflight.scheduler_command(), orphan_signal=signal.SIGKILL))

    def _start_web(self) -> None:
        self._add(Child("web server", preflight.web_command()))
        preflight.wait_for_web(self._is_stopping)

    def _add(self, child: Child) -> None:
        self.children.append(child)
        child.start()

    def _welcome(self, began: float) -> None:
        say(f"Journalscope runs at {preflight.address()} (started in {time.monotonic() - began:.1f} s).")
        if link := preflight.sign_in_link():
            say(f"Sign in once, within an hour, with {link}")
            say(
                "Then set a password on the page Security. Until a superuser has one, each start prints a link."
            )
        say("Stop with Ctrl-C.")

    def _end(self) -> None:
        """The broker last: the others need it to say goodbye. Then what any of them left behind."""
        deadline = time.monotonic() + STOP_SECONDS
        brokers = [child for child in self.children if child.name == "Redis server"]
        others = [child for child in self.children if child not in brokers]
        for group in (others, brokers):
            for child in group:
                child.ask_to_stop()
            for child in group:
                child.end(deadline)
        end_all_children()
        preflight.socket_path().unlink(missing_ok=True)


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
