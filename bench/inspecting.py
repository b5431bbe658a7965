"""Inspections as a worker does them (warm session) and as the command line does them (cold).

`python -m bench.inspecting PATH...` inspects once and prints the run as JSON.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil

from bench.inputs import CACHE, as_uploaded, small_dump

ROOT = Path(__file__).resolve().parent.parent
RESULTS = CACHE / "results"  # of the last inspection
SAMPLE_EVERY_SECONDS = 0.1
WARM_UPS = 2


@dataclass
class StageTimes:
    """Notes when each stage began."""

    began: list[tuple[str, float, float]] = field(default_factory=list)

    def stage(self, name: str, note: str = "") -> None:
        self.began.append((name, time.perf_counter(), cpu_seconds(os.getpid())))

    def raise_if_cancelled(self) -> None:
        """Nobody cancels a bench."""

    def seconds(self, until: float) -> dict[str, float]:
        """Duration of each stage."""
        return self._between([when for _, when, _ in self.began], until)

    def cpu_seconds(self, until: float) -> dict[str, float]:
        """Processor time of each stage, all processes together."""
        return self._between([spent for _, _, spent in self.began], until)

    def _between(self, starts: list[float], until: float) -> dict[str, float]:
        names = [name for name, _, _ in self.began]
        ends = [*starts[1:], until]
        return {name: end - start for name, start, end in zip(names, starts, ends, strict=True)}


@dataclass(frozen=True)
class Run:
    seconds: float
    stages: dict[str, float]
    cpu_stages: dict[str, float]
    records: int

    @property
    def by_stage(self) -> str:
        """`decode 1.20  relate 0.31  ...`."""
        return "  ".join(f"{name} {seconds:.2f}" for name, seconds in self.stages.items())


class WarmSession:
    """A Spark session that has already inspected something, as in a worker that has been up for a while."""

    def __init__(self) -> None:
        self.is_warm = False

    def inspect(self, paths: list[Path], times: int = 1) -> Run:
        """The fastest of `times` inspections."""
        if not self.is_warm:
            self.is_warm = True
            for _ in range(WARM_UPS):
                self.once([small_dump()])
        return min((self.once(paths) for _ in range(times)), key=lambda run: run.seconds)

    def once(self, paths: list[Path]) -> Run:
        """As it is, warm or not."""
        from spark.pipeline import Limits, inspect
        from spark.runtime.session import context

        files = as_uploaded(paths)
        shutil.rmtree(RESULTS, ignore_errors=True)
        watch = StageTimes()
        started = time.perf_counter()
        report = inspect(context, files, RESULTS, watch, Limits())
        ended = time.perf_counter()
        cpu_stages = watch.cpu_seconds(cpu_seconds(os.getpid()))
        return Run(ended - started, watch.seconds(ended), cpu_stages, report["coverage"]["records"])

    def close(self) -> None:
        """Stops the JVM."""
        from spark.runtime.session import discard

        discard()
        shutil.rmtree(RESULTS, ignore_errors=True)


def command_line(paths: list[Path]) -> list[str]:
    return [sys.executable, str(ROOT / "manage.py"), "inspect", "--json", *map(str, paths)]


def cold_seconds(paths: list[Path], environment: Mapping[str, str] | None = None) -> float:
    """The command line from its start to its end; findings are no failure."""
    started = time.perf_counter()
    whole_environment = os.environ | (environment or {})
    done = subprocess.run(
        command_line(paths),
        cwd=ROOT,
        env=whole_environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    seconds = time.perf_counter() - started
    if done.returncode not in (0, 1):
        message = f"manage.py inspect ended with {done.returncode}: {done.stderr.decode()[-2000:]}"
        raise RuntimeError(message)
    return seconds


@dataclass
class Peak:
    """Highest memory of a process and all its children together."""

    resident_bytes: int = 0
    anonymous_bytes: int = 0


def cold_peak(paths: list[Path]) -> Peak:
    """Peak memory of the command line on these files."""
    process = subprocess.Popen(
        command_line(paths), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    with sampled(process.pid) as peak:
        if process.wait() not in (0, 1):
            message = f"manage.py inspect ended with {process.returncode}"
            raise RuntimeError(message)
    return peak


def cold_run(paths: list[Path]) -> tuple[Run, Peak]:
    """One inspection in processes of its own: seconds by stage, which the command line does not tell, and peak memory."""
    command = [sys.executable, "-m", "bench.inspecting", *map(str, paths)]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    with sampled(process.pid) as peak:
        said, _ = process.communicate()
    if process.returncode:
        message = f"{' '.join(command)} ended with {process.returncode}"
        raise RuntimeError(message)
    return Run(**json.loads(said.splitlines()[-1])), peak


@contextmanager
def sampled(pid: int) -> Iterator[Peak]:
    """Samples the memory of a process tree while the body runs."""
    peak, over = Peak(), threading.Event()

    def sample() -> None:
        while not over.wait(SAMPLE_EVERY_SECONDS):
            resident, anonymous = memory(pid)
            peak.resident_bytes = max(peak.resident_bytes, resident)
            peak.anonymous_bytes = max(peak.anonymous_bytes, anonymous)

    watcher = threading.Thread(target=sample)
    watcher.start()
    try:
        yield peak
    finally:
        over.set()
        watcher.join()


def cpu_seconds(pid: int) -> float:
    """Processor time of a process and all its children so far, also of those that have ended."""
    spent = 0.0
    root = psutil.Process(pid)
    for process in (root, *root.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        spent += times.user + times.system + times.children_user + times.children_system
    return spent


def memory(pid: int) -> tuple[int, int]:
    """Resident and anonymous bytes of a process and its children. Resident counts pages of mapped input too."""
    resident = anonymous = 0
    try:
        root = psutil.Process(pid)
        tree = [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0, 0
    for process in tree:
        try:
            used = process.memory_info()
        except psutil.NoSuchProcess:
            continue
        resident += used.rss
        anonymous += used.rss - used.shared
    return resident, anonymous


if __name__ == "__main__":
    session = WarmSession()
    said = json.dumps(asdict(session.once([Path(path) for path in sys.argv[1:]])))
    session.close()
    print(said)
