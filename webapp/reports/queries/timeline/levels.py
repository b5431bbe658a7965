"""Counts of a large partition in fine bins, made in one pass and remembered: every wide window is a sum of them.

A window whose bins are no finer reads no file. It is widened to whole fine bins, so that its counts stay exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from webapp.reports.queries.timeline.axis import MIN_BIN_PIXELS, bin_width

MAX_CELLS = 120_000  # about what fits the memory of one answer: lanes x kinds x bins
KINDS_OF_A_LANE = 4
Counts = dict[str, Any]


def fine_width(axis: Any, extent: int, lanes: int) -> int:
    """Width of the fine bins: as narrow as MAX_CELLS allows."""
    bins = max(1, MAX_CELLS // (max(1, lanes) * KINDS_OF_A_LANE))
    return bin_width(axis, extent, bins * MIN_BIN_PIXELS)


def coded(counts: Counts) -> Counts:
    """Lanes and kinds as numbers of their names: few bytes, and quick to compare."""
    lanes, lane = np.unique(counts["lane"], return_inverse=True)
    kinds, kind = np.unique(counts["kind"], return_inverse=True)
    return counts | {"lanes": lanes, "kinds": kinds, "lane": lane, "kind": kind}


def summed(fine: Counts, fine_bin: int, first: int, last: int, width: int) -> Counts:
    """Counts between two values of the axis in bins of a multiple of the fine width, one row per lane, kind and bin."""
    chosen = (fine["bucket"] >= first // fine_bin) & (fine["bucket"] <= last // fine_bin)
    rows = {name: values[chosen] for name, values in fine.items() if name not in ("lanes", "kinds")}
    buckets = rows["bucket"] * fine_bin // width
    lanes, kinds = fine["lanes"], fine["kinds"]
    low = int(buckets.min()) if len(buckets) else 0
    cell = ((buckets - low) * len(lanes) + rows["lane"]) * len(kinds) + rows["kind"]
    order = np.argsort(cell, kind="stable")
    starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
    heads = order[starts]
    return {
        "lane": lanes[rows["lane"][heads]],
        "kind": kinds[rows["kind"][heads]],
        "bucket": buckets[heads],
        **_reduced(np.add, rows, ("records", "size_bytes"), order, starts),
        **_reduced(np.minimum, rows, ("first_offset", "first_timestamp_ms"), order, starts),
        **_reduced(np.maximum, rows, ("last_offset", "last_timestamp_ms"), order, starts),
    }


def _reduced(reduce: Any, rows: Counts, names: tuple[str, ...], order: Any, starts: Any) -> Counts:
    return {
        name: reduce.reduceat(rows[name][order], starts) if len(starts) else rows[name][:0] for name in names
    }
