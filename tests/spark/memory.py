"""How much memory a piece of work takes at its peak, beyond what the process held before. Linux counts it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
RESET_PEAK = "5"

counted = pytest.mark.skipif(not CLEAR.exists(), reason="only Linux tells the peak of a process's memory")


def _kilobytes(name: str) -> int:
    return next(int(line.split()[1]) for line in STATUS.read_text().splitlines() if line.startswith(name))


@contextmanager
def peak_below(limit_bytes: int) -> Iterator[None]:
    """The block may take so much at any one time."""
    CLEAR.write_text(RESET_PEAK)
    before = _kilobytes("VmRSS")
    yield
    taken = (_kilobytes("VmHWM") - before) * 1024
    assert taken <= limit_bytes, f"{taken:,} bytes at the peak, {limit_bytes:,} allowed"
