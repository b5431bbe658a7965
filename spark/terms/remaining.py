"""How much of a stage is done and about how long the rest takes, by its tasks."""

from __future__ import annotations

MB, KB = 1_000_000, 1_000
FIRST_TASKS = 2  # the first tasks also start processes and compile


def remaining_seconds(elapsed_seconds: float, done: int, total: int) -> int | None:
    """None where too few tasks have ended to tell, or all have."""
    if done < FIRST_TASKS or done >= total:
        return None
    return max(1, round(elapsed_seconds / done * (total - done)))


def share_read(size_bytes: int, done: int, total: int) -> str:
    """`78.1 of 312.4 MB`, `1.2 of 2.3 kB`: tasks have about the same number of bytes."""
    unit, factor = ("MB", MB) if size_bytes >= MB else ("kB", KB)
    return f"{size_bytes * done / total / factor:,.1f} of {size_bytes / factor:,.1f} {unit}"
