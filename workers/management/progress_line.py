"""What an inspection does, as one line of a terminal: stage, tasks, bytes, seconds so far and about how many are left.

    decode: 3 of 12 tasks, 78.1 of 312.4 MB, 14 s, about 42 s left

It goes to stderr, and only where that is a terminal; it is gone when the result is printed.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from spark.runtime.stage_runner import NoProgress, ProgressListener
from spark.terms.remaining import remaining_seconds, share_read

RENEW_SECONDS = 0.5
CLEAR_LINE = "\r\x1b[K"


@contextmanager
def progress_line(size_bytes: int, stream: TextIO | None = None) -> Iterator[ProgressListener]:
    """A listener that draws while the block runs, or one that does nothing."""
    stream = stream or sys.stderr
    if not stream.isatty():
        yield NoProgress()
        return
    line = ProgressLine(size_bytes, stream)
    drawing = threading.Thread(target=line.draw, name="progress-line", daemon=True)
    drawing.start()
    try:
        yield line
    finally:
        line.over.set()
        drawing.join()
        stream.write(CLEAR_LINE)
        stream.flush()


class ProgressLine:
    """Listens to the stages; `draw` runs in a thread of its own."""

    def __init__(self, size_bytes: int, stream: TextIO) -> None:
        self.over = threading.Event()
        self._size_bytes, self._stream = size_bytes, stream
        self._name, self._note = "plan", ""
        self._began = self._stage_began = time.monotonic()

    def stage(self, name: str, note: str = "") -> None:
        self._name, self._note, self._stage_began = name, note, time.monotonic()

    def raise_if_cancelled(self) -> None:
        """Ctrl-C ends a command."""

    def draw(self) -> None:
        while not self.over.wait(RENEW_SECONDS):
            self._stream.write(CLEAR_LINE + self.text(*running_tasks()))
            self._stream.flush()

    def text(self, done: int, total: int) -> str:
        """Of tasks that run in Spark; `total` is 0 where there are none."""
        now = time.monotonic()
        parts = [f"{done} of {total} tasks"] if total else []
        if self._name == "decode" and total:
            parts.append(share_read(self._size_bytes, done, total))
        elif self._note and not total:
            parts.append(self._note)
        parts.append(f"{now - self._began:.0f} s")
        rest_seconds = remaining_seconds(now - self._stage_began, done, total)
        if rest_seconds is not None:
            parts.append(f"about {rest_seconds} s left in this stage")
        return f"{self._name}: {', '.join(parts)}"


def running_tasks() -> tuple[int, int]:
    """Tasks done and all tasks of the Spark jobs that run now; (0, 0) without Spark."""
    if "pyspark" not in sys.modules:
        return 0, 0
    from spark.runtime.private_pyspark import active_context

    context = active_context()
    if not context:
        return 0, 0
    try:
        tracker = context.statusTracker()
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        counts = [(stage.numCompletedTasks, stage.numTasks) for stage in stages if stage]
    except Exception:  # its JVM may be ending
        return 0, 0
    return sum(done for done, _ in counts), sum(total for _, total in counts)
