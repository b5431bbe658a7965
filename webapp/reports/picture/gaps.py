"""Gaps of a window as bands of its axis, and how many offsets of each bin are missing."""

from __future__ import annotations

import numpy as np

from webapp.reports.charts.missing import Band, Missing, missing_in_time, missing_per_bin
from webapp.reports.queries.gaps import GapsInWindow, missing_between
from webapp.reports.queries.timeline.window import Window
from webapp.reports.results import PartitionResults


def missing_of(partition: PartitionResults, window: Window, bands: list[Band]) -> Missing:
    """Missing offsets by bin and cause."""
    if window.span.axis == "time":
        return missing_in_time(bands, window.bin_width)
    first, last = window.span.first, window.span.last
    return missing_per_bin(missing_between(partition, first, last), first, last, window.bin_width)


def bands_of(window: Window, gaps: GapsInWindow) -> list[Band]:
    """Gaps to draw, clipped to the window."""
    times = TimesAround(window)
    bands = []
    for gap in gaps.drawn:
        if window.span.axis == "offset":
            x0, x1 = gap["first_offset"] - 0.5, gap["last_offset"] + 0.5
            x0, x1 = max(x0, window.span.first - 0.5), min(x1, window.span.last + 0.5)
        else:
            x0, x1 = times.before(gap["first_offset"]), times.after(gap["last_offset"])
        if x0 is not None and x1 is not None:
            bands.append(Band(x0, max(x0, x1), gap["cause"], gap["offsets"], gap["proof"] or ""))
    return bands


class TimesAround:
    """Times around offsets, from the marks where all are drawn, else from the buckets."""

    def __init__(self, window: Window) -> None:
        exact = window.drawn and window.drawn == window.total
        offsets = window.marks["offset"] if exact else window.buckets["first_offset"]
        times = window.marks["timestamp_ms"] if exact else window.buckets["first_timestamp_ms"]
        order = np.argsort(offsets, kind="stable")
        self.offsets, self.times = offsets[order], times[order]

    def before(self, offset: int) -> float | None:
        """Time of the last record before the offset."""
        at = int(np.searchsorted(self.offsets, offset, side="left")) - 1
        return self._time(at)

    def after(self, offset: int) -> float | None:
        """Time of the first record after the offset."""
        return self._time(int(np.searchsorted(self.offsets, offset, side="right")))

    def _time(self, at: int) -> float | None:
        return float(self.times[at]) if 0 <= at < len(self.times) and self.times[at] >= 0 else None
