"""Ranges of offsets as two arrays, first and last, both inclusive: gaps between them, pieces of them, what they meet."""

from __future__ import annotations

import numpy as np

Ranges = tuple[np.ndarray, np.ndarray]  # first and last offsets, sorted by first

NONE: Ranges = (np.empty(0, np.int64), np.empty(0, np.int64))
NEVER = np.iinfo(np.int64).max


def between(first: np.ndarray, last: np.ndarray) -> tuple[Ranges, np.ndarray]:
    """The gaps between ranges that are sorted by first and may overlap, and which range follows each gap."""
    reach = np.maximum.accumulate(last)[:-1]
    is_gap = first[1:] > reach + 1
    return (reach[is_gap] + 1, first[1:][is_gap] - 1), np.flatnonzero(is_gap) + 1


def cut(gaps: Ranges, edges: np.ndarray) -> tuple[Ranges, np.ndarray]:
    """The gaps cut so that a piece begins at every edge within them, and the gap each piece comes from."""
    first, last = gaps
    if not len(first):
        return gaps, np.empty(0, np.int64)
    owner = np.searchsorted(first, edges, side="right") - 1
    inside = (owner >= 0) & (edges > first[owner]) & (edges <= last[owner])
    starts = np.unique(np.concatenate([first, edges[inside]]))
    origin = np.searchsorted(first, starts, side="right") - 1
    return (starts, np.minimum(np.r_[starts[1:] - 1, NEVER], last[origin])), origin


def below(ranges: Ranges, end: int | None) -> np.ndarray:
    """Which ranges end before an offset; where there is none, none does."""
    return np.zeros(len(ranges[1]), bool) if end is None else np.asarray(ranges[1] < end)


def edges_of(ranges: Ranges) -> np.ndarray:
    """Where the ranges begin, and where what follows them begins."""
    return np.concatenate([ranges[0], ranges[1] + 1])


def touches(gaps: Ranges, others: Ranges) -> np.ndarray:
    """Which gaps share an offset with one of the other ranges."""
    if not len(others[0]):
        return np.zeros(len(gaps[0]), dtype=bool)
    reach = np.maximum.accumulate(others[1])
    before = np.searchsorted(others[0], gaps[1], side="right") - 1
    return (before >= 0) & (reach[before] >= gaps[0])
