"""What the cleaner knows of transactions while it reads batches in order.

Source: Kafka `CleanedTransactionMetadata`.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from spark.cleaner.log import ABORT, COMMIT, DATA, EMPTY_CONTROL, AbortedTxn


@dataclass
class Transactions:
    """Transactions that were aborted, the ones whose data is being read, and those that markers ended.

    `retained` collects the index entries of aborted transactions whose data was met before the marker.
    """

    _waiting: list[tuple[int, AbortedTxn]] = field(default_factory=list)
    _aborted: dict[int, AbortedTxn] = field(default_factory=dict)
    _met: set[int] = field(default_factory=set)
    _committed: set[int] = field(default_factory=set)
    retained: list[AbortedTxn] = field(default_factory=list)

    def add(self, entries: list[AbortedTxn]) -> None:
        """Entries of an index, to be used once their first offset is reached."""
        for entry in entries:
            heapq.heappush(self._waiting, (entry.first_offset, entry))

    def read(self, control: int, producer_id: int, last_offset: int) -> bool:
        """A transactional batch: whether it was aborted. A control batch: whether nothing needs it any more."""
        self._reach(last_offset)
        if control == DATA:
            return self._on_data(producer_id)
        if control == ABORT:
            return self._on_abort(producer_id)
        if control == COMMIT:
            had_data = producer_id in self._committed
            self._committed.discard(producer_id)
            return not had_data
        return control == EMPTY_CONTROL

    def _on_data(self, producer_id: int) -> bool:
        if producer_id in self._aborted:
            self._met.add(producer_id)
            return True
        self._committed.add(producer_id)
        return False

    def _on_abort(self, producer_id: int) -> bool:
        entry = self._aborted.pop(producer_id, None)
        if entry is None or producer_id not in self._met:
            return True
        self._met.discard(producer_id)
        self.retained.append(entry)
        return False

    def _reach(self, offset: int) -> None:
        while self._waiting and self._waiting[0][0] <= offset:
            _, entry = heapq.heappop(self._waiting)
            if entry.producer_id not in self._aborted:
                self._aborted[entry.producer_id] = entry
                self._met.discard(entry.producer_id)
