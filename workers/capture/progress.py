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
        """Add a measurement; returns bytes per second."""
        self._seen.append((now, size_bytes))
        while len(self._seen) > 2 and now - self._seen[1][0] >= WINDOW_SECONDS:
            self._seen.popleft()
        then, had = self._seen[0]
        return (size_bytes - had) / (now - then) if now > then else 0.0


def progress_of(parts: Sequence[PartitionCapture], speed: Speed, max_bytes: int | None) -> CaptureProgress:
    """Remaining time is estimated from offsets, or from bytes if their limit is reached first."""
    size_bytes = sum(partition.facts.got.size_bytes for partition in parts)
    ranges = {partition.number: partition.facts.asked for partition in parts}
    total = sum(offsets["to_offset"] - offsets["from_offset"] for offsets in ranges.values())
    done = sum(
        min(partition.position, ranges[partition.number]["to_offset"])
        - ranges[partition.number]["from_offset"]
        for partition in parts
    )
    bytes_per_second = speed.at(time.monotonic(), size_bytes)
    bytes_left = size_bytes / done * (total - done) if done else None
    if max_bytes is not None:
        rest = max(0, max_bytes - size_bytes)
        bytes_left = rest if bytes_left is None else min(bytes_left, rest)
    return CaptureProgress(
        size_bytes=size_bytes,
        offsets_done=done,
        offsets_total=total,
        partitions={
            partition.number: (
                ranges[partition.number]["from_offset"],
                partition.position,
                ranges[partition.number]["to_offset"],
            )
            for partition in sorted(parts, key=lambda partition: partition.number)
        },
        bytes_per_second=bytes_per_second,
        seconds_left=None if bytes_left is None or not bytes_per_second else bytes_left / bytes_per_second,
        note=next(
            (partition.trouble.why for partition in parts if partition.trouble and not partition.is_over), ""
        ),
    )
