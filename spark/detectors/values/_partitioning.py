"""Which partitioners put keys where they are: two at a time, or one before and after partitions were added.

A key in a partition fits a partitioner by chance once in as many times as there are partitions. An explanation counts when that many
fits by chance are improbable, all explanations that were tried considered.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from spark.codecs.partitioners import FITTING_SHARE, MAX_CHANCE, PARTITIONERS, hashes

Flags = NDArray[np.bool_]
MIN_EACH = 2  # keys that only one of both explains, of each
LATE_MS = 10 * 60 * 1000  # producers learn of new partitions up to metadata.max.age.ms (5 minutes) later


@dataclass(frozen=True)
class Placing:
    """A key in a partition, and when it was written there."""

    key: bytes
    partition: int
    first_ms: int
    last_ms: int


@dataclass(frozen=True)
class Explanation:
    """Two partitioners with one partition count, or one partitioner with two."""

    partitioners: tuple[str, str]
    counts: tuple[int, int]
    share: float
    since_ms: int | None = None  # when partitions were added

    @property
    def is_addition(self) -> bool:
        """Whether the partition count is what changed."""
        return self.counts[0] != self.counts[1]


def explain(placings: Sequence[Placing], partition_count: int | None) -> Explanation | None:
    """The best explanation of where the keys are, or None; `partition_count` None: unknown."""
    partitions = np.array([placing.partition for placing in placings], np.uint32)
    counts = counts_of(placings, partition_count)
    numbers = {name: hashes(name, [placing.key for placing in placings]) for name in PARTITIONERS}
    fits = {
        (name, count): numbers[name] % np.uint32(count) == partitions
        for name in PARTITIONERS
        for count in range(1, max(counts) + 1)
    }
    tried = len(counts) * (len(PARTITIONERS) * max(counts) + math.comb(len(PARTITIONERS), 2))
    for count in counts:
        for explanation in (*additions(placings, fits, count), *pairs(fits, count)):
            before, after = explanation.counts
            chance = 1 - (1 - 1 / before) * (1 - 1 / after)
            fitting = round(explanation.share * len(placings))
            against = len(placings) - fitting
            if math.log(tried) + (fitting - 10 * against) * math.log(chance) < math.log(MAX_CHANCE):
                return explanation
    return None


def counts_of(placings: Sequence[Placing], partition_count: int | None) -> Sequence[int]:
    """The known number of partitions, else those that are tried."""
    least = max(placing.partition for placing in placings) + 1
    return [partition_count] if partition_count and partition_count >= least else range(least, 2 * least + 8)


def pairs(fits: dict[tuple[str, int], Flags], count: int) -> Iterator[Explanation]:
    """Two partitioners at a time, the ones that explain most first."""
    explanations = []
    for first, second in combinations(PARTITIONERS, 2):
        by_first, by_second = fits[first, count], fits[second, count]
        if min((by_first & ~by_second).sum(), (by_second & ~by_first).sum()) >= MIN_EACH:
            explanations.append(
                Explanation((first, second), (count, count), float((by_first | by_second).mean()))
            )
    fitting = [explanation for explanation in explanations if explanation.share >= FITTING_SHARE]
    yield from sorted(fitting, key=lambda explanation: -explanation.share)


def additions(
    placings: Sequence[Placing], fits: dict[tuple[str, int], Flags], count: int
) -> Iterator[Explanation]:
    """One partitioner: up to some time with fewer partitions, then with all."""
    first_ms = np.array([placing.first_ms for placing in placings])
    last_ms = np.array([placing.last_ms for placing in placings])
    for name in PARTITIONERS:
        for before in range(1, count):
            old, new = fits[name, before], fits[name, count]
            share = float((old | new).mean())
            only_old, only_new = old & ~new, new & ~old
            if share < FITTING_SHARE or min(only_old.sum(), only_new.sum()) < MIN_EACH:
                continue
            since_ms = int(first_ms[only_new].min())
            if last_ms[only_old].max() <= since_ms + LATE_MS:
                yield Explanation((name, name), (before, count), share, since_ms)
