"""A file's bytes as a read-only array over a memory map, given back as the reading goes on."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spark.sources.log_segment.batches import Bytes


@dataclass
class MappedFile:
    """The whole file without reading it; pages that were touched count as this process's memory until forgotten."""

    data: Bytes
    map: mmap.mmap | None

    @classmethod
    def open(cls, path: str) -> MappedFile:
        """Map a file; an empty one has no map."""
        with Path(path).open("rb") as stream:
            if not stream.seek(0, 2):
                empty = np.empty(0, np.uint8)
                empty.flags.writeable = False
                return cls(empty, None)
            mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        return cls(np.frombuffer(mapped, np.uint8), mapped)

    def forget(self, start: int, end: int) -> None:
        """Give back the pages before `end`; they are read again when somebody asks."""
        first = start - start % mmap.PAGESIZE
        size_bytes = end - end % mmap.PAGESIZE - first
        if self.map is not None and size_bytes > 0:
            self.map.madvise(mmap.MADV_DONTNEED, first, size_bytes)
