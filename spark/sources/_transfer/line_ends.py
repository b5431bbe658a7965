r"""Line feeds that a text transfer made CR LF: FTP in ASCII mode, git with autocrlf, a terminal (`kubectl exec -t`).

    FTP, terminals  every LF becomes CR LF, CR LF becomes CR CR LF
    git             an LF without a CR becomes CR LF

Batch by batch, carriage returns are removed so that the checksum matches: all of them, none, or all but a few.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from spark.sources._transfer.changes import CopyChange
from spark.sources._transfer.intact import first_whole_batch, is_cut_batch, is_intact, is_whole_batch
from spark.sources.log_segment import batches as b
from spark.sources.log_segment.batches import Bytes, Numbers

CR, LF = 13, 10
NONE: Numbers = np.empty(0, np.int64)
LOOKED_AT = 64 * 1024
MAX_OWN = 2  # carriage returns of one batch that may be its own
MAX_TRIALS = 2_000  # for one batch
MAX_SEARCHES = 100  # for a batch behind one that nothing proves


def pairs_in(data: Bytes) -> Numbers:
    return np.flatnonzero((data[:-1] == CR) & (data[1:] == LF))


def is_suspicious(data: Bytes) -> bool:
    """Whether every line feed at the beginning follows a carriage return: rare unless a text tool changed the bytes."""
    head = data[:LOOKED_AT]
    feeds = int((head == LF).sum())
    return feeds > 0 and feeds == len(pairs_in(head))


def undone(data: Bytes) -> tuple[Bytes, CopyChange] | None:
    """The file before the change; None if it was not changed, or no checksum proves it."""
    if not is_suspicious(data) or is_intact(data):
        return None
    restorer = Restorer(data, pairs_in(data))
    restorer.go()
    if not restorer.proven:
        return None
    content = np.delete(data, restorer.removed)
    return content, CopyChange("line_ends", restorer.is_proven, "", len(restorer.removed))


@dataclass
class Restorer:
    """Walks a file. `pairs`: positions of carriage returns that may be removed; `proven`: batches with matching checksums."""

    data: Bytes
    pairs: Numbers
    proven: int = 0
    is_proven: bool = True  # of every batch that is there to its end
    searches: int = 0

    def __post_init__(self) -> None:
        self.gone: list[Numbers] = []

    @property
    def removed(self) -> Numbers:
        """Positions of the carriage returns to remove."""
        return np.concatenate(self.gone) if self.gone else NONE

    def go(self) -> None:
        position = 0
        while position < self.data.size:
            end = self.batch_end(position)
            position = self.next_batch(position) if end is None else end

    def next_batch(self, position: int) -> int:
        """Where a batch begins after an unproven one, or the end of the file."""
        rest = self.without(position, self.data.size, NONE)
        begins = first_whole_batch(rest, 1, rest.size) if self.searches < MAX_SEARCHES else -1
        self.searches += 1
        is_cut = begins < 0 and (is_cut_batch(rest) or len(rest) < b.HEADER_BYTES)
        self.is_proven = self.is_proven and is_cut
        end = self.data.size if begins < 0 else self.end_of(position, begins, NONE)
        self.gone.append(self.pairs_between(position, end))
        return end

    def batch_end(self, position: int) -> int | None:
        """The batch's end, with the carriage returns that make its checksum match."""
        for own in self.trials(position):
            end = self.end_if_whole(position, own)
            if end is not None:
                self.gone.append(np.setdiff1d(self.pairs_between(position, end), own))
                self.proven += 1
                return end
        return None

    def trials(self, position: int) -> Iterator[Numbers]:
        """Sets of carriage returns that may belong to the batch, likely ones first."""
        size = self.declared_bytes(position)
        pairs = self.pairs_between(position, min(self.data.size, position + 2 * size + b.HEADER_BYTES))
        yield NONE
        yield pairs
        within = pairs[: int(np.searchsorted(pairs, position + size + len(pairs)))]
        count = 0
        for most in range(1, MAX_OWN + 1):
            for own in combinations(within.tolist(), most):
                count += 1
                if count > MAX_TRIALS:
                    return
                yield np.array(own, np.int64)

    def declared_bytes(self, position: int) -> int:
        """The batch's size in its header, not counting carriage returns that may be removed."""
        head = self.without(position, position + 2 * b.FRAME_BYTES, NONE)
        return int(min(b.entry_size(head, 0), self.data.size)) if len(head) >= b.FRAME_BYTES else 0

    def end_if_whole(self, position: int, own: Numbers) -> int | None:
        """The batch's end if only these carriage returns belong to it and its checksum matches, else None."""
        head = self.without(position, min(self.data.size, position + 2 * b.HEADER_BYTES), own)
        if len(head) < b.MAGIC_AT + 1:
            return None
        size = int(b.entry_size(head, 0))
        if not b.FRAME_BYTES < size <= self.data.size - position:
            return None
        end = self.end_of(position, size, own)
        content = self.without(position, end, own)
        return end if len(content) == size and is_whole_batch(content, 0) else None

    def end_of(self, position: int, size: int, own: Numbers) -> int:
        """The position after so many bytes, not counting removed ones."""
        gone = np.setdiff1d(
            self.pairs_between(position, min(self.data.size, position + 2 * size)), own, assume_unique=True
        )
        # The k-th that goes lies before the end while its distance without the k before it is below the size.
        before = int(np.searchsorted(gone - position - np.arange(len(gone)), size, side="left"))
        return min(position + size + before, self.data.size)

    def without(self, start: int, end: int, own: Numbers) -> Bytes:
        """The bytes of a range without the carriage returns to remove."""
        gone = np.setdiff1d(self.pairs_between(start, end), own, assume_unique=True)
        return np.ascontiguousarray(np.delete(self.data[start:end], gone - start))

    def pairs_between(self, start: int, end: int) -> Numbers:
        """Carriage returns before a line feed in a range."""
        first, last = np.searchsorted(self.pairs, [start, end])
        return self.pairs[first:last]
