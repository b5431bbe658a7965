"""A file's bytes as a read-only array over a memory map, whose pages are released while reading."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spark.sources.log_segment.batches import HEADER_BYTES, Bytes
from spark.storage.address import is_address
from spark.storage.ranges import StoredRanges


@dataclass
class MappedFile:
    """The whole file, memory-mapped; touched pages count as this process's memory until forgotten.

    Of a file in a store only loaded ranges are present: call `load` before reading `data`.
    """

    data: Bytes
    map: mmap.mmap | None
    stored: StoredRanges | None = None

    @classmethod
    def open(cls, path: str) -> MappedFile:
        """Maps a file; an empty one has no map."""
        if is_address(path):
            stored = StoredRanges(path)
            data = np.frombuffer(stored.map, np.uint8)[: stored.size_bytes]
            data.flags.writeable = False
            return cls(data, stored.map, stored)
        with Path(path).open("rb") as stream:
            if not stream.seek(0, 2):
                empty = np.empty(0, np.uint8)
                empty.flags.writeable = False
                return cls(empty, None)
            mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        return cls(np.frombuffer(mapped, np.uint8), mapped)

    def load(self, start: int, end: int) -> None:
        """Ensures that the bytes of a range, and of the header that begins at its end, are present."""
        if self.stored is not None:
            self.stored.load(start, end + HEADER_BYTES)

    def forget(self, start: int, end: int) -> None:
        """Releases the pages before `end`; they are read again when needed."""
        if self.stored is not None:
            self.stored.forget(start, end)
            return
        first = start - start % mmap.PAGESIZE
        size_bytes = end - end % mmap.PAGESIZE - first
        if self.map is not None and size_bytes > 0:
            self.map.madvise(mmap.MADV_DONTNEED, first, size_bytes)
