"""Batches of deliveries: ranges of offsets with a delivery state and count, two lists merged into one.

At each offset the batch with the higher delivery count applies, with equal counts the later state. Adjacent equal batches
become one. Offsets before the start offset are dropped. Source: Kafka `PersisterStateBatchCombiner` (4.1).
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

NO_OFFSET = -1


class DeliveryBatch(NamedTuple):
    """A batch, both offsets included. `state` is Kafka's number."""

    first_offset: int
    last_offset: int
    delivery_count: int
    state: int


def merged(batches: Iterable[DeliveryBatch], start_offset: int) -> list[DeliveryBatch]:
    """An older and a newer list of batches as one list without overlaps."""
    return list(joined(winners(pruned(batches, start_offset))))


def pruned(batches: Iterable[DeliveryBatch], start_offset: int) -> list[DeliveryBatch]:
    if start_offset == NO_OFFSET:
        return [batch for batch in batches if batch.first_offset <= batch.last_offset]
    cut = (batch._replace(first_offset=max(batch.first_offset, start_offset)) for batch in batches)
    return [batch for batch in cut if batch.first_offset <= batch.last_offset]


def winners(batches: list[DeliveryBatch]) -> Iterator[DeliveryBatch]:
    """Ranges in order, each with the batch that applies there."""
    borders = sorted({offset for batch in batches for offset in (batch.first_offset, batch.last_offset + 1)})
    starting = sorted(batches)
    open_batches: list[tuple[int, int, int]] = []  # heap: negated count and state, last offset
    position = 0
    for first, behind in itertools.pairwise(borders):
        while position < len(starting) and starting[position].first_offset <= first:
            batch = starting[position]
            heapq.heappush(open_batches, (-batch.delivery_count, -batch.state, batch.last_offset))
            position += 1
        while open_batches and open_batches[0][2] < first:
            heapq.heappop(open_batches)
        if open_batches:
            count, state, _ = open_batches[0]
            yield DeliveryBatch(first, behind - 1, -count, -state)


def joined(batches: Iterable[DeliveryBatch]) -> Iterator[DeliveryBatch]:
    """Merges adjacent batches with equal states."""
    last: DeliveryBatch | None = None
    for batch in batches:
        if last and last.last_offset + 1 == batch.first_offset and last[2:] == batch[2:]:
            last = last._replace(last_offset=batch.last_offset)
            continue
        if last:
            yield last
        last = batch
    if last:
        yield last
