"""How far a capture is, how fast it goes, and how long the rest will take."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence

from workers.capture.partition import PartitionCapture
from workers.capture.watcher import CaptureProgress

WINDOW_SECONDS = 5.0


class Speed:
    """Bytes a second over the last WINDOW_SECONDS; times are monotonic seconds."""

    def __init__(self, now: float, size_bytes: int) -> None:
        self.began, self.began_with = now, size_bytes
        self._seen: deque[tuple[float, int]] = deque([(now, size_bytes)])

    def at(self, now: float, size_bytes: int) -> float:
        """So many bytes are there now."""
        self._seen.append((now, size_bytes))
        while len(self._seen) > 2 and now - self._seen[1][0] >= WINDOW_SECONDS:
            self._seen.popleft()
        then, had = self._seen[0]
        return (size_bytes - had) / (now - then) if now > then else 0.0


def progress_of(parts: Sequence[PartitionCapture], speed: Speed, max_bytes: int | None) -> CaptureProgress:
    """For the watcher. What is left is reckoned by offsets, or by bytes where their limit comes first."""
    size_bytes = sum(part.facts.got.size_bytes for part in parts)
    ranges = {part.number: part.facts.asked for part in parts}
    total = sum(one["to_offset"] - one["from_offset"] for one in ranges.values())
    done = sum(
        min(part.position, ranges[part.number]["to_offset"]) - ranges[part.number]["from_offset"]
        for part in parts
    )
    bytes_per_second = speed.at(time.monotonic(), size_bytes)
    left = size_bytes / done * (total - done) if done else None
    if max_bytes is not None:
        rest = max(0, max_bytes - size_bytes)
        left = rest if left is None else min(left, rest)
    return CaptureProgress(
        size_bytes=size_bytes,
        offsets_done=done,
        offsets_total=total,
        partitions={
            part.number: (ranges[part.number]["from_offset"], part.position, ranges[part.number]["to_offset"])
            for part in sorted(parts, key=lambda part: part.number)
        },
        bytes_per_second=bytes_per_second,
        seconds_left=None if left is None or not bytes_per_second else left / bytes_per_second,
        note=next((part.trouble.why for part in parts if part.trouble and not part.is_over), ""),
    )
