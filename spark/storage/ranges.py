"""A store's file as memory of its size: ranges take no room until they are loaded.

For readers in compiled code, which address bytes by position and cannot request them.
"""

from __future__ import annotations

import mmap
from itertools import groupby

from spark.storage.address import explained
from spark.storage.files import StoredFile

BLOCK_BYTES = 1 << 20  # what is asked for is rounded to blocks; neighbouring blocks are one request


class StoredRanges:
    """`map` has the file's size. Ranges that are not loaded, or forgotten, read as zeros."""

    def __init__(self, address: str) -> None:
        self._file = StoredFile(address)
        self.size_bytes = self._file.size_bytes
        self._loaded = bytearray(-(-self.size_bytes // BLOCK_BYTES))
        self.map = mmap.mmap(-1, max(1, self.size_bytes), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)

    def load(self, start: int, end: int) -> None:
        """Ensures that a range is present. Raises OSError with the address."""
        first, last = max(0, start) // BLOCK_BYTES, -(-min(end, self.size_bytes) // BLOCK_BYTES)
        for is_there, group in groupby(range(first, last), lambda block: self._loaded[block]):
            if not is_there:
                blocks = list(group)
                self._read(blocks[0], blocks[-1] + 1)

    def _read(self, first: int, last: int) -> None:
        start, end = first * BLOCK_BYTES, min(last * BLOCK_BYTES, self.size_bytes)
        self._file.seek(start)
        with memoryview(self.map)[start:end] as target:
            count = self._file.readinto(target)
        if count < end - start:
            with explained(self._file.address):
                raise OSError(f"the file was {self.size_bytes:,} bytes long and is shorter now")
        self._loaded[first:last] = b"\1" * (last - first)

    def forget(self, start: int, end: int) -> None:
        """Releases the blocks that end in a range; they are loaded again when needed."""
        first, last = start // BLOCK_BYTES, end // BLOCK_BYTES
        if last > first:
            self.map.madvise(mmap.MADV_DONTNEED, first * BLOCK_BYTES, (last - first) * BLOCK_BYTES)
            self._loaded[first:last] = bytes(last - first)
