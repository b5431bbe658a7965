"""Who follows a capture: hears how far it is, and says whether it shall go on."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

REPORT_SECONDS = 0.5


class CaptureSignal(enum.Enum):
    """What the watcher wants. PAUSE and CANCEL end the capture and keep what is there."""

    GO_ON = "continue"
    PAUSE = "pause"
    CANCEL = "cancel"


@dataclass(frozen=True)
class CaptureProgress:
    """How far it is. `partitions`: partition -> (first, next, end offset); `offsets` count at most so many records."""

    size_bytes: int
    offsets_done: int
    offsets_total: int
    partitions: dict[int, tuple[int, int, int]]
    bytes_per_second: float
    seconds_left: float | None
    note: str = ""


class Watcher(Protocol):
    """Asked every half second while brokers answer; while one does not, after the time that a question may take."""

    def on_progress(self, progress: CaptureProgress) -> CaptureSignal: ...


class CaptureStopped(Exception):
    def __init__(self, signal: CaptureSignal) -> None:
        super().__init__(signal.value)
        self.signal = signal


class Ticker:
    """Calls the watcher regularly, also during waits."""

    def __init__(self, watch: Watcher, progress: Callable[[], CaptureProgress]) -> None:
        self._watch, self._progress = watch, progress
        self._reported_at = float("-inf")

    def tick(self) -> None:
        """Call the watcher when it is due. Raises CaptureStopped."""
        if time.monotonic() - self._reported_at >= REPORT_SECONDS:
            signal = self._watch.on_progress(self._progress())
            self._reported_at = time.monotonic()
            if signal is not CaptureSignal.GO_ON:
                raise CaptureStopped(signal)

    def wait(self, seconds: float) -> None:
        """Raises CaptureStopped."""
        until = time.monotonic() + seconds
        while (seconds_left := until - time.monotonic()) > 0:
            time.sleep(min(seconds_left, REPORT_SECONDS))
            self.tick()
