"""Ranges of offsets as two arrays, first and last, both inclusive: holes between them, pieces of them, what they meet."""

from __future__ import annotations

import numpy as np

Ranges = tuple[np.ndarray, np.ndarray]  # first and last offsets, sorted by first

NONE: Ranges = (np.empty(0, np.int64), np.empty(0, np.int64))
NEVER = np.iinfo(np.int64).max


def between(first: np.ndarray, last: np.ndarray) -> tuple[Ranges, np.ndarray]:
    """The holes between ranges that are sorted by first and may overlap, and which range follows each hole."""
    reach = np.maximum.accumulate(last)[:-1]
    hole = first[1:] > reach + 1
    return (reach[hole] + 1, first[1:][hole] - 1), np.flatnonzero(hole) + 1


def cut(holes: Ranges, edges: np.ndarray) -> tuple[Ranges, np.ndarray]:
    """The holes cut so that a piece begins at every edge within them, and the hole each piece comes from."""
    first, last = holes
    if not len(first):
        return holes, np.empty(0, np.int64)
    owner = np.searchsorted(first, edges, side="right") - 1
    inside = (owner >= 0) & (edges > first[owner]) & (edges <= last[owner])
    starts = np.unique(np.concatenate([first, edges[inside]]))
    origin = np.searchsorted(first, starts, side="right") - 1
    return (starts, np.minimum(np.r_[starts[1:] - 1, NEVER], last[origin])), origin


def edges_of(ranges: Ranges) -> np.ndarray:
    """Where the ranges begin, and where what follows them begins."""
    return np.concatenate([ranges[0], ranges[1] + 1])


def touches(holes: Ranges, others: Ranges) -> np.ndarray:
    """Which holes share an offset with one of the other ranges."""
    if not len(others[0]):
        return np.zeros(len(holes[0]), dtype=bool)
    reach = np.maximum.accumulate(others[1])
    before = np.searchsorted(others[0], holes[1], side="right") - 1
    return (before >= 0) & (reach[before] >= holes[0])
